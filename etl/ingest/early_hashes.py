"""Hashes of flow files, taken by a worker that would wait: nobody knows yet which files are to be read."""

from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path

from hntes.etl.ingest.content import Content, content_of

# Whoever needs the worker waits for the file that it is at, a twentieth of a second for one of this length.
_LARGEST_BYTES = 64 << 20


class EarlyHashes:
    """What files held when it was looked at."""

    def __init__(self) -> None:
        self._taken: dict[Path, Content] = {}
        self._is_stopped = True

    def start(self) -> None:
        """Forgets all, and lets `take` begin."""
        self._taken = {}
        self._is_stopped = False

    def take(self, pool: Executor, sizes: Iterable[tuple[Path, int]]) -> None:
        """Has workers take the hashes of files, given with their lengths in bytes, one by one from `start` to `stop`.

        Raises:
            RuntimeError: the pool is shut down.
            CancelledError: it was shut down before a worker was at the file.
        """
        for path, size in sizes:
            if self._is_stopped:
                return
            if size <= _LARGEST_BYTES:
                # whoever is to read a file that cannot be opened says so
                with suppress(OSError):
                    self._taken[path] = pool.submit(content_of, path).result()

    def stop(self) -> None:
        """Leaves all other files to those who read them."""
        self._is_stopped = True

    def of(self, path: Path, content: Content) -> Content:
        """The content with its hash, where that was taken and the file cannot have changed since."""
        taken = self._taken.get(path)
        with suppress(OSError):
            if taken and not content.sha256 and taken.size_bytes == content.size_bytes and taken.is_still_in(path):
                return taken
        return content
