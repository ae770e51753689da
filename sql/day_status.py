"""The status of a router's days: completeness of their flow data, and losses. Works within the caller's transaction."""

from collections.abc import Iterable
from datetime import date

from sqlalchemy import func, select, tuple_

from hntes.sql.entries import DayEntry, DayLoss
from hntes.sql.rows import capped, fetch, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table

DAY_STATUS = table(
    "day_status", DayEntry, key=("router", "day"), grain="One row per router and day: how well flow files cover it."
)
DAY_LOSS = table(
    "day_loss", DayLoss, key=("router", "day", "exporter", "cause"),
    grain="One row per router, day, exporter and cause: records that are no evidence of what the exporter sent.",
)  # fmt: skip
_COUNTERS = ("records", "bytes", "whole_records", "whole_bytes")


def replace_day_status(session: Session, entry: DayEntry, losses: Iterable[DayLoss] = ()) -> None:
    """Replaces the status of the router's day, and its losses."""
    lock(session, "day_status", entry.router, entry.day.isoformat())
    remove(session, DAY_STATUS, router=entry.router, day=entry.day)
    store(session, DAY_STATUS, [entry])
    remove(session, DAY_LOSS, router=entry.router, day=entry.day)
    store(session, DAY_LOSS, [capped(loss, _COUNTERS) for loss in losses])


def day_losses(session: Session, router: str, until_day: date, from_day: date | None = None) -> tuple[DayLoss, ...]:
    """The losses of a router's days from `from_day` (None: from the first) through `until_day`."""
    found = fetch_by(session, DAY_LOSS, DayLoss, days=(from_day or date.min, until_day), router=router)
    return tuple(sorted(found, key=lambda loss: (loss.day, loss.exporter, loss.cause)))


def day_status(session: Session, router: str, day: date) -> DayEntry | None:
    """The status of one router's day, None if it was never settled: such a day is not complete."""
    found = fetch_by(session, DAY_STATUS, DayEntry, router=router, day=day)
    return found[0] if found else None


def day_statuses(session: Session, router: str, until_day: date, from_day: date | None = None) -> tuple[DayEntry, ...]:
    """The known statuses of a router's days from `from_day` (None: from the first) through `until_day`, by day."""
    found = fetch_by(session, DAY_STATUS, DayEntry, days=(from_day or date.min, until_day), router=router)
    return tuple(sorted(found, key=lambda entry: entry.day))


def newest_days(session: Session) -> dict[str, DayEntry]:
    """The newest day that was settled, by router."""
    of = DAY_STATUS.c
    last = select(of.router, func.max(of.day)).group_by(of.router)
    found = fetch(session, DAY_STATUS, DayEntry, tuple_(of.router, of.day).in_(last))
    return {entry.router: entry for entry in found}


def newest_day(session: Session, router: str) -> date | None:
    """The newest day of a router that was settled."""
    of = DAY_STATUS.c
    found: date | None = session.execute(select(func.max(of.day)).where(of.router == router)).scalar_one()
    return found


def newest_days_with_records(session: Session) -> dict[str, date]:
    """The newest settled day of which flow records are known, by router."""
    of = DAY_STATUS.c
    found = session.execute(select(of.router, func.max(of.day)).where(of.records > 0).group_by(of.router))
    return {row.router: row[1] for row in found}
