"""Temporary folders: what killed work leaves there, the next of its kind, by the same user on the machine, removes.

A folder is locked for as long as its process works in it, and the kernel unlocks it when that ends, however it does.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hntes.etl.errors import ScratchError

PARTS = "hntes-parts-"
SPARK = "hntes-spark-"
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """An empty folder for the time of the block, in the folder for temporary files (TMPDIR).

    `prefix`: of the names of its kind; nothing else there may have one like it.
    """
    place = Path(tempfile.gettempdir())
    _sweep(place, prefix)
    folder, lock = _locked_folder(place, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # what stays is swept
        os.close(lock)


@contextmanager
def in_scratch(file: object) -> Iterator[None]:
    """Writing of a temporary file; an error of a file that lies elsewhere, or of another kind, is left as it is.

    Raises:
        ScratchError: there is no room for it.
    """
    place = tempfile.gettempdir()
    try:
        yield
    except OSError as problem:
        if problem.errno not in _NO_ROOM or not str(problem.filename or place).startswith(place):
            raise
        raise ScratchError(
            f"{file}: {problem.strerror}; make room in the folder for temporary files, {place}, or name one on another "
            "disk in TMPDIR"
        ) from problem


def _locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        # another process may sweep it before it is locked
        with suppress(FileNotFoundError):
            lock = os.open(folder, _OPEN_FOLDER)
            with suppress(OSError):  # no locks on this file system: nobody sweeps there, either
                fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _sweep(place: Path, prefix: str) -> None:
    """Removes the folders that nobody works in any more, unless they are another user's."""
    for folder in place.glob(f"{prefix}*"):
        with suppress(OSError):
            lock = os.open(folder, _OPEN_FOLDER)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
