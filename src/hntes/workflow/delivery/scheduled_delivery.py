"""Delivery of scheduled changes when they are due, by the same push as nightly changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hntes.delivery.timer import Timer
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change
from hntes.sql.proposals import about
from hntes.sql.session import reading, transaction
from hntes.workflow.audit_checks import require_deliveries_known
from hntes.workflow.context import Context
from hntes.workflow.delivery.deliver import deliver
from hntes.workflow.delivery.handed_over import last_named, manifest_of
from hntes.workflow.delivery.plan import closed_now
from hntes.workflow.delivery.push import push_router
from hntes.workflow.delivery.push_request import router_journal
from hntes.workflow.delivery.removal_log import record_removals
from hntes.workflow.delivery.unfinished import unfinished_push
from hntes.workflow.errors import expected, message
from hntes.workflow.reservations.ended_reservations import EndedReservation, ended_reservations
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.reservations.reservation_status import LateReservation, late_reservations
from hntes.workflow.reservations.webhook_notifications import send_notices
from hntes.workflow.router_state import RouterState, router_state
from hntes.workflow.stage_log import warn

__all__ = ["LateReservation", "ScheduledDelivery", "ScheduledRound", "deliver_scheduled", "run_scheduled_round"]

ScheduledOutcome = Literal["nothing_due", "held", "would_change", "done", "handed_over", "failed"]


@dataclass(frozen=True)
class ScheduledDelivery:
    """The result of a scheduled delivery to one router, and the reservations that are late or have ended there.

    `outcome`: "nothing_due" (no approved rules run there), "held" (it holds the due configuration), "would_change"
    (by `difference`; nothing is committed), "done", "handed_over" (HNTES does not reach it), "failed" for `problem`.
    `unchecked`: why it is not known which are late or have ended, "" if it is.
    """

    router: str
    outcome: ScheduledOutcome
    from_s: int | None = None
    candidate_hash: str | None = None
    difference: str = ""
    problem: str = ""
    late: tuple[LateReservation, ...] = ()
    ended: tuple[EndedReservation, ...] = ()
    unchecked: str = ""

    @property
    def has_problems(self) -> bool:
        """Whether it failed, or a reservation is late, or is there after its end, or that is not known."""
        return self.outcome == "failed" or bool(self.late or self.ended or self.unchecked)


def deliver_scheduled(
    context: Context,
    routers: Sequence[Router],
    *,
    commit: bool,
    timer_of: Callable[[Router], Timer | None] = lambda _: None,
) -> tuple[ScheduledDelivery, ...]:
    """Delivers the approved changes that are due; without `commit` shows the differences.

    Each router keeps the rules that it runs. A failure is recorded in the audit log and does not block other routers.
    Those to which somebody delivers just now come last, so that none waits for another's trial.
    The windows of [delivery] apply here, too, unless `reservations.outside_windows` is set.
    """
    found = {
        router.name: _checked(context, router, _delivered(context, router, commit, timer_of(router)))
        for router in sorted(routers, key=lambda router: router_journal(context, router).has_begun)
    }
    return tuple(found[router.name] for router in routers)


@dataclass(frozen=True)
class ScheduledRound:
    """Scheduled deliveries to routers, and the owners that could not be notified, one line each."""

    routers: tuple[ScheduledDelivery, ...]
    failed_notices: tuple[str, ...]

    @property
    def has_problems(self) -> bool:
        """Whether a router failed, a reservation is late or there after its end, or an owner could not be notified."""
        return bool(self.failed_notices) or any(each.has_problems for each in self.routers)


def run_scheduled_round(
    context: Context,
    routers: Sequence[Router],
    *,
    commit: bool,
    timer_of: Callable[[Router], Timer | None] = lambda _: None,
) -> ScheduledRound:
    """As `deliver_scheduled`; after a commit also sends new notices to owners with a webhook."""
    done = deliver_scheduled(context, routers, commit=commit, timer_of=timer_of)
    if not commit or context.settings.reservations is None:
        return ScheduledRound(done, ())
    try:
        return ScheduledRound(done, tuple(each.problem for each in send_notices(context)))
    except expected() as problem:
        return ScheduledRound(done, (message(problem),))


def _delivered(context: Context, router: Router, commit: bool, timer: Timer | None) -> ScheduledDelivery:
    state = None
    try:
        # what a restored database reports of the router is of before the delivery that it has lost
        with reading(context.database) as session:
            anchored = context.settings.paths.audit_anchors
            require_deliveries_known(session, manifest_of(context.output, router), anchored)
        if not router.is_reached:
            state = router_state(context, router, only_reservations=True)
            return _handed_over(context, state) if state else ScheduledDelivery(router.name, "nothing_due")
        # a killed push may have left another text on the router; what a present one leaves decides what is due
        is_unfinished = unfinished_push(context, router) is not None
        record_removals(context, router)
        state = router_state(context, router, only_reservations=True)
        if state is None:
            return ScheduledDelivery(router.name, "nothing_due")
        if not is_unfinished and _is_held(context, state):
            return _result(state.due, "held")
        return _pushed(context, state, commit, timer)
    except expected() as problem:
        _keep_failure(context, router, state, message(problem))
        failure = ScheduledDelivery(router.name, "failed") if state is None else _result(state.due, "failed")
        return replace(failure, problem=message(problem))


def _handed_over(context: Context, state: RouterState) -> ScheduledDelivery:
    deliver(context, state.router, only_reservations=True)
    return _result(state.due, "handed_over")


def _pushed(context: Context, state: RouterState, commit: bool, timer: Timer | None) -> ScheduledDelivery:
    closed = "" if section_of(context.settings).outside_windows else closed_now(context)
    if commit and closed:
        return replace(_result(state.due, "failed"), problem=closed)
    # the rules are those that the router runs once another delivery has ended, whatever their day
    pushed = push_router(context, state.router, commit=commit, timer=timer, only_reservations=True)
    if pushed is None:
        return ScheduledDelivery(state.router.name, "nothing_due")
    outcome: ScheduledOutcome = "done" if commit else "would_change"
    if pushed.pushed.outcome == "held":
        outcome = "held"
    return replace(_result(pushed.change, outcome), difference=pushed.pushed.difference)


def _is_held(context: Context, state: RouterState) -> bool:
    """Whether the router runs the due text by all that is known of it: its newest report, and the manifest.

    Where these name different texts on the same rules, where the manifest is lost, or if the router was seen to hold
    something else since, the router itself is asked. Rules that were handed over and wait for their delivery say
    nothing of the reservations on those that run.
    """
    if state.reported_hash != state.due.candidate_hash or state.has_drifted:
        return False
    named = last_named(context.output, state.router)
    return named is not None and (named.day != state.rules.day or named.sha256 == state.due.candidate_hash)


def _checked(context: Context, router: Router, found: ScheduledDelivery) -> ScheduledDelivery:
    if context.settings.reservations is None or found.outcome == "would_change":
        return found
    try:
        late, ended = late_reservations(context, router), ended_reservations(context, router)
    except expected() as problem:
        warn(f"router {router.name}: whether reservations are late or have ended is not known: {message(problem)}")
        return replace(found, unchecked=message(problem))
    for each in (*late, *ended):
        warn(str(each))
    return replace(found, late=late, ended=ended)


def _result(entry: Change, outcome: ScheduledOutcome) -> ScheduledDelivery:
    return ScheduledDelivery(entry.router, outcome, entry.effective_s, entry.candidate_hash)


def _keep_failure(context: Context, router: Router, state: RouterState | None, problem: str) -> None:
    """Records a failure unless it equals the previous one."""
    detail = " ".join(problem.split())
    event = NewEvent("undelivered", router.name, detail=detail)
    if state is not None:
        event = about(state.due, "undelivered", "", detail=detail)
    with transaction(context.database) as session:
        audit.append_changed(session, event, "router", "candidate_hash")
