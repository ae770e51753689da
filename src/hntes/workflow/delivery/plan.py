"""The plan of a delivery: the changes per router, the canary, and whether the delivery may start now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Literal

from hntes import clock
from hntes.delivery.batch import run_batched
from hntes.delivery.load_watch import WatchedLoad
from hntes.delivery.windows import closed
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.delivery.advice import advice
from hntes.workflow.delivery.authority import AuthorityError
from hntes.workflow.delivery.flowspec_delivery import is_cut
from hntes.workflow.delivery.load import is_watched
from hntes.workflow.delivery.push import push_router
from hntes.workflow.delivery.unfinished import unfinished_push
from hntes.workflow.errors import CommandError, expected, message
from hntes.workflow.review.status import RouterProgress, Step, router_progress
from hntes.workflow.router_state import router_state

# How long a plan waits for somebody's delivery to one of its routers: the others need not wait for its trial.
_WAIT_S = 10.0

DeliveryOutcome = Literal[
    "changes", "unfinished", "held", "no_approved_config", "failed", "done", "finished", "not_started"
]  # fmt: skip


@dataclass(frozen=True)
class RouterDelivery:
    """One router of a delivery: its approved candidate, the change on the router, and the result.

    `outcome` in a plan: "changes" (by `difference`, as the router prints it), "unfinished" (an earlier push has to be
    ended first), "held" (it holds the approved configuration), "no_approved_config", "failed" (the query failed).
    After the delivery: "done", "finished" (an earlier push was completed), "failed", "not_begun". `problem` gives the
    reason, `next_step` the operator's next step. `load`: the router's load at the delivery, None if it was not read;
    `is_watched`: whether it would be.
    """

    router: str
    outcome: DeliveryOutcome
    day: date | None = None
    candidate_hash: str | None = None
    difference: str = ""
    problem: str = ""
    next_step: str = ""
    is_canary: bool = False
    is_watched: bool = False
    load: WatchedLoad | None = None

    @property
    def is_to_change(self) -> bool:
        """Whether the delivery has work on this router."""
        return self.outcome in ("changes", "unfinished")


@dataclass(frozen=True)
class DeliveryPlan:
    """The routers in order of delivery, the canary first.

    `canary` is the router that has to run the new configuration for a while before the others follow; an earlier call
    may have delivered to it. None if nothing changes. `blocked` gives the reason why none may start, `closed` why none
    may start now; "" if they may.
    """

    routers: tuple[RouterDelivery, ...]
    canary: str | None
    canary_minutes: int
    max_parallel: int
    blocked: str
    closed: str

    @property
    def to_change(self) -> tuple[RouterDelivery, ...]:
        """The routers on which the delivery has work."""
        return tuple(each for each in self.routers if each.is_to_change)


def plan_delivery(context: Context, routers: Sequence[Router], *, again: bool = False) -> DeliveryPlan:
    """Queries these routers for the changes of a delivery; changes nothing. `again` is as for `push_router`.

    Raises:
        CommandError: the query was interrupted.
    """
    chosen = context.settings.delivery
    asked, interrupted = run_batched(
        [router.name for router in routers],
        chosen.max_parallel,
        partial(_planned, context, again=again),
        lambda: "",
        lambda _name, _result: "",
    )
    if interrupted:
        raise CommandError(f"{interrupted} while the routers were queried; nothing was changed")
    found = [asked[router.name] for router in routers]
    canary, blocked = _canary(context, [each.router for each in found if each.is_to_change])
    ordered = sorted(found, key=lambda each: each.router != canary)
    return DeliveryPlan(
        tuple(_in_plan(context, each, canary) for each in ordered),
        canary,
        chosen.canary_minutes,
        chosen.max_parallel,
        blocked,
        closed_now(context),
    )


def _in_plan(context: Context, found: RouterDelivery, canary: str | None) -> RouterDelivery:
    watched = is_watched(context.settings, context.settings.router(found.router))
    return replace(found, is_canary=found.router == canary, is_watched=watched)


def closed_now(context: Context, after_s: float = 0.0) -> str:
    """Why no push may start `after_s` from now, by the maintenance windows of the settings; "" if one may."""
    chosen = context.settings.delivery
    moment = datetime.fromtimestamp(clock.now_ms() / 1000 + after_s, UTC)
    return closed(chosen.windows, moment, chosen.confirm_minutes)


def _planned(context: Context, name: str, *, again: bool) -> RouterDelivery:
    router = context.settings.router(name)
    try:
        if unfinished_push(context, router, _WAIT_S) is not None:
            return _unfinished(context, router)
        shown = push_router(context, router, commit=False, again=again)
    except expected() as problem:
        if isinstance(problem, AuthorityError) and _has_cut_announcement(context, router):
            return _unfinished(context, router)
        return RouterDelivery(name, "failed", problem=message(problem), next_step=advice(name, problem))
    if shown is None:
        return RouterDelivery(name, "no_approved_config")
    entry, pushed = shown.change, shown.pushed
    outcome: DeliveryOutcome = "changes" if pushed.outcome == "shown" else "held"
    if outcome == "held" and not router_progress(context, router).is_confirmed:
        outcome = "unfinished"  # killed before the log recorded its end
    return RouterDelivery(name, outcome, entry.day, entry.candidate_hash, pushed.difference)


def _has_cut_announcement(context: Context, router: Router) -> bool:
    """Whether rules that may no longer be announced have to be taken back, which only a committed delivery does."""
    state = router_state(context, router) if router.flowspec is not None else None
    return state is not None and is_cut(state)


def _unfinished(context: Context, router: Router) -> RouterDelivery:
    approved = router_progress(context, router).approved
    if approved is None:
        return RouterDelivery(router.name, "unfinished")
    return RouterDelivery(router.name, "unfinished", approved.day, approved.candidate_hash)


def _canary(context: Context, changing: Sequence[str]) -> tuple[str | None, str]:
    """The canary of the routers in `changing`, and why none may start at all.

    A router that was delivered to after the newest of the approvals in question has already served as the canary.
    """
    if not changing:
        return None, ""
    stories = {each.name: router_progress(context, each) for each in context.settings.routers if each.is_reached}
    gone = _gone_before(stories, changing)
    named = context.settings.delivery.canary
    if named is None or named in changing or named in gone:
        return named or next(iter((*gone, *changing))), ""
    if stories[named].approved and not stories[named].is_confirmed:
        return None, f"the canary {named} goes first and does not run its approved configuration; deliver to it first"
    return next(iter((*gone, *changing))), ""


def _gone_before(stories: Mapping[str, RouterProgress], changing: Sequence[str]) -> list[str]:
    """Routers that were verified with a delivery after all approvals of `changing`, the earliest first.

    Ordered by event numbers, not by times: a router that was verified while the clock was wrong would otherwise count
    as tried with later approvals.
    """
    since = max(_number(stories[name].approved) for name in changing)
    ran = {
        name: _number(each.confirmed) for name, each in stories.items() if each.is_confirmed and name not in changing
    }
    return sorted((name for name, number in ran.items() if number >= since), key=lambda name: ran[name])


def _number(step: Step | None) -> int:
    return step.number or 0 if step else 0
