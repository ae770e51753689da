"""What a delivery to routers would do: what changes on each, which one goes first, and whether it may begin now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import Literal

from hntes import clock
from hntes.delivery.batch import in_turn
from hntes.delivery.windows import closed
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.delivery.advice import advice
from hntes.workflow.delivery.push import push_router
from hntes.workflow.delivery.push_request import router_journal
from hntes.workflow.errors import CommandError, expected, message
from hntes.workflow.review.status import RouterStory, Step, router_story

DeliveryOutcome = Literal[
    "changes", "unfinished", "held", "no_approved_config", "failed", "done", "finished", "not_begun"
]  # fmt: skip


@dataclass(frozen=True)
class RouterDelivery:
    """One router of a delivery: what is approved for it, what it would change there, and what became of it.

    `outcome` of a plan: "changes" (by `difference`, the router's own words), "unfinished" (an earlier push has not
    ended, which comes first), "held" (it holds what is approved), "no_approved_config", "failed" (the router was
    asked). Later: "done", "finished" (what an earlier call began), "failed", "not_begun". `problem` says why,
    `next_step` what to do about it.
    """

    router: str
    outcome: DeliveryOutcome
    day: date | None = None
    candidate_hash: str | None = None
    difference: str = ""
    problem: str = ""
    next_step: str = ""
    is_canary: bool = False

    @property
    def is_to_change(self) -> bool:
        """Whether there is something to do on it."""
        return self.outcome in ("changes", "unfinished")


@dataclass(frozen=True)
class DeliveryPlan:
    """The routers in the order in which they are delivered to, the canary first.

    `canary` is the router that has to stand before the others, which may have been delivered to by an earlier call;
    None if nothing changes. `blocked` says why none of them may begin, `closed` why none may begin now; "" if they may.
    """

    routers: tuple[RouterDelivery, ...]
    canary: str | None
    canary_minutes: int
    max_parallel: int
    blocked: str
    closed: str

    @property
    def to_change(self) -> tuple[RouterDelivery, ...]:
        """Those on which there is something to do."""
        return tuple(each for each in self.routers if each.is_to_change)


def plan_delivery(context: Context, routers: Sequence[Router], *, again: bool = False) -> DeliveryPlan:
    """Asks these routers what would change there; changes nothing. `again` is as for `push_router`.

    Raises:
        CommandError: it was interrupted.
    """
    chosen = context.settings.delivery
    asked, interrupted = in_turn(
        [router.name for router in routers],
        chosen.max_parallel,
        partial(_planned, context, again=again),
        lambda: "",
        lambda _name, _result: "",
    )
    if interrupted:
        raise CommandError(f"{interrupted} while the routers were asked; nothing was changed")
    found = [asked[router.name] for router in routers]
    canary, blocked = _canary(context, [each.router for each in found if each.is_to_change])
    ordered = sorted(found, key=lambda each: each.router != canary)
    return DeliveryPlan(
        tuple(RouterDelivery(**vars(each) | {"is_canary": each.router == canary}) for each in ordered),
        canary,
        chosen.canary_minutes,
        chosen.max_parallel,
        blocked,
        closed_now(context),
    )


def closed_now(context: Context, after_s: float = 0.0) -> str:
    """Why no push may begin after so many s from now on, by the settings' windows; "" if one may."""
    chosen = context.settings.delivery
    moment = datetime.fromtimestamp(clock.now_ms() / 1000 + after_s, UTC)
    return closed(chosen.windows, moment, chosen.confirm_minutes)


def _planned(context: Context, name: str, *, again: bool) -> RouterDelivery:
    router = context.settings.router(name)
    try:
        if router_journal(context, router).entry() is not None:
            return _unfinished(context, router)
        shown = push_router(context, router, commit=False, again=again)
    except expected() as problem:
        return RouterDelivery(name, "failed", problem=message(problem), next_step=advice(name, problem))
    if shown is None:
        return RouterDelivery(name, "no_approved_config")
    entry, pushed = shown.change, shown.pushed
    outcome: DeliveryOutcome = "changes" if pushed.outcome == "shown" else "held"
    if outcome == "held" and not router_story(context, router).is_confirmed:
        outcome = "unfinished"  # killed before the log could say that it was kept
    return RouterDelivery(name, outcome, entry.day, entry.candidate_hash, pushed.difference)


def _unfinished(context: Context, router: Router) -> RouterDelivery:
    approved = router_story(context, router).approved
    if approved is None:
        return RouterDelivery(router.name, "unfinished")
    return RouterDelivery(router.name, "unfinished", approved.day, approved.candidate_hash)


def _canary(context: Context, changing: Sequence[str]) -> tuple[str | None, str]:
    """The router that has to stand before others of `changing` begin, and why none may begin at all.

    A router that was delivered to after the newest of the approvals in question has gone before the others already.
    """
    if not changing:
        return None, ""
    stories = {each.name: router_story(context, each) for each in context.settings.routers if each.is_reached}
    gone = _gone_before(stories, changing)
    named = context.settings.delivery.canary
    if named is None or named in changing or named in gone:
        return named or next(iter((*gone, *changing))), ""
    if stories[named].approved and not stories[named].is_confirmed:
        return None, f"the canary {named} goes first, and what is approved for it is not on it; deliver to it before"
    return next(iter((*gone, *changing))), ""


def _gone_before(stories: Mapping[str, RouterStory], changing: Sequence[str]) -> list[str]:
    """Routers that run what was delivered to them since all of `changing` were approved, the earliest first.

    By the numbers of the log's events: by times, a router that was confirmed while the clock was wrong would count as
    tried with what was approved since.
    """
    since = max(_number(stories[name].approved) for name in changing)
    ran = {
        name: _number(each.confirmed) for name, each in stories.items() if each.is_confirmed and name not in changing
    }
    return sorted((name for name, number in ran.items() if number >= since), key=lambda name: ran[name])


def _number(step: Step | None) -> int:
    return step.number or 0 if step else 0
