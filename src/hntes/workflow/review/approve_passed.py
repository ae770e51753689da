"""Approval of several changes that the gate has passed and that need nothing more than a yes.

Each is decided by `pipeline.decide.decide`, as if it were alone, on the hash that the person saw. What a yes in passing
must not decide drops out, by name, with the reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from hntes.errors import HntesError
from hntes.identity import is_same_person, process_identity
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
    """The candidate of a router and day that is to be approved, by its full hash."""

    router: str
    day: date
    candidate_hash: str


@dataclass(frozen=True)
class Dropped:
    """A change that was not approved, and why."""

    router: str
    day: date
    reason: str


@dataclass(frozen=True)
class Approvals:
    """What became of them, in the order in which they were given."""

    approved: tuple[Decision, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True)
class Alike:
    """The changes that could be approved together now, and those that wait but need more, with the reason."""

    ready: tuple[ListedChange, ...]
    dropped: tuple[Dropped, ...]

    @property
    def wanted(self) -> tuple[ApprovalRequest, ...]:
        """What to approve, bound to the candidates that are shown."""
        return tuple(
            ApprovalRequest(each.change.router, each.change.day, each.change.candidate_hash) for each in self.ready
        )


def alike_changes(context: Context, routers: Sequence[Router], *, identity: str | None = None) -> Alike:
    """Of the change sets of these routers that wait: those that a plain yes decides, and those that need more."""
    ready, dropped = [], []
    for listed in listed_changes(context, routers, only_pending=True):
        reason = needs_more(context, listed, identity=identity)
        if reason is None:
            ready.append(listed)
        else:
            dropped.append(Dropped(listed.change.router, listed.change.day, reason))
    return Alike(tuple(ready), tuple(dropped))


def needs_more(context: Context, listed: ListedChange, *, identity: str | None = None) -> str | None:
    """What a change that waits needs beside a yes of this identity (None: the process' user); None if nothing."""
    entry, review = listed.change, context.settings.review
    if not listed.is_passed:
        return f"the gate: {listed.gate}"
    if reasons := unusual(context, context.settings.router(entry.router), entry):
        return f"{'; '.join(reasons)}; approve it by itself"
    if listed.hold is not None:
        return f"held until {listed.held_until}; approve it by itself if it is to be approved before"
    if is_held_for_new_pairs(entry, review.new_pairs_limit):
        return hold_text(entry.router, entry.day, entry.pairs_added, review.new_pairs_limit)
    first = listed.first_approval
    if review.approvals > 1 and (first is None or is_same_person(first.identity, identity or process_identity())):
        return "needs another person: one approves it by its hash, the other one then approves it here or there"
    return None


def approve_all_passed(context: Context, wanted: Iterable[ApprovalRequest], by: Person, now_ms: int) -> Approvals:
    """Approves each candidate that is still the one of its change set, passed, and in need of nothing more.

    One that is refused does not hold up the others.

    Raises:
        SQLAlchemyError: the database went away; what was approved until then is.
    """
    approved, dropped = [], []
    for each in wanted:
        try:
            decision = _approve(context, each, by, now_ms)
        except HntesError as problem:
            decision = str(problem)
        if isinstance(decision, str):
            dropped.append(Dropped(each.router, each.day, decision))
        else:
            approved.append(decision)
    return Approvals(tuple(approved), tuple(dropped))


def _approve(context: Context, wanted: ApprovalRequest, by: Person, now_ms: int) -> Decision | str:
    """The decision; or why there is none."""
    (router,) = context.chosen([wanted.router])
    entry = find_change(context, router, wanted.day)
    if entry.state == "pending" and entry.candidate_hash == wanted.candidate_hash:
        reason = needs_more(context, listed_change(context, entry), identity=by.identity)
        if reason is not None:
            return reason
    request = Request(nightly_id(router.name, wanted.day), wanted.candidate_hash, "approved")
    decision = decide(context, router, request, by, now_ms)
    return decision if decision.outcome == "decided" else decision.explanation
