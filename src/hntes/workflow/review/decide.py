"""The stage decide: approval, rejection, hold, withdrawal and reopening of changes, for all interfaces."""

from dataclasses import replace
from datetime import date

from hntes import clock
from hntes.settings.model import Router
from hntes.sql import approved_texts, changes, decisions, deferrals
from hntes.sql.change import Change
from hntes.sql.decisions import Decision, Needs, Person, Request
from hntes.sql.seen import AnotherCandidateError, Seen
from hntes.sql.session import reading, transaction
from hntes.workflow.candidates import text_entry
from hntes.workflow.context import Context
from hntes.workflow.judgement import edited_copy, judgement_now, verified_candidate
from hntes.workflow.reservations.quota_approvals import approve_by_quota
from hntes.workflow.stage_log import stage
from hntes.workflow.transitions import transition_to

__all__ = [
    "AnotherCandidateError",
    "Decision",
    "Person",
    "Request",
    "Seen",
    "acknowledge_new_pairs",
    "can_be_reopened",
    "decide",
    "expire_changes",
    "hold_change",
    "reopen_change",
    "withdraw_change",
]


def _outcome(decision: Decision) -> str:
    return decision.change.state if decision.outcome == "decided" else decision.outcome


def _day(decision: Decision) -> date | None:
    return decision.change.day


@stage(_outcome, day_of=_day)
def decide(context: Context, router: Router, request: Request, by: Person, now_ms: int) -> Decision:
    """Approves or rejects exactly the candidate that was reviewed; the first decision counts.

    An approval of a nightly change also binds the transition from the delivered configuration. Scheduled changes on its
    rules are then approved by quotas.

    Raises:
        CandidateStoreError, CommandError: the candidate on disk is not the one to be approved.
        TransitionError: there is no transition to it from the delivered configuration.
        StoreError: no person is named, or there is no such change.
    """
    review = context.settings.review
    needs = Needs(review.approvals, review.new_pairs_limit)
    with reading(context.database) as session:
        seen = changes.change(session, request.change_id)
    if request.verdict == "rejected" or seen is None:
        with transaction(context.database) as session:
            return decisions.decide(session, request, by, now_ms, needs=needs)
    candidate = verified_candidate(context, router, seen)
    holds_now = None if seen.is_scheduled and seen.is_text_of_base else judgement_now(context, router, seen, candidate)
    leading = None if seen.is_scheduled else transition_to(context, router, seen)
    remark = edited_copy(context, router, seen)
    with transaction(context.database) as session:
        decision = decisions.decide(session, request, by, now_ms, needs=needs, holds_now=holds_now)
        if decision.outcome == "decided":
            approved_texts.keep(session, text_entry(candidate))
            if leading is not None:
                bound = (leading.identity, leading.from_hash)
                approved = decisions.bind_transition(
                    session, decision.change, bound, "approved", replace(by, note=None)
                )
                decision = replace(decision, change=approved)
    is_base = decision.outcome == "decided" and not decision.change.is_scheduled
    if is_base and context.settings.reservations is not None:
        approve_by_quota(context, router)
    return decision if remark is None else replace(decision, explanation=f"{decision.explanation}\nremark: {remark}")


def acknowledge_new_pairs(
    context: Context, router: Router, day: date, new_pairs: int, by: Person, *, seen: Seen | None = None
) -> Change:  # fmt: skip
    """Records that a person has reviewed this number of new pairs, which releases the change.

    Raises:
        AnotherCandidateError: it is not what was seen.
        StoreError: no person is named, no change of that day is pending, or its number of new pairs differs.
    """
    with transaction(context.database) as session:
        return decisions.acknowledge(session, router.name, day, new_pairs, by, seen=seen)


def hold_change(
    context: Context, router: Router, day: date, until: date, by: Person, *, seen: Seen | None = None
) -> Change:  # fmt: skip
    """Defers a pending nightly change until a day; `until` today ends a hold. Returns the change.

    Raises:
        AnotherCandidateError: it is not what was seen.
        StoreError: no person or reason is given, the day is past, or no change of that day is pending.
    """
    with transaction(context.database) as session:
        return deferrals.hold(session, router.name, day, until, by, clock.today(), seen=seen)


def reopen_change(
    context: Context, router: Router, day: date, by: Person, *, seen: Seen | None = None
) -> Change:  # fmt: skip
    """Takes back a rejection, until the next night, or ends a hold. Returns the change.

    Raises:
        AnotherCandidateError: it is not what was seen.
        StoreError: no person or reason is given, there is no such change, or it cannot be taken back any more.
    """
    with transaction(context.database) as session:
        return deferrals.reopen(session, router.name, day, by, clock.now_ms(), clock.today(), seen=seen)


def can_be_reopened(context: Context, entry: Change) -> bool:
    """Whether the rejection of a change can be taken back."""
    with reading(context.database) as session:
        return deferrals.not_reopened(session, entry, clock.now_ms()) is None


def withdraw_change(context: Context, router: Router, day: date, by: Person) -> Decision:
    """Withdraws a pending nightly change; it no longer supersedes those of earlier days.

    Raises:
        StoreError: no person or reason is given, or there is no such change.
    """
    with transaction(context.database) as session:
        return decisions.withdraw(session, router.name, day, by)


def expire_changes(context: Context, now_ms: int) -> tuple[Change, ...]:
    """Marks pending nightly changes as expired, and returns them."""
    with transaction(context.database) as session:
        return decisions.expire(session, now_ms)
