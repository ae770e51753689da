"""Bulk approval of changes that the gate has passed and that have no further requirements.

Each is decided separately by `workflow.review.decide.decide`, on the hash that the person saw. Changes that need a
review of their own are skipped, by name, with the reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from hntes.errors import HntesError
from hntes.identity import is_same_person, person_behind, process_identity
from hntes.settings.model import Router
from hntes.sql.change import hold_text, nightly_id
from hntes.sql.decisions import is_held_for_new_pairs
from hntes.workflow.change_lookup import find_change
from hntes.workflow.context import Context
from hntes.workflow.review.approval_needs import unusual
from hntes.workflow.review.changes import ListedChange, listed_change, listed_changes
from hntes.workflow.review.decide import Decision, Person, Request, decide


@dataclass(frozen=True)
class ApprovalRequest:
    """The candidate of a router and day to approve, by its full hash."""

    router: str
    day: date
    candidate_hash: str


@dataclass(frozen=True)
class SkippedChange:
    """A change that was skipped, and why."""

    router: str
    day: date
    reason: str


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
        reason = needs_more(context, listed, identity=identity)
        if reason is None:
            ready.append(listed)
        else:
            dropped.append(SkippedChange(listed.change.router, listed.change.day, reason))
    return BulkApproval(tuple(ready), tuple(dropped))


def needs_more(context: Context, listed: ListedChange, *, identity: str | None = None) -> str | None:
    """What a pending change needs besides an approval by this identity (None: the process' user); None if nothing."""
    entry, review = listed.change, context.settings.review
    if not listed.is_passed:
        return f"the gate: {listed.gate}"
    if reasons := unusual(entry):
        return f"{'; '.join(reasons)}; approve it individually"
    if listed.hold is not None:
        return f"held until {listed.held_until}; approve it individually to decide earlier"
    if is_held_for_new_pairs(entry, review.new_pairs_limit):
        return hold_text(entry.router, entry.day, entry.pairs_added, review.new_pairs_limit)
    first = listed.first_approval
    if review.approvals > 1 and (
        first is None or is_same_person(person_behind(first.identity, first.who), identity or process_identity())
    ):
        return "needs a second person: one approves it individually by its hash, then another here or individually"
    return None


def approve_all_passed(context: Context, requests: Iterable[ApprovalRequest], by: Person, now_ms: int) -> Approvals:
    """Approves each candidate that is still that of its change, passed, and without further requirements.

    A refused one does not block the others.

    Raises:
        SQLAlchemyError: the database failed; earlier approvals of the call remain.
    """
    approved, dropped = [], []
    for each in requests:
        try:
            decision = _approve(context, each, by, now_ms)
        except HntesError as problem:
            decision = str(problem)
        if isinstance(decision, str):
            dropped.append(SkippedChange(each.router, each.day, decision))
        else:
            approved.append(decision)
    return Approvals(tuple(approved), tuple(dropped))


def _approve(context: Context, chosen: ApprovalRequest, by: Person, now_ms: int) -> Decision | str:
    """The decision, or the reason why there is none."""
    (router,) = context.chosen([chosen.router])
    entry = find_change(context, router, chosen.day)
    if entry.state == "pending" and entry.candidate_hash == chosen.candidate_hash:
        reason = needs_more(context, listed_change(context, entry), identity=by.person_identity)
        if reason is not None:
            return reason
    request = Request(nightly_id(router.name, chosen.day), chosen.candidate_hash, "approved")
    decision = decide(context, router, request, by, now_ms)
    return decision if decision.outcome == "decided" else decision.explanation
