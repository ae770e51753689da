"""A folder after a loss of power: files and folders as they were when last synced.

A model of what POSIX promises, not of any one file system: most of them keep more.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class SyncedState:
    """The durable state of a folder that was durable as a whole at the beginning."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._contents: dict[int, bytes] = {}
        self._entries: dict[int, dict[str, int]] = {}
        for path in (root, *root.rglob("*")):
            self.sync(path)

    def sync(self, path: Path) -> None:
        """A file or a folder is synced as it is now."""
        number = path.stat().st_ino
        if path.is_dir():
            self._entries[number] = {entry.name: entry.stat().st_ino for entry in path.iterdir()}
        else:
            self._contents[number] = path.read_bytes()

    def content(self, path: Path) -> bytes | None:
        """What the file would hold after a loss of power; None if it would not be there."""
        number: int | None = self._root.stat().st_ino
        for name in path.relative_to(self._root).parts:
            number = self._entries.get(number, {}).get(name) if number is not None else None
        return None if number is None else self._contents.get(number, b"")


@contextmanager
def synced_state(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SyncedState]:
    """Follows every os.fsync below a folder."""
    state = SyncedState(root)
    real_fsync = os.fsync

    def fsync(handle: int) -> None:
        real_fsync(handle)
        path = Path(f"/proc/self/fd/{handle}").readlink()
        if path.is_relative_to(root) or path == root:
            state.sync(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        yield state
