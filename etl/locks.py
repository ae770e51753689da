"""One writer at a time: a lock file that the kernel frees when its holder dies."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hntes.etl.errors import EtlError
from hntes.files import make_folder


class LockedError(EtlError):
    """Another process is doing the same work."""


@contextmanager
def locked(path: Path, what: str, wait_s: float = 600.0) -> Iterator[None]:
    """Holds an exclusive lock on `path`.

    Raises:
        LockedError: another process still holds it after `wait_s` seconds.
    """
    make_folder(path.parent)
    deadline = time.monotonic() + wait_s
    with path.open("w") as handle:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as cause:
                if time.monotonic() > deadline:
                    raise LockedError(
                        f"{what}: another process has held the lock for more than {wait_s:.0f} s; try again later"
                    ) from cause
                time.sleep(0.2)
        yield
