"""The announcements in a folder: `FOLDER/SOURCE/DAY/*`, one message per line, or `*.json` with one document.

A day's transfers are in the files of that day, of the day before (they began) and of the day after (they ended).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from io import BufferedReader
from pathlib import Path

from hntes.etl.announced.document import MAX_MESSAGE_BYTES, Fields, message_of, objects_of
from hntes.etl.announced.lifecycle import Transfers
from hntes.etl.announced.source import AnnouncedError, AnnouncedSource, Announcement, MalformedError, Names
from hntes.files import is_temporary, open_file

_MAX_DOCUMENT_BYTES = 64 << 20
_MAX_FILES = 10_000


@dataclass(frozen=True)
class Limits:
    """Bytes that are read of one source's files of a day, and transfers that are kept."""

    read_bytes: int
    transfers: int


@dataclass(frozen=True)
class Counts:
    """What became of the files and messages of one source.

    `malformed` messages are not what the source sends. Transfers of `unknown_endpoints` name a host or port that the
    endpoints lack. `over_limit` messages, and `unread_bytes` of files, were beyond the limits.
    """

    files: int = 0
    messages: int = 0
    malformed: int = 0
    unknown_endpoints: int = 0
    over_limit: int = 0
    unread_bytes: int = 0


@dataclass(frozen=True)
class Read:
    """The transfers of one source around a day, and counts of its messages."""

    source: str
    transfers: tuple[Announcement, ...]
    counts: Counts


def read_source(
    folder: Path, source: AnnouncedSource, names: Names, day: date, limits: Limits,
    is_seen: Callable[[Announcement], bool],
) -> Read:  # fmt: skip
    """The transfers in a source's files of a day and of the days beside it.

    `is_seen`: whether an alpha flow may belong to a transfer; these are kept even if there are more than the limit.

    Raises:
        AnnouncedError: a file or folder cannot be read, or there are too many files.
    """
    transfers = Transfers(limits.transfers, is_seen)
    counts = Counts()
    for near in (day - timedelta(days=1), day, day + timedelta(days=1)):
        left = limits.read_bytes
        for path in _files(folder / source.name / near.isoformat()):
            counts = replace(counts, files=counts.files + 1)
            size = _size(path)
            for fields in _messages(path, left):
                counts = _taken(fields, source, names, transfers, counts)
            counts = replace(counts, unread_bytes=counts.unread_bytes + max(size - left, 0))
            left = max(left - size, 0)
    counts = replace(counts, over_limit=transfers.over_limit)
    return Read(source.name, tuple(transfers.all()), counts)


def _taken(
    fields: Fields | None, source: AnnouncedSource, names: Names, transfers: Transfers, counts: Counts
) -> Counts:
    counts = replace(counts, messages=counts.messages + 1)
    try:
        found = list(source.announcements(fields, names)) if fields is not None else None
    except MalformedError:
        found = None
    if found is None:
        return replace(counts, malformed=counts.malformed + 1)
    for one in found:
        if one.sources and one.destinations:
            transfers.add(one)
        else:
            counts = replace(counts, unknown_endpoints=counts.unknown_endpoints + 1)
    return counts


def _files(folder: Path) -> list[Path]:
    """In the order of their names; none if the folder does not exist."""
    try:
        if not folder.is_dir():
            return []
        found = sorted(path for path in folder.iterdir() if path.is_file() and not is_temporary(path))
    except OSError as cause:
        raise AnnouncedError(f"{folder}: cannot be read: {cause.strerror}") from cause
    if len(found) > _MAX_FILES:
        raise AnnouncedError(f"{folder}: has {len(found)} files, more than {_MAX_FILES}; join some of them")
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as cause:
        raise AnnouncedError(f"{path}: cannot be read: {cause.strerror}") from cause


def _messages(path: Path, most_bytes: int) -> Iterator[Fields | None]:
    """The messages in the first bytes of a file; None for each that is no JSON object."""
    try:
        with open_file(path) as file:
            if path.suffix == ".json":
                yield from _documents(file.read(min(_MAX_DOCUMENT_BYTES, most_bytes) + 1))
                return
            while file.tell() < most_bytes and (line := _line(file)):
                if line.strip():
                    yield _message(line)
    except OSError as cause:
        raise AnnouncedError(f"{path}: cannot be read: {cause.strerror}") from cause


def _line(file: BufferedReader) -> bytes:
    """The next line; of one that is too long what shows that it is."""
    line = rest = file.readline(MAX_MESSAGE_BYTES + 1)
    while len(line) > MAX_MESSAGE_BYTES and not rest.endswith(b"\n") and rest:
        rest = file.readline(MAX_MESSAGE_BYTES)
    return line


def _documents(content: bytes) -> Iterator[Fields | None]:
    try:
        yield from objects_of(content, _MAX_DOCUMENT_BYTES)
    except MalformedError:
        yield None


def _message(line: bytes) -> Fields | None:
    try:
        return message_of(line)
    except MalformedError:
        return None
