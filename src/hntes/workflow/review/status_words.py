"""Display text of the progress of a change and its decision."""

from hntes.format import at, minute
from hntes.sanitize import shown
from hntes.sql.entries import AuditEventEntry
from hntes.workflow.review.changes import ChangeStatus, ListedChange


def standing_words(status: ChangeStatus) -> str:
    """The progress of a change; for an approved one also the missing step."""
    missing = {"approved": ", not delivered", "delivered": ", not confirmed by the router"}
    return f"{status.standing}{'' if status.change.is_scheduled else missing.get(status.standing, '')}"


def decided_words(status: ChangeStatus) -> str:
    """The decision, its author and time, per the audit log; "" if it is not decided."""
    if first := status.first_approval:
        return f"approved by {person(first)}, waits for a second person"
    if (event := status.decision) is None:
        return ""
    note = f": {shown(event.note)}" if event.note else ""
    return f"{event.outcome} by {person(event)}{note}"


def held_words(listed: ListedChange) -> str:
    """The hold on a pending change: until when, by whom and why; "" if it is not held."""
    if listed.hold is None:
        return ""
    event = listed.hold.event
    return f"held until {listed.hold.until_day} by {person(event)}: {shown(event.note or '')}"


def progress(listed: ListedChange) -> str:
    """Progress and decision of a change; while it is pending also its hold and expiry."""
    expires_ms = listed.change.expires_ms
    expiry = f"expires {minute(expires_ms)} UTC" if listed.change.state == "pending" and expires_ms is not None else ""
    is_on_its_way = listed.standing in ("approved", "delivered")
    standing = standing_words(listed) if is_on_its_way else ""
    return "; ".join(filter(None, (standing, decided_words(listed), held_words(listed), expiry)))


def person(event: AuditEventEntry) -> str:
    """The author and time of an event, with the authenticated identity next to the given name."""
    return f"{shown(event.who or 'nobody')} ({event.identity}) {at(event.time_ms)}"
