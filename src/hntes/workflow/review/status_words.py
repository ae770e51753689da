"""The progress of a change and its decision, in words."""

from hntes.format import at, minute
from hntes.sanitize import shown
from hntes.sql.entries import AuditEventEntry
from hntes.workflow.review.changes import ChangeStatus, ListedChange


def standing_words(status: ChangeStatus) -> str:
    """How far a change has come; of an approved one also what is still missing."""
    missing = {"approved": ", not delivered", "delivered": ", not confirmed by the router"}
    return f"{status.standing}{'' if status.change.is_scheduled else missing.get(status.standing, '')}"


def decided_words(status: ChangeStatus) -> str:
    """Who decided and when, by the audit log; "" where nobody has."""
    if first := status.first_approval:
        return f"approved by {person(first)}, waits for a second person"
    if (event := status.decision) is None:
        return ""
    note = f": {shown(event.note)}" if event.note else ""
    return f"{event.outcome} by {person(event)}{note}"


def held_words(listed: ListedChange) -> str:
    """Until when a change that waits is held, by whom and why; "" where it is not."""
    if listed.hold is None:
        return ""
    event = listed.hold.event
    return f"held until {listed.hold.until_day} by {person(event)}: {shown(event.note or '')}"


def progress(listed: ListedChange) -> str:
    """Who decided, and when; until when it can be decided or is held, while it waits."""
    expires_ms = listed.change.expires_ms
    expiry = f"expires {minute(expires_ms)} UTC" if listed.change.state == "pending" and expires_ms is not None else ""
    is_on_its_way = listed.standing in ("approved", "delivered")
    standing = standing_words(listed) if is_on_its_way else ""
    return "; ".join(filter(None, (standing, decided_words(listed), held_words(listed), expiry)))


def person(event: AuditEventEntry) -> str:
    """By whom and when, with the identity beside the name that was said."""
    return f"{shown(event.who or 'nobody')} ({event.identity}) {at(event.time_ms)}"
