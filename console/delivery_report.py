"""How a delivery to routers is shown: the plan before it, each router on the way, and the report at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from base.wording import counted
from console import output

if TYPE_CHECKING:
    from pipeline.delivery_plan import DeliveryPlan, RouterDelivery

_PLANNED = {
    "changes": "would change so; --commit delivers it",
    "unfinished": "an earlier push has not ended; --commit ends it first",
    "held": "holds it already",
    "nothing_approved": "nothing is approved",
    "failed": "FAILED",
}
_ENDED = {
    "done": "delivered: verified on trial, then confirmed",
    "finished": "delivered: what an earlier call began was verified and confirmed",
    "held": "holds it already",
    "nothing_approved": "nothing is approved",
    "failed": "FAILED",
    "not_begun": "not begun",
}
_COUNTED = {
    "done": "delivered", "finished": "delivered", "held": "held it already", "nothing_approved": "nothing approved",
    "failed": "failed", "not_begun": "not begun",
}  # fmt: skip


def print_plan(plan: DeliveryPlan) -> None:
    """The routers in their order with the difference of each, then how it would go."""
    for each in plan.routers:
        output.line(f"{_about(each)}{_PLANNED[each.outcome]}{' (canary)' if each.is_canary else ''}")
        for line in each.difference.splitlines():
            output.line(f"  {line}")
    if plan.to_change:
        output.line(_course(plan))


def print_report(ended: Sequence[RouterDelivery]) -> None:
    """What became of each router, counts, and what is left to do."""
    output.line("-- report")
    for each in ended:
        output.line(f"{_about(each)}{_ENDED[each.outcome]}{' (canary)' if each.is_canary else ''}")
        if each.outcome == "failed":
            for line in each.problem.removeprefix(f"router {each.router}: ").splitlines():
                output.line(f"  {line}")
    told = Counter(_COUNTED[each.outcome] for each in ended)
    output.line(f"{counted(len(ended), 'router')}: {', '.join(f'{number} {word}' for word, number in told.items())}")
    failed = [each for each in ended if each.outcome == "failed"]
    left = [each for each in ended if each.outcome == "not_begun"]
    if failed or left:
        output.line("-- what to do next")
    for each in failed:
        output.line(f"{each.router}: {each.next_step}")
    if left:
        output.line(
            f"{', '.join(each.router for each in left)}: not begun, since {left[0].problem}; {left[0].next_step}"
        )


def print_failures(routers: Sequence[RouterDelivery]) -> None:
    """Each failure with its message."""
    for each in routers:
        if each.outcome == "failed":
            output.note(f"hntes: router {each.router} failed: {each.problem}")


def _about(each: RouterDelivery) -> str:
    return f"{each.router} {each.day}: " if each.day else f"{each.router}: "


def _course(plan: DeliveryPlan) -> str:
    others = len([each for each in plan.to_change if each.router != plan.canary])
    parts = [f"{counted(len(plan.to_change), 'router')} to change"]
    if plan.canary:
        stands = f", has to stand for {counted(plan.canary_minutes, 'minute')}" if plan.canary_minutes else ""
        parts.append(f"the canary {plan.canary} goes first{stands}")
    if others:
        parts.append(f"then {'one' if plan.at_once == 1 else f'at most {plan.at_once}'} at a time")
    return "; ".join([*parts, plan.blocked or plan.closed or "may begin now"])
