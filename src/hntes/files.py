"""Atomic file writes, safe with concurrent writers and across a crash.

The content goes to a temporary file in the same folder, is synced to disk, then replaces the old file.
A process that is killed leaves at most such a temporary file behind: the next write of the same file removes it after
an hour, unless that write is one of many in a large folder; `sweep_leftovers` removes those of a whole folder.
"""

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

# Permissions requested for a new file; the umask clears some of them.
_CREATE_MODE = 0o666
_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
# No write takes that long: the content is ready before the file is opened.
LEFTOVER_AGE_S = 3600.0


@contextmanager
def replacing(path: Path, *, mode: int | None = None, sweep: bool = True) -> Iterator[Path]:
    """A temporary file next to `path` that replaces it at the end of the block.

    The block writes to the path that it is given. After an error, in the block or here, the temporary file is gone and
    `path` holds either its old content or all of the new.

    Args:
        path: The file to write; missing folders are created.
        mode: Its permissions, whatever the umask; by default those of any new file (0644 with the usual umask).
        sweep: List the folder for what killed writes of the same file left. False where folders are large, and swept
            once a run.

    Raises:
        OSError: The file system refuses; the message names the file.
    """
    make_folder(path.parent)
    if sweep:
        sweep_leftovers(path.parent, of=path.name)
    temporary = path.with_name(temporary_name(path.name))
    try:
        with naming(path):
            # Private until it is complete, where permissions were asked for.
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _CREATE_MODE if mode is None else 0o600))
            yield temporary
            if mode is not None:
                temporary.chmod(mode)
            sync_file(temporary)
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextmanager
def naming(path: object) -> Iterator[None]:
    """Adds the file's name to errors without one: calls on a file descriptor do not know it."""
    try:
        yield
    except OSError as problem:
        if problem.filename is None and problem.strerror is not None:
            problem.filename = str(path)
        raise


def open_file(path: Path) -> BufferedReader:
    """Opens a regular file for reading; never blocks on a pipe of that name that has no writer.

    Raises:
        OSError: it cannot be opened, or is not a regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file but a folder, pipe, device or socket", str(path))
    return os.fdopen(handle, "rb")


def write_bytes(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file, whole or not at all; see `replacing`."""
    with replacing(path, mode=mode) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a text file in UTF-8 with its line ends as they are, whole or not at all; see `replacing`."""
    write_bytes(path, text.encode(), mode=mode)


def write_changed_text(path: Path, text: str) -> None:
    """As `write_text`, but a file that already holds this text keeps its time of modification."""
    content = text.encode()
    if path.is_file() and path.read_bytes() == content:
        # A killed process may have renamed it without syncing the folder.
        sync_folder(path.parent)
    else:
        write_bytes(path, content)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, each one's entry synced to disk."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def temporary_name(name: str) -> str:
    """A name that no other writer of `name` has, and that `sweep_leftovers` recognises."""
    return f".{name}.{secrets.token_hex(8)}.tmp"


def is_temporary(path: Path, of: str | None = None) -> bool:
    """Whether a file has a name that `temporary_name` gave, to a write of the file `of` if that is said."""
    match = _TEMPORARY.fullmatch(path.name)
    return match is not None and of in (None, match[1])


def sweep_leftovers(folder: Path, *, of: str | None = None, older_than_s: float = LEFTOVER_AGE_S) -> int:
    """Remove temporary files that killed processes left in a folder, not in those below it; returns how many.

    With `of`, only those of the file of that name. A younger one may belong to a process at work. If one at work loses
    its file nevertheless, its write fails with FileNotFoundError and the old file stays as it is.
    """
    if not folder.is_dir():
        return 0
    removed = 0
    for path in folder.iterdir():
        if is_temporary(path, of) and _is_older(path, older_than_s):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def sync_file(path: Path) -> None:
    """Has the disk take what was written to a file."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Has the disk take the names of a folder's files."""
    try:
        sync_file(path)
    except OSError as cause:
        if cause.errno != errno.EINVAL:  # some network file systems cannot sync folders; they sync each change
            raise


def _is_older(path: Path, age_s: float) -> bool:
    try:
        return time.time() - path.stat().st_mtime > age_s
    except FileNotFoundError:  # another process finished with it, or swept it
        return False
