"""Files that the page's own user alone may read: what lets people or programs in."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hntes.files import make_folder
from hntes.web.errors import WebError


def read_private(path: Path, what: str) -> str | None:
    """The text of the file, None where there is none; `what` names its content in messages.

    Raises:
        WebError: it cannot be read, or others may read or write it.
    """
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as cause:
        raise WebError(f"{path}: the {what} cannot be read; give the file back to the user who runs this") from cause
    if stat.S_IMODE(mode) & 0o077:
        raise WebError(f"{path}: others may read or write the {what} (mode {stat.S_IMODE(mode):04o}); run chmod 600")
    return text


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Within it no other process changes the file: of two that write it anew, one would lose its change."""
    make_folder(path.parent)
    # nobody else may open it: whoever can, can hold the lock for ever
    lock = os.open(path.with_name(f".{path.name}.lock"), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
