"""The ingest ledger: the flow files read, their content, and the parts with their records.

All functions work within the caller's transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import get_args

from sqlalchemy import ColumnElement, ForeignKeyConstraint, Index, bindparam, func, select, text, true, update

from hntes.sql.entries import (
    ExporterCount,
    FactorSeen,
    FileEntry,
    FilePart,
    FileState,
    LakePart,
    OutcomeCount,
    SamplingEntry,
)
from hntes.sql.index_walk import least_of_each
from hntes.sql.rows import fetch, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

_VALUES_AT_ONCE, _ROWS_AT_ONCE = 500, 10_000
_KEY = ("folder", "path")
# A literal: no database compares a parameter with the condition of an index.
_WITHOUT_HASH = text("sha256 = ''")


def _of_file() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(_KEY, ["flow_file.folder", "flow_file.path"], ondelete="CASCADE")


FLOW_FILE = table(
    "flow_file", FileEntry, one_of("state", FileState), Index(None, "folder", "file_start_ms"),
    Index(None, "folder", "state", "sha256"), key=_KEY,
    grain="One row per flow file (folder, path) that was ever looked at, in its last known content.",
)  # fmt: skip
FLOW_FILE_COUNT = table(
    "flow_file_count", OutcomeCount, _of_file(), key=(*_KEY, "router", "outcome"), also=dict.fromkeys(_KEY, str),
    grain="One row per flow file, router ('' where none) and outcome of its records.",
)  # fmt: skip
EXPORTER_COUNT = table(
    "exporter_count", ExporterCount, _of_file(), key=(*_KEY, "router", "exporter", "outcome"),
    also=dict.fromkeys(_KEY, str),
    grain="One row per flow file, router ('' where none), exporter and outcome that may count against a day.",
)  # fmt: skip
FLOW_FILE_PART = table(
    "flow_file_part", FilePart, _of_file(), Index(None, "router", "day"), Index(None, "part"),
    Index("ix_flow_file_part_without_hash", "day", sqlite_where=_WITHOUT_HASH, postgresql_where=_WITHOUT_HASH),
    key=(*_KEY, "router", "day"),
    also=dict.fromkeys(_KEY, str),
    grain="One row per flow file, router and day: the lake part that holds those records.",
)  # fmt: skip
# One exporter can have several in one file: records the collector multiplied and records it did not, two samplers.
# The start of the file is here, too: since when an exporter had a factor is asked over all files each night.
SAMPLING_EVIDENCE = table(
    "sampling_evidence", SamplingEntry, _of_file(),
    Index("ix_sampling_evidence_first_start", "folder", "exporter", "source", "factor", "file_start_ms"),
    key=(*_KEY, "exporter", "source", "factor"), also={**dict.fromkeys(_KEY, str), "file_start_ms": int},
    grain="One row per flow file, exporter, source of the factor, and factor.",
)  # fmt: skip


@dataclass(frozen=True)
class StoredFile:
    """All that the ledger holds of one flow file; the tuples are sorted by their keys."""

    entry: FileEntry
    counts: tuple[OutcomeCount, ...]
    parts: tuple[FilePart, ...]
    evidence: tuple[SamplingEntry, ...]


@dataclass(frozen=True)
class ReadContent:
    """The content of a flow file that was read (SHA-256), and the hash of the settings by which."""

    folder: str
    sha256: str
    ingest_hash: str


def get_file(session: Session, folder: str, path: str) -> FileEntry | None:
    """The ledger's entry of one flow file, None if it was never looked at."""
    found = fetch_by(session, FLOW_FILE, FileEntry, folder=folder, path=path)
    return found[0] if found else None


def get_stored_file(session: Session, folder: str, path: str) -> StoredFile | None:
    """The entry of one flow file with its counts, parts and sampling evidence; None if it was never looked at."""
    entry = get_file(session, folder, path)
    if entry is None:
        return None
    counts = fetch(
        session, FLOW_FILE_COUNT, OutcomeCount, FLOW_FILE_COUNT.c.folder == folder, FLOW_FILE_COUNT.c.path == path
    )
    evidence = fetch(
        session,
        SAMPLING_EVIDENCE,
        SamplingEntry,
        SAMPLING_EVIDENCE.c.folder == folder,
        SAMPLING_EVIDENCE.c.path == path,
    )
    return StoredFile(
        entry,
        tuple(sorted(counts, key=lambda c: (c.router, c.outcome))),
        parts_of_file(session, folder, path),
        tuple(sorted(evidence, key=lambda e: (e.exporter, e.source, e.factor))),
    )


def replace_file(
    session: Session,
    entry: FileEntry,
    counts: Iterable[OutcomeCount] = (),
    parts: Iterable[FilePart] = (),
    evidence: Iterable[SamplingEntry] = (),
    exporters: Iterable[ExporterCount] = (),
) -> tuple[FilePart, ...]:
    """Replaces everything that is known of one flow file.

    Returns the former parts whose part file no entry of this file names any longer: the caller may delete them once the
    transaction is committed.
    """
    parts = list(parts)
    former = forget_file(session, entry.folder, entry.path)
    store(session, FLOW_FILE, [entry])
    store(session, FLOW_FILE_COUNT, counts, folder=entry.folder, path=entry.path)
    store(session, FLOW_FILE_PART, parts, folder=entry.folder, path=entry.path)
    more = {"folder": entry.folder, "path": entry.path, "file_start_ms": entry.file_start_ms}
    store(session, SAMPLING_EVIDENCE, evidence, **more)
    store(session, EXPORTER_COUNT, exporters, folder=entry.folder, path=entry.path)
    named = {part.part for part in parts}
    return tuple(part for part in former if part.part not in named)


def forget_file(session: Session, folder: str, path: str) -> tuple[FilePart, ...]:
    """Removes one flow file from the ledger with its counts, parts and evidence; returns the parts it had."""
    lock(session, "flow_file", folder, path)
    former = parts_of_file(session, folder, path)
    remove(session, FLOW_FILE, folder=folder, path=path)
    return former


def files_of_folder(
    session: Session,
    folder: str,
    from_ms: int | None = None,
    to_ms: int | None = None,
    state: FileState | None = None,
) -> tuple[FileEntry, ...]:
    """The flow files of a folder that start in [from_ms, to_ms), by start and path; None leaves that end open.

    With `state`, only those in that state.
    """
    found = fetch(session, FLOW_FILE, FileEntry, *_started_in(folder, from_ms, to_ms), *_in_state(state))
    return tuple(sorted(found, key=lambda entry: (entry.file_start_ms, entry.path)))


def files_before(session: Session, folder: str, before_ms: int, state: FileState | None = None) -> int:
    """How many flow files of a folder start before a time, of all or in that state."""
    where = (*_started_in(folder, None, before_ms), *_in_state(state))
    return session.execute(select(func.count()).select_from(FLOW_FILE).where(*where)).scalar_one()


def newest_start_ms(session: Session, folder: str, before_ms: int) -> int | None:
    """The start of a folder's newest flow file of those that start before a time; None if there is none."""
    statement = select(func.max(FLOW_FILE.c.file_start_ms)).where(*_started_in(folder, None, before_ms))
    newest_ms: int | None = session.execute(statement).scalar_one()
    return newest_ms


def oldest_read_ms(session: Session, folder: str) -> int | None:
    """The start of the oldest of a folder's flow files that were read, there or not; None if there is none."""
    where = (*_started_in(folder, None, None), *_in_state("ingested"))
    oldest_ms: int | None = session.execute(select(func.min(FLOW_FILE.c.file_start_ms)).where(*where)).scalar_one()
    return oldest_ms


def _in_state(state: FileState | None) -> tuple[ColumnElement[bool], ...]:
    return () if state is None else (FLOW_FILE.c.state == state,)


def files_at(session: Session, folder: str, paths: Iterable[str]) -> tuple[FileEntry, ...]:
    """Those of a folder's flow files, by path."""
    return _files_with(session, folder, FLOW_FILE.c.path, paths)


def files_of_content(session: Session, folder: str, hashes: Iterable[str]) -> tuple[FileEntry, ...]:
    """The folder's flow files that have one of these contents (SHA-256), by path."""
    # naming all states makes it a look into the index of states and contents
    return _files_with(session, folder, FLOW_FILE.c.sha256, hashes, FLOW_FILE.c.state.in_(get_args(FileState)))


def copies_without_owner(session: Session, folder: str) -> tuple[FileEntry, ...]:
    """The folder's copies of contents that no file owns, by path."""
    mine, of = FLOW_FILE.c, FLOW_FILE.c.folder == folder
    owned = select(mine.sha256).where(of, mine.state != "duplicate")
    found = fetch(session, FLOW_FILE, FileEntry, of, mine.state == "duplicate", mine.sha256.not_in(owned))
    return tuple(sorted(found, key=lambda entry: entry.path))


def _files_with(
    session: Session, folder: str, column: ColumnElement[str], values: Iterable[str], *more: ColumnElement[bool]
) -> tuple[FileEntry, ...]:
    found: list[FileEntry] = []
    for some in _in_pieces(values):
        found += fetch(session, FLOW_FILE, FileEntry, FLOW_FILE.c.folder == folder, column.in_(some), *more)
    return tuple(sorted(found, key=lambda entry: entry.path))


def _in_pieces(values: Iterable[str]) -> Iterator[list[str]]:
    """Each value once, as many at a time as any database takes."""
    ordered = sorted(set(values))
    return (ordered[begin : begin + _VALUES_AT_ONCE] for begin in range(0, len(ordered), _VALUES_AT_ONCE))


def parts_of_file(session: Session, folder: str, path: str) -> tuple[FilePart, ...]:
    """The lake parts of one flow file, by router and day."""
    found = fetch_by(session, FLOW_FILE_PART, FilePart, folder=folder, path=path)
    return tuple(sorted(found, key=lambda part: (part.router, part.day)))


def part_names_of_files(session: Session, folder: str, paths: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Flow file and lake part of all that these of a folder's files hold, by both."""
    part = FLOW_FILE_PART.c
    found: list[tuple[str, str]] = []
    for some in _in_pieces(paths):
        statement = select(part.path, part.part).where(part.folder == folder, part.path.in_(some))
        found += [(path, name) for path, name in session.execute(statement)]
    return tuple(sorted(found))


# Made once: a statement that holds its values leaves them behind, in a cycle, until a collection.
_NAMED = select(FLOW_FILE_PART.c.part).where(FLOW_FILE_PART.c.part.in_(bindparam("names", expanding=True)))


def named_parts(session: Session, names: Iterable[str]) -> tuple[str, ...]:
    """Those of these lake parts that any file holds, by name."""
    found: set[str] = set()
    for some in _in_pieces(names):
        found.update(session.execute(_NAMED, {"names": some}).scalars())
    return tuple(sorted(found))


def parts_between(
    session: Session, router: str, file_start_from_ms: int, file_start_to_ms: int, folder: str | None = None
) -> tuple[LakePart, ...]:
    """A router's lake parts, of all days, from the files that start in [file_start_from_ms, file_start_to_ms).

    With `folder`, only of that folder's files: one that was renamed would count twice otherwise.
    """
    return _lake_parts(
        session,
        *_in(folder),
        FLOW_FILE_PART.c.router == router,
        FLOW_FILE.c.file_start_ms >= file_start_from_ms,
        FLOW_FILE.c.file_start_ms < file_start_to_ms,
    )


def parts_of_day(session: Session, router: str, day: date, folder: str | None = None) -> tuple[LakePart, ...]:
    """All lake parts of one router and day, from whatever file (of that folder, if it is given)."""
    return _lake_parts(session, *_in(folder), FLOW_FILE_PART.c.router == router, FLOW_FILE_PART.c.day == day)


def parts_by_day(session: Session, router: str, folder: str) -> dict[date, int]:
    """The days of which a folder's files hold parts of this router, in their order, and how many each has."""
    part = FLOW_FILE_PART.c
    statement = select(part.day, func.count()).where(part.router == router, part.folder == folder).group_by(part.day)
    return dict(sorted((day, count) for day, count in session.execute(statement)))


def parts_without_hash(session: Session, first: date | None = None) -> tuple[int, date | None]:
    """How many lake parts, of days from `first` on, are older than their hashes, and the newest day of these."""
    part = FLOW_FILE_PART.c
    statement = select(func.count(), func.max(part.day)).where(_WITHOUT_HASH)
    if first is not None:
        statement = statement.where(part.day >= first)
    count, newest = session.execute(statement).one()
    return count, newest


def counts_of_folder(session: Session, folder: str, from_ms: int, to_ms: int) -> tuple[OutcomeCount, ...]:
    """Records and bytes by router and outcome, summed over the folder's files that start in [from_ms, to_ms)."""
    columns = (FLOW_FILE_COUNT.c.router, FLOW_FILE_COUNT.c.outcome, FLOW_FILE_COUNT.c.records, FLOW_FILE_COUNT.c.bytes)
    statement = select(*columns).join(
        FLOW_FILE, (FLOW_FILE.c.folder == FLOW_FILE_COUNT.c.folder) & (FLOW_FILE.c.path == FLOW_FILE_COUNT.c.path)
    )
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for router, outcome, records, byte_count in session.execute(statement.where(*_started_in(folder, from_ms, to_ms))):
        before = sums.get((router, outcome), (0, 0))
        sums[router, outcome] = (before[0] + records, before[1] + byte_count)
    return tuple(OutcomeCount(*key, *sums[key]) for key in sorted(sums))


def counts_of_files(session: Session, folder: str, paths: Iterable[str]) -> dict[str, tuple[OutcomeCount, ...]]:
    """Records by router and outcome of each of these of a folder's flow files that has some, by router and outcome."""
    count = FLOW_FILE_COUNT.c
    found: dict[str, list[OutcomeCount]] = {}
    for some in _in_pieces(paths):
        statement = select(count.path, count.router, count.outcome, count.records, count.bytes)
        for path, *numbers in session.execute(statement.where(count.folder == folder, count.path.in_(some))):
            found.setdefault(path, []).append(OutcomeCount(*numbers))
    return {path: tuple(sorted(counts, key=lambda c: (c.router, c.outcome))) for path, counts in found.items()}


def folders(session: Session) -> tuple[str, ...]:
    """The folders that the ledger knows, in alphabetical order."""
    found = session.execute(least_of_each((FLOW_FILE.c.folder,), FLOW_FILE.c.path, true()))
    return tuple(sorted(folder for folder, _ in found))


def count_files(session: Session, folder: str) -> int:
    """The number of a folder's files in the ledger."""
    return session.execute(select(func.count()).select_from(FLOW_FILE).where(FLOW_FILE.c.folder == folder)).scalar_one()


def knows_folder(session: Session, folder: str) -> bool:
    """Whether the ledger has a file of it."""
    return session.execute(select(FLOW_FILE.c.path).where(FLOW_FILE.c.folder == folder).limit(1)).first() is not None


def move_folder(session: Session, old: str, new: str) -> None:
    """Renames a folder in the ledger; the parts of its files are unchanged."""
    entries = [replace(entry, folder=new) for entry in files_of_folder(session, old)]
    store(session, FLOW_FILE, entries)
    for each in (FLOW_FILE_COUNT, FLOW_FILE_PART, SAMPLING_EVIDENCE, EXPORTER_COUNT):
        session.execute(update(each).where(each.c.folder == old).values(folder=new))
    remove(session, FLOW_FILE, folder=old)


def read_contents(session: Session, folder: str | None = None) -> Iterator[ReadContent]:
    """The contents of all flow files that were read, in no order; with `folder`, of that one's.

    There may be millions: they come from the database as they are taken.
    """
    file = FLOW_FILE.c
    where = () if folder is None else (file.folder == folder,)
    statement = select(file.folder, file.sha256, file.ingest_hash).where(file.state == "ingested", *where)
    found = session.execute(statement, execution_options={"yield_per": _ROWS_AT_ONCE})
    return (ReadContent(*row) for row in found)


def _in(folder: str | None) -> tuple[ColumnElement[bool], ...]:
    return () if folder is None else (FLOW_FILE_PART.c.folder == folder,)


def factors_of_folder(session: Session, folder: str) -> tuple[FactorSeen, ...]:
    """Every sampling factor that records of the folder's files had, by exporter, and since when."""
    of = SAMPLING_EVIDENCE.c
    rows = session.execute(least_of_each((of.exporter, of.source, of.factor), of.file_start_ms, of.folder == folder))
    found = [FactorSeen(exporter, factor, source, first) for exporter, source, factor, first in rows]
    return tuple(sorted(found, key=lambda one: (one.exporter, one.factor, one.source)))


def _lake_parts(session: Session, *where: ColumnElement[bool]) -> tuple[LakePart, ...]:
    part = FLOW_FILE_PART.c
    statement = (
        select(
            part.folder,
            part.path,
            FLOW_FILE.c.file_start_ms,
            part.router,
            part.day,
            part.part,
            part.records,
            part.bytes,
            part.sha256,
        )
        .join(FLOW_FILE, (FLOW_FILE.c.folder == part.folder) & (FLOW_FILE.c.path == part.path))
        .where(*where)
    )
    found = [LakePart(*row) for row in session.execute(statement)]
    return tuple(sorted(found, key=lambda p: (p.file_start_ms, p.folder, p.path, p.day)))


def _started_in(folder: str, from_ms: int | None, to_ms: int | None) -> Sequence[ColumnElement[bool]]:
    where = [FLOW_FILE.c.folder == folder]
    if from_ms is not None:
        where.append(FLOW_FILE.c.file_start_ms >= from_ms)
    if to_ms is not None:
        where.append(FLOW_FILE.c.file_start_ms < to_ms)
    return where
