"""Why a change does not wait for a decision, and the way to one that does."""

from datetime import date

from hntes.format import minute
from hntes.sanitize import shown
from hntes.sql import changes
from hntes.sql.change import Change
from hntes.sql.proposals import superseding_day
from hntes.sql.session import Session


def not_waiting(session: Session, present: Change) -> str:
    """Why a change does not wait for a decision, and how to get one that does."""
    if present.state == "empty":
        return "it changes nothing, there is nothing to decide"
    if present.state == "superseded":
        return _superseded(session, present)
    if present.state == "expired":
        when = f" at {minute(present.expires_ms)} UTC" if present.expires_ms is not None else ""
        if present.is_scheduled:
            return f"its time is over{when}"
        return f"it expired{when}; {_anew(present)}"
    again = "; the night of the next day asks again" if present.state in ("rejected", "withdrawn") else ""
    if present.state == "rejected" and not present.is_scheduled:
        again += ", `hntes change reopen` takes the rejection back until then"
    return f"already {present.state} by {shown(present.decided_by or '')}{again}"


def _superseded(session: Session, present: Change) -> str:
    if present.is_scheduled:
        return "superseded; decide on the latest one of the router"
    others = changes.nightly_changes(session, present.router)
    by = superseding_day(session, present, others, date.max)
    if by is None:
        return f"superseded by one that has been decided or is over since; {_anew(present)}"
    return f"superseded by that of {by}; decide on that one, see `hntes change show --router {present.router}`"


def _anew(present: Change) -> str:
    return f"`hntes nightly --router {present.router} --day {present.day}` proposes it anew"
