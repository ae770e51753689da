"""Bulk approval of changes that the gate has passed and that have no further requirements.

Each is decided separately by `workflow.review.decide.decide`, on the hash that the person saw. Changes that need a
review of their own are skipped, by name, with the reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.errors import HntesError
from hntes.identity import is_same_person, person_behind, process_identity
from hntes.platforms.transition_errors import TransitionError
from hntes.settings.model import Review, Router
from hntes.sql.change import Change, hold_text, nightly_id
from hntes.sql.decisions import Outcome, is_held_for_new_pairs
from hntes.sql.seen import ANY_BASE
from hntes.workflow.change_lookup import find_change
from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.review.approval_needs import unusual
from hntes.workflow.review.changes import (
    ChangeStatus,
    ListedChange,
    earlier_rejection,
    listed_change,
    listed_changes,
)
from hntes.workflow.review.decide import Decision, Person, Request, decide
from hntes.workflow.review.transition_approval import ANOTHER_TRANSITION, is_another_transition

# Beside the outcomes of a decision: `individual` (it needs a closer look), `deferred`, `second_person`: it is decided
# on its own; `transition`: another one than was seen; `refused`: it is not there, or cannot be used; `unknown`: the
# database failed meanwhile; `not_tried`: it had failed before.
SkippedOutcome = (
    Outcome | Literal["individual", "deferred", "second_person", "transition", "refused", "unknown", "not_tried"]
)


@dataclass(frozen=True)
class ApprovalRequest:
    """The candidate of a router and day to approve, by its full hash.

    Attributes:
        router: The name of the router.
        day: The day of the change.
        candidate_hash: The candidate that was seen.
        base_hash: What it was seen to replace, None for nothing; ANY_BASE if that was not said.
        transition: The identity of the transition that was seen, NO_TRANSITION for none; "" if that was not said.
    """

    router: str
    day: date
    candidate_hash: str
    base_hash: str | None = ANY_BASE
    transition: str = ""


@dataclass(frozen=True)
class SkippedChange:
    """A change that was skipped, and why, in a sentence and in a word."""

    router: str
    day: date
    reason: str
    outcome: SkippedOutcome


@dataclass(frozen=True)
class Approvals:
    """The results, in the order of the requests."""

    approved: tuple[Decision, ...]
    dropped: tuple[SkippedChange, ...]


@dataclass(frozen=True)
class BulkApproval:
    """Pending changes that can be approved in bulk now, and those that cannot, with the reason."""

    ready: tuple[ListedChange, ...]
    dropped: tuple[SkippedChange, ...]

    @property
    def requests(self) -> tuple[ApprovalRequest, ...]:
        """The approval requests, bound to the candidates that are shown."""
        return tuple(
            ApprovalRequest(each.change.router, each.change.day, each.change.candidate_hash) for each in self.ready
        )


def bulk_approval(context: Context, routers: Sequence[Router], *, identity: str | None = None) -> BulkApproval:
    """The pending changes of these routers, divided into those that can be approved in bulk and the others."""
    ready, dropped = [], []
    for listed in listed_changes(context, routers, only_pending=True):
        skipped = needs_more(context, listed, identity=identity)
        if skipped is None:
            ready.append(listed)
        else:
            dropped.append(skipped)
    return BulkApproval(tuple(ready), tuple(dropped))


def needs_more(context: Context, listed: ListedChange, *, identity: str | None = None) -> SkippedChange | None:
    """What a pending change needs besides an approval by this identity (None: the process' user); None if nothing."""
    rejected = earlier_rejection(context, listed.change)
    return more_needed(listed, rejected, context.settings.review, identity or process_identity())


def more_needed(
    listed: ListedChange, rejected: ChangeStatus | None, review: Review, identity: str
) -> SkippedChange | None:  # fmt: skip
    """As `needs_more`; `rejected` is the router's previous change if that was rejected."""
    entry = listed.change

    def skipped(outcome: SkippedOutcome, reason: str) -> SkippedChange:
        return SkippedChange(entry.router, entry.day, reason, outcome)

    if not listed.is_passed:
        return skipped("gate", f"the gate: {listed.gate}")
    if reasons := _closer_look(entry, rejected):
        return skipped("individual", f"{'; '.join(reasons)}; approve it individually")
    if listed.hold is not None:
        return skipped("deferred", f"held until {listed.held_until}; approve it individually to decide earlier")
    if is_held_for_new_pairs(entry, review.new_pairs_limit):
        return skipped("held", hold_text(entry.router, entry.day, entry.pairs_added, review.new_pairs_limit))
    first = listed.first_approval
    if review.approvals > 1 and (first is None or is_same_person(person_behind(first.identity, first.who), identity)):
        return skipped(
            "second_person",
            "needs a second person: one approves it individually by its hash, then another here or individually",
        )
    return None


def _closer_look(entry: Change, rejected: ChangeStatus | None) -> tuple[str, ...]:
    """Why a person has to look at a change by itself, however the gate judged it; usually empty."""
    return (
        *unusual(entry),
        *(() if entry.data_complete else ("flow data incomplete",)),
        *((f"the change of {rejected.change.day} was rejected",) if rejected else ()),
    )


def approve_all_passed(context: Context, requests: Iterable[ApprovalRequest], by: Person, now_ms: int) -> Approvals:
    """Approves each candidate that is still that of its change, passed, and without further requirements.

    A refused one does not block the others. If the database fails after some were approved, the rest is not tried, and
    is among the dropped ones.

    Raises:
        SQLAlchemyError: the database failed before anything was approved.
    """
    approved, dropped, broken = list[Decision](), list[SkippedChange](), False
    for each in requests:
        if broken:
            dropped.append(SkippedChange(each.router, each.day, "not tried: the database had failed", "not_tried"))
            continue
        try:
            found = _approve(context, each, by, now_ms)
        except HntesError as problem:
            outcome: SkippedOutcome = "transition" if isinstance(problem, TransitionError) else "refused"
            found = SkippedChange(each.router, each.day, str(problem), outcome)
        except expected() as problem:
            if not approved:
                raise
            broken, reason = True, f"look whether it was approved: {message(problem)}"
            found = SkippedChange(each.router, each.day, reason, "unknown")
        if isinstance(found, SkippedChange):
            dropped.append(found)
        else:
            approved.append(found)
    return Approvals(tuple(approved), tuple(dropped))


def _approve(context: Context, chosen: ApprovalRequest, by: Person, now_ms: int) -> Decision | SkippedChange:
    """The decision, or why there is none."""
    (router,) = context.chosen([chosen.router])
    entry = find_change(context, router, chosen.day)
    if entry.state == "pending" and entry.candidate_hash == chosen.candidate_hash:
        skipped = needs_more(context, listed_change(context, entry), identity=by.person_identity)
        if skipped is not None:
            return skipped
        if chosen.transition and is_another_transition(context, router, entry, chosen.transition):
            return SkippedChange(chosen.router, chosen.day, ANOTHER_TRANSITION, "transition")
    request = Request(
        nightly_id(router.name, chosen.day), chosen.candidate_hash, "approved", base_hash=chosen.base_hash
    )
    decision = decide(context, router, request, by, now_ms)
    if decision.outcome == "decided":
        return decision
    return SkippedChange(chosen.router, chosen.day, decision.explanation, decision.outcome)
