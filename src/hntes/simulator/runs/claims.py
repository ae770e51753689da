"""Who makes a run that several processes want: a lock file per key, which the kernel frees when its holder dies.

A claim saves work and protects nothing: where none can be had, the run is made all the same.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from hntes.files import make_folder

# Others may write to the folder: a link would have this process create files elsewhere.
_OPENED = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def claim(folder: Path, key: str) -> AbstractContextManager[None] | None:
    """The right to make the run of this key, held for the block; None while another has it. Never waits."""
    # a name that `sweep_leftovers` removes after an hour, if its holder was killed
    path = folder / f".{key}.claim.{0:016x}.tmp"
    try:
        make_folder(folder)
        handle = os.open(path, _OPENED, 0o666)
    except OSError:  # a folder that cannot be written to
        return nullcontext()
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError:  # a file system without locks
        return _held(path, handle)
    if not _is_at(path, handle):  # its former holder has just removed it
        os.close(handle)
        return None
    with suppress(OSError):
        os.utime(handle)
    return _held(path, handle)


@contextmanager
def _held(path: Path, handle: int) -> Iterator[None]:
    try:
        yield
    finally:
        # before the lock goes: whoever has the file open then sees that it is no longer the claim
        with suppress(OSError):
            path.unlink()
        os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    with suppress(OSError):
        return os.path.samestat(path.stat(follow_symlinks=False), os.fstat(handle))
    return False
