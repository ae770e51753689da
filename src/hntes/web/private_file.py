"""Credential files that only the page's user may read."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hntes.files import make_folder
from hntes.web.errors import WebError


def read_private(path: Path, what: str) -> str | None:
    """The text of the file, None without one; `what` names its content in messages.

    Raises:
        WebError: it cannot be read, or others may read or write it.
    """
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as cause:
        raise WebError(
            f"{path}: the {what} cannot be read; make the user who runs this the owner of the file"
        ) from cause
    if stat.S_IMODE(mode) & 0o077:
        raise WebError(f"{path}: others may read or write the {what} (mode {stat.S_IMODE(mode):04o}); run chmod 600")
    return text


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Locks the file against other writers, so that no update is lost."""
    make_folder(path.parent)
    # no one else may open it, since they could hold the lock forever
    lock = os.open(path.with_name(f".{path.name}.lock"), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
