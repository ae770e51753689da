"""What a folder's files hold of each exporter, by the start of the file. Works within the caller's transaction."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select

from hntes.sql.ledger import EXPORTER_COUNT, FLOW_FILE, FLOW_FILE_COUNT, SAMPLING_EVIDENCE
from hntes.sql.session import Session

# The source of the factor of records that nothing says to be sampled.
UNSAMPLED = "assumed_unsampled"
# Outcomes that count export packets and not records begin so.
EXPORTS = "exports:"
# Those of records that no router claims, before the exporter's address.
_UNCLAIMED = "unclaimed:"


@dataclass(frozen=True)
class SlotCount:
    """Records that went one way, of one exporter ("" for all), in the files that start at one moment; bytes as stored.

    `router` is "" where none claimed them.
    """

    file_start_ms: int
    router: str
    exporter: str
    outcome: str
    records: int
    bytes: int


@dataclass(frozen=True)
class SampledRecords:
    """Kept records of one exporter: those whose sampling factor is known to be more than 1, and all others."""

    exporter: str
    sampled: int
    unsampled: int


def losses_by_slot(session: Session, folder: str, router: str, from_ms: int, to_ms: int) -> tuple[SlotCount, ...]:
    """Outcomes by exporter that may count against a router's day, of files that start in [from_ms, to_ms)."""
    of = EXPORTER_COUNT.c
    statement = (
        select(FLOW_FILE.c.file_start_ms, of.router, of.exporter, of.outcome, of.records, of.bytes)
        .join(FLOW_FILE, (FLOW_FILE.c.folder == of.folder) & (FLOW_FILE.c.path == of.path))
        .where(
            *_started_in(folder, from_ms, to_ms), of.router.in_((router, "")), ~of.outcome.startswith(EXPORTS)
        )
    )  # fmt: skip
    return _sorted(SlotCount(*row) for row in session.execute(statement))


def exports_by_slot(session: Session, folder: str, router: str, from_ms: int, to_ms: int) -> tuple[SlotCount, ...]:
    """Export packets (in `records`) of a router's exporters, in files in which their sequence numbers jumped."""
    of = EXPORTER_COUNT.c
    statement = (
        select(FLOW_FILE.c.file_start_ms, of.router, of.exporter, of.outcome, of.records, of.bytes)
        .join(FLOW_FILE, (FLOW_FILE.c.folder == of.folder) & (FLOW_FILE.c.path == of.path))
        .where(*_started_in(folder, from_ms, to_ms), of.router == router, of.outcome.startswith(EXPORTS))
    )
    return _sorted(SlotCount(*row) for row in session.execute(statement))


def kept_by_slot(session: Session, folder: str, router: str, from_ms: int, to_ms: int) -> tuple[SlotCount, ...]:
    """A router's kept records by slot, of all exporters together."""
    of = FLOW_FILE_COUNT.c
    statement = (
        select(FLOW_FILE.c.file_start_ms, of.records, of.bytes)
        .join(FLOW_FILE, (FLOW_FILE.c.folder == of.folder) & (FLOW_FILE.c.path == of.path))
        .where(*_started_in(folder, from_ms, to_ms), of.router == router, of.outcome == "kept")
    )
    return _sorted(SlotCount(start, router, "", "kept", *numbers) for start, *numbers in session.execute(statement))


def kept_of_exporters(
    session: Session, folder: str, router: str, exporters: Collection[str], from_ms: int, to_ms: int
) -> tuple[SlotCount, ...]:
    """Kept records of these exporters by slot; an exporter belongs to one router of its folder."""
    of = SAMPLING_EVIDENCE.c
    statement = (
        select(FLOW_FILE.c.file_start_ms, of.exporter, of.records, of.bytes)
        .join(FLOW_FILE, (FLOW_FILE.c.folder == of.folder) & (FLOW_FILE.c.path == of.path))
        .where(*_started_in(folder, from_ms, to_ms), of.exporter.in_(sorted(exporters)), of.records > 0)
    )
    found = session.execute(statement)
    return _sorted(SlotCount(start, router, exporter, "kept", *numbers) for start, exporter, *numbers in found)


def sampled_records(session: Session, folder: str, from_ms: int, to_ms: int) -> tuple[SampledRecords, ...]:
    """Sampled and unsampled records by exporter; a multiplied record of unknown factor counts as sampled."""
    of = SAMPLING_EVIDENCE.c
    statement = (
        select(of.exporter, of.source, of.factor, func.sum(of.records))
        .join(FLOW_FILE, (FLOW_FILE.c.folder == of.folder) & (FLOW_FILE.c.path == of.path))
        .where(*_started_in(folder, from_ms, to_ms))
        .group_by(of.exporter, of.source, of.factor)
    )
    sums: dict[str, list[int]] = {}
    for exporter, source, factor, records in session.execute(statement):
        is_unsampled = source == UNSAMPLED
        if is_unsampled or factor != 1:
            sums.setdefault(exporter, [0, 0])[is_unsampled] += int(records)
    return tuple(SampledRecords(exporter, *numbers) for exporter, numbers in sorted(sums.items()))


def unclaimed_exporters(session: Session, folder: str, from_ms: int, to_ms: int) -> tuple[tuple[str, int], ...]:
    """The exporters that no router claims, with their records in the folder's files that start in [from_ms, to_ms)."""
    of = FLOW_FILE_COUNT.c
    # not a join, for which SQLite may read the counts of all files
    files = select(FLOW_FILE.c.path).where(*_started_in(folder, from_ms, to_ms))
    statement = (
        select(of.outcome, func.sum(of.records))
        .where(of.folder == folder, of.path.in_(files), of.outcome.startswith(_UNCLAIMED, autoescape=True))
        .group_by(of.outcome)
    )
    found = session.execute(statement)
    return tuple(sorted((outcome.removeprefix(_UNCLAIMED), int(records)) for outcome, records in found))


def _sorted(found: Iterable[SlotCount]) -> tuple[SlotCount, ...]:
    return tuple(sorted(found, key=lambda one: (one.file_start_ms, one.router, one.exporter, one.outcome)))


def _started_in(folder: str, from_ms: int, to_ms: int) -> tuple[ColumnElement[bool], ...]:
    return FLOW_FILE.c.folder == folder, FLOW_FILE.c.file_start_ms >= from_ms, FLOW_FILE.c.file_start_ms < to_ms
