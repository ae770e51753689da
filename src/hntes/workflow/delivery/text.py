"""Display lines of a delivery: its plan and its report."""

from collections import Counter
from collections.abc import Iterator, Sequence

from hntes.delivery.load_watch import load_words
from hntes.format import counted
from hntes.workflow.delivery.plan import DeliveryPlan, RouterDelivery

_PLANNED = {
    "changes": "would change as follows; --commit delivers it",
    "unfinished": "an earlier push is unfinished; --commit ends it first",
    "held": "up to date",
    "no_approved_config": "nothing is approved",
    "failed": "FAILED",
}
_ENDED = {
    "done": "delivered: verified on trial, then confirmed",
    "finished": "delivered: an interrupted push was verified and confirmed",
    "held": "up to date",
    "no_approved_config": "nothing is approved",
    "failed": "FAILED",
    "not_started": "not started",
}
_COUNTED = {
    "done": "delivered", "finished": "delivered", "held": "up to date", "no_approved_config": "nothing approved",
    "failed": "failed", "not_started": "not started",
}  # fmt: skip


def plan_lines(plan: DeliveryPlan) -> Iterator[str]:
    """The routers in order with their differences, then the course of the delivery."""
    for each in plan.routers:
        yield f"{_about(each)}{_PLANNED[each.outcome]}{_canary(each)}"
        yield from _indented(each.difference)
    if plan.to_change:
        yield _course(plan)
    if unwatched := [each.router for each in plan.to_change if not each.is_watched]:
        yield f"processor and memory are not watched, for want of `snmp` in the settings: {', '.join(unwatched)}"


def report_lines(ended: Sequence[RouterDelivery]) -> Iterator[str]:
    """The result of each router, counts, and next steps."""
    yield "-- report"
    for each in ended:
        yield f"{_about(each)}{_ENDED[each.outcome]}{_canary(each)}"
        if each.outcome == "failed":
            yield from _indented(each.problem.removeprefix(f"router {each.router}: "))
        yield from _indented("\n".join(_load_lines(each)))
    counts = Counter(_COUNTED[each.outcome] for each in ended)
    yield f"{counted(len(ended), 'router')}: {', '.join(f'{number} {word}' for word, number in counts.items())}"
    failed = [each for each in ended if each.outcome == "failed"]
    left = [each for each in ended if each.outcome == "not_started"]
    if failed or left:
        yield "-- next steps"
    yield from (f"{each.router}: {each.next_step}" for each in failed)
    if left:
        yield f"{', '.join(each.router for each in left)}: not started, since {left[0].problem}; {left[0].next_step}"


def _about(each: RouterDelivery) -> str:
    return f"{each.router} {each.day}: " if each.day else f"{each.router}: "


def _canary(each: RouterDelivery) -> str:
    return " (canary)" if each.is_canary else ""


def _load_lines(each: RouterDelivery) -> Iterator[str]:
    if each.load is not None and each.load.before is not None:
        yield f"before: {load_words(each.load.before)}"
    if each.load is not None and each.load.on_trial is not None:
        yield f"on trial: {load_words(each.load.on_trial)}"


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in text.splitlines())


def _course(plan: DeliveryPlan) -> str:
    others = len([each for each in plan.to_change if each.router != plan.canary])
    parts = [f"{counted(len(plan.to_change), 'router')} to change"]
    if plan.canary:
        soak = f" and has to run for {counted(plan.canary_minutes, 'minute')}" if plan.canary_minutes else ""
        parts.append(f"the canary {plan.canary} goes first{soak}")
    if others:
        parts.append(f"then {'one' if plan.max_parallel == 1 else f'at most {plan.max_parallel}'} at a time")
    return "; ".join([*parts, plan.blocked or plan.closed or "may start now"])
