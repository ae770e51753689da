"""Start times of a flow folder's files, and the exporters in them. Works within the caller's transaction."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, or_, select

from hntes.sql.ledger import FLOW_FILE, SAMPLING_EVIDENCE
from hntes.sql.session import Session

HOUR_MS = 3_600_000


@dataclass(frozen=True)
class ExporterHour:
    """Records of one exporter in the files that start in one hour, counted from 1970 (UTC)."""

    exporter: str
    hour: int
    records: int


def file_starts_ms(session: Session, folder: str, from_ms: int, to_ms: int) -> tuple[int, ...]:
    """The moments in [from_ms, to_ms) at which files of a folder start, readable or not, in rising order."""
    chosen = select(FLOW_FILE.c.file_start_ms).where(*_started_in(folder, from_ms, to_ms)).distinct()
    return tuple(sorted(session.scalars(chosen)))


def hours_with_files(session: Session, folder: str, from_ms: int, to_ms: int) -> frozenset[int]:
    """The hours, counted from 1970, in which a file starts that was read; an empty file's copy counts as read."""
    empty_copy = and_(FLOW_FILE.c.state == "duplicate", FLOW_FILE.c.promised_records == 0)
    was_read = or_(FLOW_FILE.c.state == "ingested", empty_copy)
    chosen = (
        select(FLOW_FILE.c.file_start_ms // HOUR_MS).where(*_started_in(folder, from_ms, to_ms), was_read).distinct()
    )
    return frozenset(map(int, session.scalars(chosen)))


def exporter_hours(session: Session, folder: str, from_ms: int, to_ms: int) -> tuple[ExporterHour, ...]:
    """Records by exporter and hour, of the files that start in [from_ms, to_ms); hours without records are left out."""
    hour = (FLOW_FILE.c.file_start_ms // HOUR_MS).label("hour")
    chosen = (
        select(SAMPLING_EVIDENCE.c.exporter, hour, func.sum(SAMPLING_EVIDENCE.c.records))
        .join(
            FLOW_FILE,
            (FLOW_FILE.c.folder == SAMPLING_EVIDENCE.c.folder) & (FLOW_FILE.c.path == SAMPLING_EVIDENCE.c.path),
        )
        .where(*_started_in(folder, from_ms, to_ms))
        .group_by(SAMPLING_EVIDENCE.c.exporter, hour)
    )
    # PostgreSQL adds up 64-bit integers as numeric
    found = (ExporterHour(exporter, int(when), int(records)) for exporter, when, records in session.execute(chosen))
    return tuple(sorted(found, key=lambda entry: (entry.exporter, entry.hour)))


def _started_in(folder: str, from_ms: int, to_ms: int) -> tuple[ColumnElement[bool], ...]:
    return FLOW_FILE.c.folder == folder, FLOW_FILE.c.file_start_ms >= from_ms, FLOW_FILE.c.file_start_ms < to_ms
