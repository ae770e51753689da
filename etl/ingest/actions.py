"""The actions of one run on the flow files of a folder: a function of the ledger and the files' content.

One file owns each content: its records are in the lake under that file's name, other files with the same content are
copies and add nothing. A file that owned a content goes on owning it; otherwise the first file with it, by time, does.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from hntes.etl.ingest.content import Content
from hntes.etl.sources.scan import FolderFile
from hntes.sql.entries import FileEntry


@dataclass(frozen=True)
class Seen:
    """A file that was opened, and its content."""

    file: FolderFile
    content: Content

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def sha256(self) -> str:
        return self.content.sha256


@dataclass(frozen=True)
class Unopened:
    """A file that is there but cannot be opened."""

    file: FolderFile
    reason: str


@dataclass(frozen=True)
class Reading:
    """Inputs besides the content that decide whether a file is read again: settings hash and source version."""

    ingest_hash: str
    reader_version: str


@dataclass(frozen=True)
class Keep:
    """The ledger's entry still holds."""

    entry: FileEntry


@dataclass(frozen=True)
class Read:
    """Read the file into the lake; `replaces`: the ledger knows it, so older parts become superfluous."""

    seen: Seen
    replaces: bool


@dataclass(frozen=True)
class RecordCopy:
    """Enter the file as a copy of its owner; `replaces` as of `Read`."""

    seen: Seen
    owner: str
    replaces: bool


@dataclass(frozen=True)
class SetAside:
    """Report a file that cannot be opened; `records`: enter it, too, as the ledger has no records of it to keep."""

    file: FolderFile
    reason: str
    records: bool


Action = Keep | Read | RecordCopy | SetAside


def orphaned_copies(known: Mapping[str, FileEntry], seen: Sequence[Seen]) -> list[FolderFile]:
    """Copies that were not looked at, and whose content no file owns any more.

    They lie outside the run's span of time; looked at as well, one of them becomes the owner.
    """
    paths = {one.path for one in seen}
    others = [entry for entry in known.values() if entry.path not in paths]
    owned = {entry.sha256 for entry in others if entry.state != "duplicate"} | {one.sha256 for one in seen}
    return sorted(
        FolderFile(entry.file_start_ms, entry.path)
        for entry in others
        if entry.state == "duplicate" and entry.sha256 not in owned
    )


def plan_actions(
    known: Mapping[str, FileEntry],
    seen: Sequence[Seen],
    unopened: Sequence[Unopened],
    lost: Set[str],
    reading: Reading,
) -> list[Action]:
    """One action per file that was looked at, in that order.

    Args:
        known: The ledger's entries of the files that were looked at, and of all with their contents, by path.
        seen: The files that were opened, by time.
        unopened: Those that could not be opened.
        lost: Paths of files whose parts are gone from the lake.
        reading: How files are read now.
    """
    owners = _owners(known, seen)
    actions: list[Action] = [
        SetAside(one.file, one.reason, records=not _has_content(known.get(one.file.path))) for one in unopened
    ]
    for one in seen:
        entry = known.get(one.path)
        if owners[one.sha256] != one.path:
            actions.append(RecordCopy(one, owners[one.sha256], replaces=entry is not None))
        elif entry is not None and one.path not in lost and _still_holds(entry, one, reading):
            actions.append(Keep(entry))
        else:
            actions.append(Read(one, replaces=entry is not None))
    return actions


def _owners(known: Mapping[str, FileEntry], seen: Sequence[Seen]) -> dict[str, str]:
    """The path of the file that owns each content."""
    paths = {one.path for one in seen}
    owners = {e.sha256: e.path for e in known.values() if e.state != "duplicate" and e.path not in paths}
    for one in seen:
        entry = known.get(one.path)
        if entry is not None and entry.state != "duplicate" and entry.sha256 == one.sha256:
            owners.setdefault(one.sha256, one.path)
    for one in seen:
        owners.setdefault(one.sha256, one.path)
    return owners


def _still_holds(entry: FileEntry, seen: Seen, reading: Reading) -> bool:
    """Whether reading the file again would give the same; one that was set aside is retried with a new reader."""
    return (
        entry.state != "duplicate"
        and entry.sha256 == seen.sha256
        and entry.ingest_hash == reading.ingest_hash
        # in another time zone the time in a file's name is another one
        and entry.file_start_ms == seen.file.start_ms
        and (entry.state == "ingested" or entry.nfdump_version == reading.reader_version)
    )


def _has_content(entry: FileEntry | None) -> bool:
    return entry is not None and entry.sha256 != ""
