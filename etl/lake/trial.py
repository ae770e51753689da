"""A trial of a lake's store: whether what a night does there is allowed."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date

from hntes.etl.errors import GonePartError, LakeError
from hntes.etl.lake.store import Store
from hntes.sql.entries import LakePart

# Beside the folders of parts, where nothing looks; one name, so that the next trial replaces what a killed one left.
NAME = ".hntes-check"
# Arrow loses an error whose text is longer than what it wants to read.
_CONTENT = b"Written by hntes check, which removes it.\n" * 100


def try_out(store: Store) -> None:
    """Writes, reads and removes a small file or object.

    Raises:
        LakeError: one of them is refused; LakeAwayError: the store cannot answer now.
    """
    with _acting("write", store), store.writing(NAME) as stream:
        stream.write(_CONTENT)
    try:
        # a trial beside this one may have removed it
        with suppress(GonePartError), _acting("read", store), store.nearby([_part()]):
            pass
    finally:
        with _acting("remove", store):
            store.remove([NAME])


@contextmanager
def _acting(act: str, store: Store) -> Iterator[None]:
    try:
        yield
    except GonePartError:
        raise
    except LakeError as problem:
        raise type(problem)(f"{problem}; this was to {act} {store.at(NAME)}, on trial") from problem


def _part() -> LakePart:
    sha256 = hashlib.sha256(_CONTENT).hexdigest()
    return LakePart("", "", 0, "", date.min, NAME, records=0, bytes=0, sha256=sha256)
