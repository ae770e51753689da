"""Parts of a lake in a folder of this machine: where they lie, or copied for the time of the work on a router-day."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hntes.etl.lake.url import Lake, LakeUrl


@contextmanager
def nearby(lake: Lake, parts: Sequence[str]) -> Iterator[Path]:
    """A folder that has these parts under their names.

    A lake by URL is read as a whole, some 20 bytes a record, into the folder for temporary files (TMPDIR).

    Raises:
        LakeError: a part that the ledger names is missing from a lake by URL, or its file system cannot be reached.
    """
    if not isinstance(lake, LakeUrl):
        yield lake
        return
    with tempfile.TemporaryDirectory(prefix="hntes-lake-") as folder:
        for part in dict.fromkeys(parts):
            copy = Path(folder) / part
            copy.parent.mkdir(parents=True, exist_ok=True)
            with (lake / part).reading() as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        yield Path(folder)
