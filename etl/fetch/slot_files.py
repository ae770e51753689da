"""Files of messages by time slot, and with them how far each partition was read: both are there, or neither.

A commit is one replaced file, the state: it names the offsets, and the temporary files that are final with it. They
are renamed after that, by whoever opens the folder next if this process is killed in between. Temporary files that the
state does not name are of messages that will be read again, and are deleted.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn, Self

import msgspec
import pyarrow as pa

from hntes.etl.fetch.errors import FetchError
from hntes.files import is_temporary, make_folder, sync_file, sync_folder, temporary_name, write_bytes

STATE_NAME = ".consumed.json"
_LOCK_NAME = ".consumer"
_NUMBER = re.compile(r"\.([0-9]+)\.[0-9]{8}T[0-9]{6}Z\.json\.zst$")
_WRITTEN_AT_ONCE_BYTES = 1 << 20


class State(msgspec.Struct, frozen=True):
    """What a folder holds of its topic: the next offset of each partition, and (temporary, final) names of files."""

    cluster: str
    topic: str
    incarnation: str
    number: int
    offsets: dict[int, int]
    pending: list[tuple[str, str]] = []


class _Part:
    """The file of one slot while it is written. Lines that are no flows come last, so that a source knows the first."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.path = folder / temporary_name(name)
        self._stream = pa.CompressedOutputStream(pa.OSFile(str(self.path), "wb"), "zstd")
        self._lines, self._odd_lines = bytearray(), bytearray()

    def add(self, line: bytes, is_odd: bool) -> None:
        waiting = self._odd_lines if is_odd else self._lines
        waiting += line
        waiting += b"\n"
        if len(self._lines) >= _WRITTEN_AT_ONCE_BYTES:
            self._stream.write(bytes(self._lines))
            self._lines.clear()

    def close(self) -> None:
        """All is on the disk after this."""
        self._stream.write(bytes(self._lines + self._odd_lines))
        self._stream.close()
        sync_file(self.path)


class SlotFiles:
    """The folder of one topic and one consumer; a second one is refused.

    `offsets` are those that were committed: None before the first commit, none of a topic that was made anew since.

    Raises:
        FetchError: it cannot be written, another consumer writes there, or it holds another topic.
    """

    def __init__(self, folder: Path, cluster: str, topic: str, incarnation: str) -> None:
        self.folder, self._cluster, self._topic, self._incarnation = folder, cluster, topic, incarnation
        self._parts: dict[int, _Part] = {}
        self.bytes = 0
        with self._writing():
            make_folder(folder)
            self._lock = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            self._require_alone()
            state = self._stored()
            self._number = max([state.number if state else 0, *_numbers(folder)])
            self.offsets = state.offsets if state else None
            self.is_anew = state is not None and state.incarnation != incarnation
            if self.is_anew:
                self.offsets = {}
            with self._writing():
                self._finish(state.pending if state else [])
                for path in list(folder.iterdir()):
                    if is_temporary(path):
                        path.unlink(missing_ok=True)
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # temporary files stay: after a failed commit only the state says whether they are final
        os.close(self._lock)

    @property
    def slots(self) -> int:
        """How many slots have lines that are not committed."""
        return len(self._parts)

    def add(self, slot_s: int, line: bytes, is_odd: bool = False) -> None:
        """Adds a line to the file of the slot that begins then (epoch s); `is_odd`: it is no flow.

        Raises:
            FetchError: it cannot be written.
        """
        with self._writing():
            if (part := self._parts.get(slot_s)) is None:
                began = datetime.fromtimestamp(slot_s, UTC)
                name = f"{self._topic}.{self._number + 1:06}.{began:%Y%m%dT%H%M%SZ}.json.zst"
                part = self._parts[slot_s] = _Part(self.folder, name)
            part.add(line, is_odd)
        self.bytes += len(line) + 1

    def commit(self, offsets: Mapping[int, int]) -> tuple[str, ...]:
        """Makes the lines so far final, with these next offsets; the names of their files.

        Raises:
            FetchError: they cannot be written.
        """
        with self._writing():
            for part in self._parts.values():
                part.close()
            sync_folder(self.folder)
            pending = [(part.path.name, part.name) for part in self._parts.values()]
            state = State(self._cluster, self._topic, self._incarnation, self._number + 1, dict(offsets), pending)
            write_bytes(self.folder / STATE_NAME, msgspec.json.encode(state) + b"\n")
            # from here on the lines are final, whatever happens
            self._parts, self.bytes = {}, 0
            self._number, self.offsets = state.number, state.offsets
            self._finish(pending)
        return tuple(name for _, name in pending)

    def stored_bytes(self) -> int:
        """The size of what is in the folder, that of other writers included."""
        with self._writing():
            return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(self.folder))

    def _finish(self, pending: list[tuple[str, str]]) -> None:
        for temporary, name in pending:
            if (path := self.folder / temporary).exists():
                path.replace(self.folder / name)
        if pending:
            sync_folder(self.folder)

    def _require_alone(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as cause:
            raise FetchError(f"{self.folder}: another consumer writes there") from cause

    def _stored(self) -> State | None:
        path = self.folder / STATE_NAME
        try:
            state = msgspec.json.decode(path.read_bytes(), type=State)
        except FileNotFoundError:
            return None
        except OSError as cause:
            self._refuse(cause)
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise FetchError(
                f"{path}: damaged ({cause}); it says how far the topic was read. Restore it, or move the folder's "
                "files away and begin anew"
            ) from cause
        if (state.cluster, state.topic) != (self._cluster, self._topic):
            raise FetchError(
                f"{self.folder}: holds topic {state.topic} of cluster {state.cluster}, not topic {self._topic} of "
                f"cluster {self._cluster}; use a folder for each"
            )
        if any("/" in name for names in state.pending for name in names):
            raise FetchError(f"{path}: damaged: names files of other folders")
        return state

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as cause:
            self._refuse(cause)

    def _refuse(self, cause: OSError) -> NoReturn:
        raise FetchError(f"{self.folder}: cannot be written ({cause.strerror or cause})") from cause


def _numbers(folder: Path) -> list[int]:
    """Of the commits whose files are there: no file is replaced by one of the same number."""
    return [int(found[1]) for path in folder.iterdir() if (found := _NUMBER.search(path.name))]
