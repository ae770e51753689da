"""Change sets: put by the nightly run, decided by a person. Works within the caller's transaction.

No time of deciding is kept here; that belongs to the audit trail. The caller derives `expires_ms` from the day, not
from the clock, so that a repeated run puts the same row.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from sqlalchemy.orm import Session

from sql import verdicts
from sql.entries import ChangeSetEntry, InForceEntry
from sql.errors import InvalidEntryError, UnknownEntryError
from sql.models import ChangeSet, InForce
from sql.rows import fetch, lock, remove, store

Outcome = Literal["decided", "already_decided", "stale_hash", "expired", "gate"]


@dataclass(frozen=True)
class Decision:
    """What became of a decision: `change_set` as it stands now, `explanation` for the person who decided."""

    outcome: Outcome
    change_set: ChangeSetEntry
    explanation: str


def put(session: Session, proposed: ChangeSetEntry) -> ChangeSetEntry:
    """Proposes a change set ("pending", or "empty"); returns the one that then stands for its router and day.

    - An approved one is left untouched, whatever is proposed: later days are built upon it. What differs comes with the
      next day's change set.
    - One of the same candidate and base that is rejected, superseded or expired is left untouched: the repeated run has
      nothing to add. Any other one of the same day is replaced.
    - Pending ones of the router's earlier days become superseded. If there is one of a later day, a
      pending proposal is written as superseded: nobody may approve what is older than the latest proposal.

    Raises:
        InvalidEntryError: the state is neither "pending" nor "empty".
    """
    if proposed.state not in ("pending", "empty"):
        raise InvalidEntryError(
            f"change set of {proposed.router} on {proposed.day}: cannot be put as {proposed.state!r}; put it as "
            "pending or empty, and decide it"
        )
    lock(session, "change_set", proposed.router)
    others = change_sets(session, proposed.router)
    present = next((c for c in others if c.day == proposed.day), None)
    if present is not None and _stands(present, proposed):
        return present
    if proposed.state == "pending" and any(c.day > proposed.day for c in others):
        proposed = replace(proposed, state="superseded")
    _write(session, proposed)
    for earlier in others:
        if earlier.day < proposed.day and earlier.state == "pending":
            _write(session, replace(earlier, state="superseded"))
    return proposed


def decide(
    session: Session,
    router: str,
    day: date,
    candidate_hash: str,
    state: Literal["approved", "rejected"],
    who: str,
    note: str | None,
    now_ms: int,
) -> Decision:
    """Approves or rejects exactly that candidate, if it is still pending at `now_ms`; approval puts it in force.

    An approval is stale, too, when something else than the change set's base is in force by now. It is refused ("gate")
    unless a passing verdict on every criterion of the gate is stored for that very candidate; nothing overrides that.

    Raises:
        InvalidEntryError: nobody is named.
        UnknownEntryError: the router has no change set on that day.
    """
    what = f"change set of {router} on {day}"
    if not who.strip():
        raise InvalidEntryError(f"{what}: a decision needs the name of who decides")
    lock(session, "change_set", router)
    present = change_set(session, router, day)
    if present is None:
        raise UnknownEntryError(f"{what}: there is none; list the change sets to see which days have one")
    refusal = _refusal(what, present, candidate_hash, now_ms)
    if refusal is None and state == "approved":
        refusal = _moved_base(what, present, in_force(session, router)) or _not_passed(session, what, present)
    if refusal is not None:
        if refusal.change_set != present:
            _write(session, refusal.change_set)
        return refusal
    decided = replace(present, state=state, decided_by=who, decision_note=note)
    _write(session, decided)
    if state == "approved":
        remove(session, InForce, InForce.router == router)
        store(session, InForce, [InForceEntry(router, candidate_hash, day)])
    return Decision("decided", decided, f"{what}: {state} by {who}")


def expire(session: Session, now_ms: int) -> tuple[ChangeSetEntry, ...]:
    """Marks the pending change sets of all routers whose time is over; returns them as they are now."""
    over = [c for c in pending(session) if c.expires_ms <= now_ms]
    expired = []
    for router in sorted({c.router for c in over}):
        lock(session, "change_set", router)
        # Read again: another process may have decided it while this one waited for the lock.
        for entry in change_sets(session, router):
            if entry.state == "pending" and entry.expires_ms <= now_ms:
                expired.append(replace(entry, state="expired"))
                _write(session, expired[-1])
    return tuple(expired)


def change_set(session: Session, router: str, day: date) -> ChangeSetEntry | None:
    """The change set of one router and day, None if there is none."""
    found = fetch(session, ChangeSet, ChangeSetEntry, ChangeSet.router == router, ChangeSet.day == day)
    return found[0] if found else None


def change_sets(session: Session, router: str | None = None) -> tuple[ChangeSetEntry, ...]:
    """All change sets of a router (None: of all), by router and day."""
    where = () if router is None else (ChangeSet.router == router,)
    return tuple(sorted(fetch(session, ChangeSet, ChangeSetEntry, *where), key=lambda c: (c.router, c.day)))


def pending(session: Session) -> tuple[ChangeSetEntry, ...]:
    """The change sets that wait for a decision, by router and day."""
    found = fetch(session, ChangeSet, ChangeSetEntry, ChangeSet.state == "pending")
    return tuple(sorted(found, key=lambda c: (c.router, c.day)))


def in_force(session: Session, router: str) -> InForceEntry | None:
    """What was last approved for a router, None if nothing ever was."""
    found = fetch(session, InForce, InForceEntry, InForce.router == router)
    return found[0] if found else None


def _stands(present: ChangeSetEntry, proposed: ChangeSetEntry) -> bool:
    if present.state in ("pending", "empty"):
        return False
    same = (present.candidate_hash, present.base_hash) == (proposed.candidate_hash, proposed.base_hash)
    return same or present.state == "approved"


def _refusal(what: str, present: ChangeSetEntry, candidate_hash: str, now_ms: int) -> Decision | None:
    if present.candidate_hash != candidate_hash:
        text = f"{what}: its candidate is {present.candidate_hash}, not {candidate_hash}; look at it again, then decide"
        return Decision("stale_hash", present, text)
    if present.state == "pending" and now_ms >= present.expires_ms:
        present = replace(present, state="expired")
    if present.state == "expired":
        return Decision("expired", present, f"{what}: its time is over; decide on the next night's")
    if present.state == "empty":
        return Decision("already_decided", present, f"{what}: it changes nothing, there is nothing to decide")
    if present.state == "superseded":
        return Decision("already_decided", present, f"{what}: superseded; decide on the latest one of the router")
    if present.state != "pending":
        return Decision("already_decided", present, f"{what}: already {present.state} by {present.decided_by}")
    return None


def _not_passed(session: Session, what: str, present: ChangeSetEntry) -> Decision | None:
    reasons = verdicts.objections(session, present.router, present.candidate_hash)
    if not reasons:
        return None
    text = "\n  ".join((f"{what}: the gate has not passed candidate {present.candidate_hash[:12]}:", *reasons))
    return Decision("gate", present, text)


def _moved_base(what: str, present: ChangeSetEntry, now_in_force: InForceEntry | None) -> Decision | None:
    base = now_in_force.candidate_hash if now_in_force else None
    if base == present.base_hash:
        return None
    made_against = present.base_hash or "nothing in force"
    text = (
        f"{what}: it was made against {made_against}, but {base or 'nothing'} is in force now; "
        "run the day again to get a change set against that"
    )
    return Decision("stale_hash", present, text)


def _write(session: Session, entry: ChangeSetEntry) -> None:
    remove(session, ChangeSet, ChangeSet.router == entry.router, ChangeSet.day == entry.day)
    store(session, ChangeSet, [entry])
