"""Decisions put off or taken back: hold, reopen. Works within the caller's transaction.

Each function appends what it changed to the audit log.
"""

from dataclasses import replace
from datetime import date

from hntes.sql import audit, changes, decisions, holds
from hntes.sql.change import Change
from hntes.sql.errors import InvalidEntryError
from hntes.sql.proposals import about
from hntes.sql.rows import check_free_text
from hntes.sql.seen import Seen, require_seen
from hntes.sql.session import Session


def hold(
    session: Session, router: str, day: date, until: date, by: decisions.Person, today: date, *,
    seen: Seen | None = None,
) -> Change:  # fmt: skip
    """Holds a nightly change that waits until a day, on which it is asked about again; returns it.

    `until` takes the place of an earlier hold's day; `today` ends the hold.

    Raises:
        AnotherCandidateError: it is not what the caller saw.
        InvalidEntryError: no name is given, no reason is given, the day is past, or the change does not wait.
        UnknownEntryError: the router has no change on that day.
    """
    what = f"change of {router} on {day}"
    if not by.who.strip() or not (by.note or "").strip():
        raise InvalidEntryError(f"{what}: a hold needs the name of who holds it, and a reason")
    check_free_text(what, who=by.who, reason=by.note)
    if until < today:
        raise InvalidEntryError(f"{what}: {until} is past; hold it until a day to come, or until today to end a hold")
    present = decisions.present_nightly(session, router, day)
    require_seen(present, seen)
    if present.state != "pending":
        raise InvalidEntryError(f"{what}: it is {present.state}; only one that waits for a decision can be held")
    event = about(present, "hold", "held" if until > today else "released", detail=f"until {until}", note=by.note)
    written = audit.append(session, replace(event, who=by.who, identity=by.identity))
    holds.put(session, present, until, written)
    return present


def reopen(
    session: Session, router: str, day: date, by: decisions.Person, now_ms: int, today: date, *,
    seen: Seen | None = None,
) -> Change:  # fmt: skip
    """Takes back a rejection, or ends a hold; returns the nightly change, which waits again.

    A rejection is taken back until the night of a later day proposes something, and while the change's time lasts. Its
    approval then needs all that it needed at first: an earlier first approval no longer counts. Pending changes of
    earlier days become superseded, as when it was proposed.

    Raises:
        AnotherCandidateError: it is not what the caller saw.
        InvalidEntryError: no name is given, no reason is given, or there is nothing to be taken back any more.
        UnknownEntryError: the router has no change on that day.
    """
    present = decisions.present_nightly(session, router, day)
    require_seen(present, seen)
    what = decisions.named(present)
    if not by.who.strip() or not (by.note or "").strip():
        raise InvalidEntryError(f"{what}: to take back a decision needs the name of who does so, and a reason")
    check_free_text(what, who=by.who, reason=by.note)
    if holds.hold_of(session, present, today) is not None:
        holds.end(session, router)
        event = about(present, "hold", "released", detail=f"until {today}", note=by.note)
        audit.append(session, replace(event, who=by.who, identity=by.identity))
        return present
    if problem := not_reopened(session, present, now_ms):
        raise InvalidEntryError(f"{what}: {problem}")
    reopened = replace(present, state="pending", decided_by=None, decision_note=None, first_approval=None)
    changes.write(session, reopened)
    decisions.log(session, reopened, "reopen", "pending", by)
    for each in changes.nightly_changes(session, router):
        if each.state == "pending" and each.day < day:
            changes.write(session, replace(each, state="superseded"))
            audit.append(session, about(each, "supersede", "superseded", detail=f"by that of {day}"))
    return reopened


def not_reopened(session: Session, present: Change, now_ms: int) -> str | None:
    """Why a decision on a nightly change cannot be taken back; None if it can."""
    if present.state != "rejected" or present.is_scheduled:
        return f"it is {present.state}; only a rejection, or a hold, can be taken back"
    later = max((each.day for each in changes.nightly_changes(session, present.router)), default=present.day)
    if later > present.day:
        return f"the night of {later} has proposed another change since; decide on that one"
    if present.is_over(now_ms):
        return f"its time is over; `hntes nightly --router {present.router} --day {present.day}` proposes it again"
    return None
