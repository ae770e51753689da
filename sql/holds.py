"""Holds until a day. Works within the caller's transaction.

A hold stands for a candidate of a router, not for one day's change: the next night that proposes the same text against
the same base brings nothing new, and is held as well. Any decision on a nightly change of the router ends it, and so
does its day.
"""

from dataclasses import dataclass
from datetime import date

from hntes.sql import audit
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry
from hntes.sql.rows import fetch_by, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class _HoldEntry:
    """`event` is that of the audit log which says who holds it, and why."""

    router: str
    candidate_hash: str
    until_day: date
    event: int


CHANGE_HOLD = table(
    "change_hold", _HoldEntry, key=("router",),
    grain="One row per router whose change is held until a day: the candidate.",
)  # fmt: skip


@dataclass(frozen=True)
class Hold:
    """The end of a hold, and the event that says by whom and why."""

    until_day: date
    event: AuditEventEntry


def put(session: Session, entry: Change, until_day: date, event: AuditEventEntry) -> None:
    """Holds a change's candidate, replacing an earlier hold of the router."""
    end(session, entry.router)
    store(session, CHANGE_HOLD, [_HoldEntry(entry.router, entry.candidate_hash, until_day, event.number)])


def end(session: Session, router: str) -> None:
    """Ends a router's hold, if there is one."""
    remove(session, CHANGE_HOLD, router=router)


def hold_of(session: Session, entry: Change, today: date) -> Hold | None:
    """The hold on a nightly change that waits, None if it is not held on that day."""
    if entry.state != "pending" or entry.is_scheduled:
        return None
    found = fetch_by(session, CHANGE_HOLD, _HoldEntry, router=entry.router, candidate_hash=entry.candidate_hash)
    if not found or found[0].until_day <= today:
        return None
    event = audit.event(session, found[0].event)
    return Hold(found[0].until_day, event) if event is not None else None
