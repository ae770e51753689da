"""Decisions on changes: approve, reject, withdraw, acknowledge. Works within the caller's transaction.

Each function appends what it changed to the audit log.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from hntes.format import counted, rfc3339
from hntes.identity import is_same_person, person_behind, process_identity
from hntes.sql import audit, changes, holds, judgements, verdicts
from hntes.sql.change import Change, InForceEntry, hold_text
from hntes.sql.entries import AuditEventEntry, AuditKind, JudgementEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.not_waiting import not_waiting
from hntes.sql.proposals import about
from hntes.sql.rows import check_free_text
from hntes.sql.seen import ANY_BASE, Seen, require_seen
from hntes.sql.session import Session

Verdict = Literal["approved", "rejected"]
Outcome = Literal[
    "decided",
    "pending_second_approval",
    "already_decided",
    "stale_hash",
    "expired",
    "gate",
    "held",
    "same_person",
    "base",
    "quota",
]
FIRST_APPROVAL = "first_approval"


@dataclass(frozen=True)
class Person:
    """Who decides: `who` is what was said, `identity` whom the caller has authenticated (None: the process' user)."""

    who: str
    note: str | None = None
    identity: str | None = None

    @property
    def known_identity(self) -> str:
        return self.identity or process_identity()

    @property
    def person_identity(self) -> str:
        """The identity that counts where two people must decide."""
        return person_behind(self.known_identity, self.who)


@dataclass(frozen=True)
class Request:
    """The requested decision: on exactly this candidate of a change, and of a scheduled one exactly this end.

    `base_hash` is what the caller saw it replace, None for a first configuration; ANY_BASE if that was not said.
    """

    change_id: str
    candidate_hash: str
    verdict: Verdict
    until_s: int | None = None
    base_hash: str | None = ANY_BASE

    @classmethod
    def on(cls, seen: Change, verdict: Verdict) -> "Request":
        """On a change as a person has seen it."""
        return cls(seen.change_id, seen.candidate_hash, verdict, seen.until_s)


@dataclass(frozen=True)
class Needs:
    """Requirements of an approval besides the gate: number of approvers, acknowledgement of new pairs above a limit."""

    approvals: int = 1
    new_pairs_limit: int | None = None


@dataclass(frozen=True)
class Decision:
    """The result of a decision: `change` as it is now, `explanation` for the operator."""

    outcome: Outcome
    change: Change
    explanation: str

    @property
    def is_taken(self) -> bool:
        """Whether it counts, if only as the first of two approvals."""
        return self.outcome in ("decided", "pending_second_approval")


def decide(
    session: Session, request: Request, by: Person, now_ms: int, *, needs: Needs | None = None,
    holds_now: JudgementEntry | None = None,
) -> Decision:  # fmt: skip
    """Approves or rejects exactly that candidate, if it still waits at `now_ms`; the first decision counts.

    An approval is stale, too, when the base of a nightly change is no longer what is in force; that of a scheduled one
    must be approved. It is refused ("gate") unless a passing verdict on every criterion is stored for that very
    candidate, by the very judgement that `holds_now`; nothing overrides that. The text of an approved base needs none.
    With two approvals the first only waits ("pending_second_approval"), and another identity must give the second.
    With more new pairs than the limit it is refused ("held") until their number was acknowledged.

    The approval of a nightly change puts its candidate in force.

    Raises:
        InvalidEntryError: no name is given, or an approval does not say which judgement holds.
        UnknownEntryError: there is no such change.
    """
    needs = needs or Needs()
    _require_person(f"change {request.change_id}", by)
    present = _present(session, request.change_id)
    what = named(present)
    is_approval = request.verdict == "approved"
    if is_approval and holds_now is None and not _is_text_of_scheduled_base(present):
        raise InvalidEntryError(f"{what}: an approval needs the judgement that holds now")
    refusal = _refusal(session, what, present, request, now_ms)
    if refusal is None and is_approval:
        refusal = _not_approvable(session, what, present, holds_now, needs)
    if refusal is not None:
        if refusal.change != present:
            changes.write(session, refusal.change)
            audit.append(session, about(refusal.change, "expire", "expired"))
        return refusal
    if is_approval and needs.approvals > 1:
        waiting = _first_of_two(session, what, present, by)
        if waiting is not None:
            return waiting
    decided = replace(present, state=request.verdict, decided_by=by.who, decision_note=by.note)
    changes.write(session, decided)
    if is_approval and not decided.is_scheduled:
        changes.put_in_force(session, decided)
    if not decided.is_scheduled:
        holds.end(session, decided.router)
    log(session, decided, "decide", request.verdict, by, holds_now.judgement_id if holds_now else None)
    return Decision("decided", decided, f"{what}: {request.verdict} by {by.who}")


def withdraw(session: Session, router: str, day: date, by: Person) -> Decision:
    """Withdraws a pending nightly change: it can no longer be approved, and supersedes no earlier one.

    Raises:
        InvalidEntryError: no name is given, or no reason is given.
        UnknownEntryError: the router has no change on that day.
    """
    present = present_nightly(session, router, day)
    what = named(present)
    if not by.who.strip() or not (by.note or "").strip():
        raise InvalidEntryError(f"{what}: a withdrawal needs the name of who withdraws it, and a reason")
    check_free_text(what, who=by.who, reason=by.note)
    if present.state != "pending":
        text = f"{what}: it is {present.state}; only a pending one can be withdrawn"
        return Decision("already_decided", present, text)
    withdrawn = replace(present, state="withdrawn", decided_by=by.who, decision_note=by.note)
    changes.write(session, withdrawn)
    holds.end(session, router)
    log(session, withdrawn, "withdraw", "withdrawn", by)
    return Decision("decided", withdrawn, f"{what}: withdrawn by {by.who}")


def expire(session: Session, now_ms: int) -> tuple[Change, ...]:
    """Marks the nightly changes of all routers that wait and whose time is over; returns them as they are now."""
    over = [each for each in changes.pending_nightly(session) if each.is_over(now_ms)]
    expired = []
    for router in sorted({each.router for each in over}):
        changes.lock_changes(session, router)
        # Read again: another process may have decided it while this one waited for the lock.
        for entry in changes.nightly_changes(session, router):
            if entry.state == "pending" and entry.is_over(now_ms):
                expired.append(replace(entry, state="expired"))
                changes.write(session, expired[-1])
    for entry in expired:
        audit.append(session, about(entry, "expire", "expired"))
    return tuple(expired)


def acknowledge(
    session: Session, router: str, day: date, new_pairs: int, by: Person, *, seen: Seen | None = None
) -> Change:  # fmt: skip
    """Records that a person has seen how many new pairs a pending change has; returns the change.

    Raises:
        AnotherCandidateError: it is not what the caller saw.
        InvalidEntryError: no name is given, the change does not wait, or it has another number of new pairs.
        UnknownEntryError: the router has no change on that day.
    """
    present = present_nightly(session, router, day)
    require_seen(present, seen)
    what = named(present)
    if not by.who.strip():
        raise InvalidEntryError(f"{what}: an acknowledgement needs the name of who gives it")
    check_free_text(what, who=by.who, note=by.note)
    if present.state != "pending":
        raise InvalidEntryError(f"{what}: it is {present.state}; only one that waits for a decision is acknowledged")
    counted_pairs = counted(present.pairs_added, "new pair")
    if present.pairs_added != new_pairs:
        raise InvalidEntryError(
            f"{what}: it has {counted_pairs}, not {new_pairs}; check `hntes change show`, give their number"
        )
    acknowledged = replace(present, acknowledged_pairs=new_pairs)
    changes.write(session, acknowledged)
    event = replace(about(acknowledged, "acknowledge", "acknowledged", detail=counted_pairs, note=by.note), who=by.who)
    audit.append(session, replace(event, identity=by.identity))
    return acknowledged


def is_held_for_new_pairs(entry: Change, new_pairs_limit: int) -> bool:
    """Whether a change may not be approved yet: more new pairs than the limit, not acknowledged."""
    return entry.pairs_added > new_pairs_limit and entry.acknowledged_pairs != entry.pairs_added


def first_approval(session: Session, present: Change) -> AuditEventEntry | None:
    """The first of two approvals of a change that waits for the second, None if there is none.

    One given before the change was judged again, under other limits or loads, does not count; nor does one that
    the audit log does not have.
    """
    if present.state != "pending" or present.first_approval is None:
        return None
    event = audit.event(session, present.first_approval)
    if event is None or (event.kind, event.outcome, event.change_id) != ("decide", FIRST_APPROVAL, present.change_id):
        return None
    if event.candidate_hash != present.candidate_hash:
        return None
    return event if event.judgement_id == _judgement_id(session, present) else None


def named(entry: Change) -> str:
    """A change in an explanation."""
    if entry.effective_s is None:
        return f"change of {entry.router} on {entry.day}"
    return f"{entry.router} from {rfc3339(entry.effective_s * 1000)}, {entry.candidate_hash[:12]}"


def log(
    session: Session, entry: Change, kind: AuditKind, outcome: str, by: Person, judgement_id: str | None = None
) -> AuditEventEntry:
    """Appends a decision on a change to the audit log, in the name of who took it; returns the event."""
    event = about(entry, kind, outcome, note=by.note)
    return audit.append(session, replace(event, who=by.who, identity=by.known_identity, judgement_id=judgement_id))


def bind_transition(
    session: Session, entry: Change, transition: tuple[str, str | None], outcome: str, by: Person
) -> Change:  # fmt: skip
    """Binds an approval to a transition as well: its hash, and that of the text before (None: nothing of HNTES).

    `outcome` is "approved" with the change, or "accepted" in the place of another one.
    """
    bound = replace(entry, transition_hash=transition[0], transition_from=transition[1])
    changes.write(session, bound)
    detail = f"{transition[0]} from {transition[1] or 'nothing'}"
    event = about(bound, "transition", outcome, detail=detail, note=by.note)
    audit.append(session, replace(event, who=by.who, identity=by.identity, content_hash=transition[0]))
    return bound


def present_nightly(session: Session, router: str, day: date) -> Change:
    """The nightly change of that day, locked until the transaction ends.

    Raises:
        UnknownEntryError: there is none.
    """
    changes.lock_changes(session, router)
    present = changes.nightly_change(session, router, day)
    if present is None:
        text = f"change of {router} on {day}: there is none; list the changes to see which days have one"
        raise UnknownEntryError(text)
    return present


def base_problem(session: Session, entry: Change) -> str | None:
    """Why the base of a scheduled change does not carry it; None if it does."""
    base = changes.nightly_change(session, entry.router, entry.day)
    if base is None or base.state != "approved" or base.candidate_hash != entry.base_hash:
        return f"its rules are those of {entry.day}, which are not approved; decide on that change first"
    return None


def gate_reasons(session: Session, entry: Change, holds_now: JudgementEntry | None) -> list[str]:
    """Why the gate has not passed a change, a line each; the text of an approved base needs no judgement."""
    if _is_text_of_scheduled_base(entry):
        return []
    return verdicts.blocking_reasons(session, entry.router, entry.candidate_hash, holds_now)


def _present(session: Session, change_id: str) -> Change:
    found = changes.change(session, change_id)
    if found is not None:
        changes.lock_changes(session, found.router)
        found = changes.change(session, change_id)
    if found is None:
        raise UnknownEntryError(f"change {change_id}: there is none; list the changes to see which there are")
    return found


def _require_person(what: str, by: Person) -> None:
    if not by.who.strip():
        raise InvalidEntryError(f"{what}: a decision needs the name of who decides")
    check_free_text(what, who=by.who, note=by.note)


def _is_text_of_scheduled_base(entry: Change) -> bool:
    return entry.is_scheduled and entry.is_text_of_base


def _refusal(session: Session, what: str, present: Change, request: Request, now_ms: int) -> Decision | None:
    if present.candidate_hash != request.candidate_hash:
        text = (
            f"{what}: its candidate is {present.candidate_hash}, not {request.candidate_hash}; look at it again, then "
            "decide"
        )
        return Decision("stale_hash", present, text)
    if request.base_hash not in (ANY_BASE, present.base_hash):
        text = f"{what}: it replaces {present.base_hash or 'nothing'}, not {request.base_hash or 'nothing'}; look again"
        return Decision("stale_hash", present, text)
    if present.until_s != request.until_s:
        return Decision("stale_hash", present, f"{what}: it has changed; look at it again")
    if present.state == "pending" and present.is_over(now_ms):
        present = replace(present, state="expired")
    if present.state == "pending":
        return None
    outcome: Outcome = "expired" if present.state == "expired" else "already_decided"
    return Decision(outcome, present, f"{what}: {not_waiting(session, present)}")


def _not_approvable(
    session: Session, what: str, present: Change, holds_now: JudgementEntry | None, needs: Needs
) -> Decision | None:
    if present.is_scheduled:
        if problem := base_problem(session, present):
            return Decision("base", present, f"{what}: {problem}")
    elif moved := _moved_base(what, present, changes.in_force(session, present.router)):
        return moved
    if reasons := gate_reasons(session, present, holds_now):
        text = f"{what}: the gate has not passed candidate {present.candidate_hash[:12]}:"
        return Decision("gate", present, "\n  ".join((text, *reasons)))
    limit = needs.new_pairs_limit
    if limit is not None and is_held_for_new_pairs(present, limit):
        text = hold_text(present.router, present.day, present.pairs_added, limit)
        return Decision("held", present, f"{what}: {text}")
    return None


def _moved_base(what: str, present: Change, now_in_force: InForceEntry | None) -> Decision | None:
    base = now_in_force.candidate_hash if now_in_force else None
    if base == present.base_hash:
        return None
    made_against = present.base_hash or "nothing in force"
    text = (
        f"{what}: it was made against {made_against}, but {base or 'nothing'} is in force now; "
        "run the day again to get a change against that"
    )
    return Decision("stale_hash", present, text)


def _first_of_two(session: Session, what: str, present: Change, by: Person) -> Decision | None:
    """What becomes of an approval that needs a second person; None if this is the second."""
    first = first_approval(session, present)
    if first is None:
        event = log(session, present, "decide", FIRST_APPROVAL, by, _judgement_id(session, present))
        waiting = replace(present, first_approval=event.number)
        changes.write(session, waiting)
        return Decision("pending_second_approval", waiting, f"{what}: approved by {by.who}, waits for a second person")
    if is_same_person(person_behind(first.identity, first.who), by.person_identity):
        text = f"{what}: {first.identity} has approved it already; another person must give the second approval"
        return Decision("same_person", present, text)
    return None


def _judgement_id(session: Session, present: Change) -> str | None:
    stored = judgements.judgement_of(session, present.router, present.candidate_hash)
    return stored.judgement_id if stored is not None else None
