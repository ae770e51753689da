"""Holds until a day: events of the audit log. Works within the caller's transaction.

A hold stands for a candidate of a router, not for one day's change set: the next night that proposes the same text
against the same base brings nothing new, and is held as well. Any decision of the router ends it, and so does its day.
"""

from collections.abc import Sequence
from datetime import date

from sqlalchemy.orm import Session

from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.change_table import CHANGE_SET
from hntes.sql.entries import AuditEventEntry, AuditKind, ChangeSetEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.rows import check_free_text, fetch, lock

# What begins a hold, and what ends one.
HELD_BY: tuple[AuditKind, ...] = ("hold", "decide", "withdraw")
_UNTIL = "until "


def hold(
    session: Session, router: str, day: date, until: date, who: str, reason: str, today: date,
    identity: str | None = None,
) -> ChangeSetEntry:  # fmt: skip
    """Holds a change set that waits until a day, on which it is asked about again; returns it.

    `until` takes the place of an earlier hold's day; `today` ends the hold.

    Raises:
        InvalidEntryError: nobody is named, no reason is given, the day is past, or the change set does not wait.
        UnknownEntryError: the router has no change set on that day.
    """
    what = f"change set of {router} on {day}"
    if not who.strip() or not reason.strip():
        raise InvalidEntryError(f"{what}: a hold needs the name of who holds it, and a reason")
    check_free_text(what, who=who, reason=reason)
    if until < today:
        raise InvalidEntryError(f"{what}: {until} is past; hold it until a day to come, or until today to end a hold")
    lock(session, "change_set", router)
    found = fetch(session, CHANGE_SET, ChangeSetEntry, CHANGE_SET.c.router == router, CHANGE_SET.c.day == day)
    if not found:
        raise UnknownEntryError(f"{what}: there is none; list the change sets to see which days have one")
    (present,) = found
    if present.state != "pending":
        raise InvalidEntryError(f"{what}: it is {present.state}; only one that waits for a decision can be held")
    detail = f"{_UNTIL}{until.isoformat()}"
    audit.append(
        session, NewEvent("hold", router, day, present.candidate_hash, None, detail, who, reason, identity)
    )  # fmt: skip
    return present


def hold_of(events: Sequence[AuditEventEntry], entry: ChangeSetEntry, today: date) -> AuditEventEntry | None:
    """The hold on a change set that waits, None if it is not held on that day. `events`: the router's of `HELD_BY`."""
    about = (event for event in reversed(events) if event.router == entry.router and event.kind in HELD_BY)
    newest = next(about, None)
    if entry.state != "pending" or newest is None or newest.kind != "hold":
        return None
    return newest if newest.candidate_hash == entry.candidate_hash and day_of(newest) > today else None


def day_of(held: AuditEventEntry) -> date:
    """The day on which a held change set is asked about again."""
    return date.fromisoformat(held.detail.removeprefix(_UNTIL))
