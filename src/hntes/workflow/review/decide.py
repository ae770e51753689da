"""The stage decide: a person approves or rejects a change set, wherever the person does it."""

from dataclasses import replace
from datetime import date
from typing import Literal

from hntes import clock
from hntes.settings.model import Router
from hntes.sql import acknowledgements, approved_texts, audit, change_sets
from hntes.sql.change_sets import Decision
from hntes.sql.entries import ChangeSetEntry
from hntes.sql.holds import hold
from hntes.sql.session import transaction
from hntes.workflow.candidates import text_entry
from hntes.workflow.context import Context
from hntes.workflow.review.changes import find_change
from hntes.workflow.review.edge_decisions import approve_by_quota
from hntes.workflow.review.transition_approval import approved_event
from hntes.workflow.review.transitions import transition_to
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.judgement import edited_copy, judgement_now, verified_candidate

__all__ = ["Decision", "acknowledge_new_pairs", "decide", "expire_changes", "hold_change", "withdraw_change"]


def _outcome(decision: Decision) -> str:
    return decision.change_set.state if decision.outcome == "decided" else decision.outcome


@stage(_outcome)
def decide(
    context: Context,
    router: Router,
    day: date,
    candidate_hash: str,
    state: Literal["approved", "rejected"],
    who: str,
    note: str | None,
    now_ms: int,
    *,
    identity: str | None = None,
) -> Decision:
    """Approves or rejects exactly that candidate; the first decision counts.

    `identity` is whom the caller has authenticated; None: the operating system's user of this process.

    Raises:
        CandidateStoreError, CommandError: what would be approved is not what is on disk.
        TransitionError: no transition leads to it from what was delivered last.
        StoreError: nobody is named, or there is no such change set.
    """
    approvals = context.settings.review.approvals
    candidate, holds, remark, leading = None, None, None, None
    if state == "approved":
        change = find_change(context, router, day)
        candidate = verified_candidate(context, router, change)
        holds = judgement_now(context, router, change, candidate)
        remark = edited_copy(context, router, change)
        leading = transition_to(context, router, change)
    with transaction(context.database) as session:
        decision = change_sets.decide(
            session, router.name, day, candidate_hash, state, who, note, now_ms,
            identity=identity, approvals=approvals, new_pairs_limit=context.settings.review.new_pairs_limit,
            holds=holds,
        )  # fmt: skip
        if candidate is not None and decision.outcome == "decided":
            approved_texts.keep(session, text_entry(candidate))
            if leading is not None:
                audit.append(session, approved_event(decision.change_set, leading, who, identity))
    if candidate is not None and decision.outcome == "decided" and context.settings.reservations is not None:
        approve_by_quota(context, router)  # what is reserved on these rules waits for nobody else
    return decision if remark is None else replace(decision, explanation=f"{decision.explanation}\nremark: {remark}")


def acknowledge_new_pairs(
    context: Context, router: Router, day: date, new_pairs: int, who: str, note: str | None,
    *, identity: str | None = None,
) -> ChangeSetEntry:  # fmt: skip
    """Records that a person has looked at so many new pairs: the change set is held for that no longer.

    `identity` is as for `decide`.

    Raises:
        StoreError: nobody is named, no change set waits on that day, or it has another number of new pairs.
    """
    with transaction(context.database) as session:
        return acknowledgements.acknowledge(session, router.name, day, new_pairs, who, note, identity)


def hold_change(
    context: Context, router: Router, day: date, until: date, who: str, reason: str, *, identity: str | None = None
) -> ChangeSetEntry:
    """Holds a change set that waits until a day; `until` today ends a hold. Returns it.

    Raises:
        StoreError: nobody is named, no reason is given, the day is past, or no change set waits on that day.
    """
    with transaction(context.database) as session:
        return hold(session, router.name, day, until, who, reason, clock.today(), identity)


def withdraw_change(context: Context, router: Router, day: date, who: str, reason: str) -> Decision:
    """Takes back a change set that waits for a decision; earlier days' ones are no longer superseded by it.

    Raises:
        StoreError: nobody is named, no reason is given, or there is no such change set.
    """
    with transaction(context.database) as session:
        return change_sets.withdraw(session, router.name, day, who, reason)


def expire_changes(context: Context, now_ms: int) -> tuple[ChangeSetEntry, ...]:
    """Marks the pending change sets that have expired, and returns them."""
    with transaction(context.database) as session:
        return change_sets.expire(session, now_ms)
