"""Change sets: put by the nightly run, decided by a person. Works within the caller's transaction.

No time of deciding is kept here; that is in the audit log, to which each function appends what it changed. The caller
derives `expires_ms` from the day, not from the clock, so that a repeated run puts the same row.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hntes import clock
from hntes.identity import is_same_person, process_identity
from hntes.sanitize import shown
from hntes.sql import acknowledgements, audit, judgements, verdicts
from hntes.sql.audit import NewEvent
from hntes.sql.change_table import CHANGE_SET, IN_FORCE
from hntes.sql.entries import AuditEventEntry, AuditKind, ChangeSetEntry, InForceEntry, JudgementEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.rows import check_free_text, fetch_by, lock, remove, store

Outcome = Literal[
    "decided", "waits_for_second", "already_decided", "stale_hash", "expired", "gate", "held", "same_person"
]
# How the log calls the first of two approvals.
FIRST_APPROVAL = "approved, waits for a second"


@dataclass(frozen=True)
class Decision:
    """What became of a decision: `change_set` as it stands now, `explanation` for the person who decided."""

    outcome: Outcome
    change_set: ChangeSetEntry
    explanation: str


def put(session: Session, proposed: ChangeSetEntry, last_day: date | None = None) -> ChangeSetEntry:
    """Proposes a change set ("pending", or "empty"); returns the one that then stands for its router and day.

    - An approved one is left untouched, whatever is proposed: later days are built upon it. What differs comes with the
      next day's change set.
    - One of the same candidate and base that is rejected, withdrawn or expired is left untouched: the repeated run has
      nothing to add. Any other one of the same day is replaced.
    - Pending ones of the router's earlier days become superseded. If there is one of a later day, not withdrawn and not
      after `last_day` (the last that may be run; None: the present day), a pending proposal is written as superseded:
      nobody may approve what is older than the latest proposal.

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
    last_day = last_day or clock.today()
    if proposed.state == "pending" and any(_supersedes(c, proposed, last_day) for c in others):
        proposed = replace(proposed, state="superseded")
    earlier = [c for c in others if c.day < proposed.day <= last_day and c.state == "pending"]
    for entry in (proposed, *(replace(each, state="superseded") for each in earlier)):
        _write(session, entry)
    _clear_older_judgements(session, proposed, present)
    if proposed != present:
        audit.append(session, _event("propose", proposed, proposed.state, note=proposed.summary))
    for each in earlier:
        audit.append(session, _event("supersede", each, f"by that of {proposed.day}"))
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
    *,
    identity: str | None = None,
    approvals: int = 1,
    new_pairs_limit: int | None = None,
    holds: JudgementEntry | None = None,
) -> Decision:
    """Approves or rejects exactly that candidate, if it is still pending at `now_ms`; approval puts it in force.

    An approval is stale, too, when something else than the change set's base is in force by now. It is refused ("gate")
    unless a passing verdict on every criterion of the gate is stored for that very candidate, by the very judgement
    that `holds` now; nothing overrides that.

    `identity` is whom the caller has authenticated (None: the process' user); `who` is what was said. With two
    `approvals` the first only enters the log ("waits_for_second"), and an identity of another name must give the
    second. With more new pairs than `new_pairs_limit` it is refused ("held") until their number was acknowledged.

    Raises:
        InvalidEntryError: nobody is named, or an approval does not say which judgement holds.
        UnknownEntryError: the router has no change set on that day.
    """
    what = f"change set of {router} on {day}"
    if not who.strip():
        raise InvalidEntryError(f"{what}: a decision needs the name of who decides")
    check_free_text(what, who=who, note=note)
    if state == "approved" and holds is None:
        raise InvalidEntryError(f"{what}: an approval needs the judgement that holds now")
    lock(session, "change_set", router)
    present = _present(session, router, day)
    refusal = _refusal(what, present, candidate_hash, now_ms)
    if refusal is None and state == "approved":
        refusal = (
            _moved_base(what, present, in_force(session, router))
            or _not_passed(session, what, present, holds)
            or _held(session, what, present, new_pairs_limit)
        )
    if refusal is not None:
        if refusal.change_set != present:
            _write(session, refusal.change_set)
            audit.append(session, _event("expire", refusal.change_set))
        return refusal
    by = {"who": who, "note": note, "identity": identity or process_identity()}
    if state == "approved" and approvals > 1:
        waiting = _first_of_two(session, what, present, by)
        if waiting is not None:
            return waiting
    decided = replace(present, state=state, decided_by=who, decision_note=note)
    _write(session, decided)
    if state == "approved":
        remove(session, IN_FORCE, IN_FORCE.c.router == router)
        store(session, IN_FORCE, [InForceEntry(router, candidate_hash, day)])
    event = _event("decide", decided, state, **by)
    audit.append(session, replace(event, judgement_id=holds.judgement_id if holds is not None else None))
    return Decision("decided", decided, f"{what}: {state} by {who}")


def withdraw(session: Session, router: str, day: date, who: str, reason: str) -> Decision:
    """Takes a pending change set back: it can no longer be approved, and no earlier one is superseded by it.

    Raises:
        InvalidEntryError: nobody is named, or no reason is given.
        UnknownEntryError: the router has no change set on that day.
    """
    what = f"change set of {router} on {day}"
    if not who.strip() or not reason.strip():
        raise InvalidEntryError(f"{what}: a withdrawal needs the name of who withdraws it, and a reason")
    check_free_text(what, who=who, reason=reason)
    lock(session, "change_set", router)
    present = _present(session, router, day)
    if present.state != "pending":
        text = f"{what}: it is {present.state}; only one that waits for a decision can be taken back"
        return Decision("already_decided", present, text)
    withdrawn = replace(present, state="withdrawn", decided_by=who, decision_note=reason)
    _write(session, withdrawn)
    audit.append(session, _event("withdraw", withdrawn, who=who, note=reason))
    return Decision("decided", withdrawn, f"{what}: withdrawn by {who}")


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
    for entry in expired:
        audit.append(session, _event("expire", entry))
    return tuple(expired)


def change_set(session: Session, router: str, day: date) -> ChangeSetEntry | None:
    """The change set of one router and day, None if there is none."""
    found = fetch_by(session, CHANGE_SET, ChangeSetEntry, router=router, day=day)
    return found[0] if found else None


def change_sets(session: Session, router: str | None = None) -> tuple[ChangeSetEntry, ...]:
    """All change sets of a router (None: of all), by router and day."""
    if router is None:
        found = fetch_by(session, CHANGE_SET, ChangeSetEntry)
    else:
        found = fetch_by(session, CHANGE_SET, ChangeSetEntry, router=router)
    return tuple(sorted(found, key=lambda c: (c.router, c.day)))


def decided_before(session: Session, router: str, day: date) -> ChangeSetEntry | None:
    """The router's last change set of an earlier day that was approved or rejected, None if there is none."""
    of = CHANGE_SET.c
    last = select(func.max(of.day)).where(of.router == router, of.day < day, of.state.in_(("approved", "rejected")))
    found = session.connection().execute(last).scalar_one()
    return change_set(session, router, found) if found is not None else None


def pending(session: Session) -> tuple[ChangeSetEntry, ...]:
    """The change sets that wait for a decision, by router and day."""
    found = fetch_by(session, CHANGE_SET, ChangeSetEntry, state="pending")
    return tuple(sorted(found, key=lambda c: (c.router, c.day)))


def in_force(session: Session, router: str) -> InForceEntry | None:
    """What was last approved for a router, None if nothing ever was."""
    found = fetch_by(session, IN_FORCE, InForceEntry, router=router)
    return found[0] if found else None


def _first_of_two(session: Session, what: str, present: ChangeSetEntry, by: dict[str, str | None]) -> Decision | None:
    """What becomes of an approval that needs a second person; None if this is the second."""
    first = first_approval(session, present)
    if first is None:
        judged_as = _judgement_id(session, present)
        audit.append(session, replace(_event("decide", present, FIRST_APPROVAL, **by), judgement_id=judged_as))
        return Decision("waits_for_second", present, f"{what}: approved by {by['who']}, waits for a second person")
    if is_same_person(first.identity, by["identity"] or ""):
        text = f"{what}: {first.identity} has approved it already; another person must give the second approval"
        return Decision("same_person", present, text)
    return None


def first_approval(session: Session, present: ChangeSetEntry) -> AuditEventEntry | None:
    """The first of two approvals of a change set that waits for the second, None if nobody has given it.

    One that was given before the change set was proposed anew, with another candidate or base, or before it was judged
    anew, under other limits or loads, does not count.
    """
    if present.state != "pending":
        return None
    newest = audit.newest_about(session, present.router, present.day, ("propose", "decide"))
    if newest is None or newest.detail != FIRST_APPROVAL or newest.candidate_hash != present.candidate_hash:
        return None
    return newest if newest.judgement_id == _judgement_id(session, present) else None


def _judgement_id(session: Session, present: ChangeSetEntry) -> str | None:
    stored = judgements.judgement_of(session, present.router, present.candidate_hash)
    return stored.judgement_id if stored is not None else None


def _event(
    kind: AuditKind, entry: ChangeSetEntry, detail: str = "", *, who: str | None = None, note: str | None = None,
    identity: str | None = None,
) -> NewEvent:  # fmt: skip
    return NewEvent(kind, entry.router, entry.day, entry.candidate_hash, None, detail, who, note, identity)


def _present(session: Session, router: str, day: date) -> ChangeSetEntry:
    present = change_set(session, router, day)
    if present is None:
        text = f"change set of {router} on {day}: there is none; list the change sets to see which days have one"
        raise UnknownEntryError(text)
    return present


def _supersedes(other: ChangeSetEntry, proposed: ChangeSetEntry, last_day: date) -> bool:
    return proposed.day < other.day <= last_day and other.state != "withdrawn"


def _clear_older_judgements(session: Session, proposed: ChangeSetEntry, replaced: ChangeSetEntry | None) -> None:
    """A candidate proposed anew is judged anew, and one that no change set names any more is forgotten."""
    judged = judgements.judgement_of(session, proposed.router, proposed.candidate_hash)
    if proposed.state == "pending" and judged is not None and judged.day != proposed.day:
        judgements.clear(session, proposed.router, proposed.candidate_hash)
    named = {each.candidate_hash for each in change_sets(session, proposed.router)}
    if replaced is not None and replaced.candidate_hash not in named:
        judgements.clear(session, proposed.router, replaced.candidate_hash)


def _stands(present: ChangeSetEntry, proposed: ChangeSetEntry) -> bool:
    if present.state in ("pending", "empty", "superseded"):
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
        return Decision(
            "already_decided", present, f"{what}: already {present.state} by {shown(present.decided_by or '')}"
        )
    return None


def _not_passed(session: Session, what: str, present: ChangeSetEntry, holds: JudgementEntry | None) -> Decision | None:
    reasons = verdicts.objections(session, present.router, present.candidate_hash, holds)
    if not reasons:
        return None
    text = "\n  ".join((f"{what}: the gate has not passed candidate {present.candidate_hash[:12]}:", *reasons))
    return Decision("gate", present, text)


def _held(session: Session, what: str, present: ChangeSetEntry, new_pairs_limit: int | None) -> Decision | None:
    if new_pairs_limit is None:
        return None
    reason = acknowledgements.hold_reason(session, present, new_pairs_limit)
    return Decision("held", present, f"{what}: {reason}") if reason else None


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
    remove(session, CHANGE_SET, CHANGE_SET.c.router == entry.router, CHANGE_SET.c.day == entry.day)
    store(session, CHANGE_SET, [entry])
