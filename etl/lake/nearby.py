"""Parts of a lake in a folder of this machine: where they lie, or copied for the time of the work on a router-day."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hntes.etl.lake.url import Lake, LakeUrl
from hntes.etl.lake.verify import copy_verified, verify_part
from hntes.sql.entries import LakePart


@contextmanager
def nearby(lake: Lake, parts: Sequence[LakePart]) -> Iterator[Path]:
    """A folder that has these parts under their names, each verified against the ledger.

    A lake by URL is read as a whole, some 20 bytes a record, into the folder for temporary files (TMPDIR).

    Raises:
        ChangedPartError: a part is not what was written.
        GonePartError: a part that the ledger names is missing from the lake.
        LakeError: the lake's file system cannot be reached.
    """
    if not isinstance(lake, LakeUrl):
        for part in parts:
            verify_part(lake, part)
        yield lake
        return
    with tempfile.TemporaryDirectory(prefix="hntes-lake-") as folder:
        for part in dict.fromkeys(parts):
            copy = Path(folder) / part.part
            copy.parent.mkdir(parents=True, exist_ok=True)
            stored = lake / part.part
            with stored.reading() as source:
                copy_verified(source, copy, part, stored)
        yield Path(folder)
