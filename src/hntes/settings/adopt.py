"""Classes and schedulers of the operator that a router keeps beside HNTES (docs/decisions/0062-adopted-classes.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from hntes.settings.plans import Plan, TwoQueue
from hntes.settings.section import Section
from hntes.settings.terms import ALPHA, Priority

if TYPE_CHECKING:
    from hntes.settings.model import Router

# A name as the router has it: it may begin with a digit, as names of HNTES do not.
OperatorName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$")]
# Marks of other traffic that may wait behind the pairs if the operator says so: interactive data, never voice, video or
# control (RFC 4594).
ShareableMark = Literal["af21", "af22", "af23", "af31", "af32", "af33", "cs2", "cs3", "010", "011"]
SharePct = Annotated[int, Field(ge=1, le=90)]


class Adopt(Section):
    """What core ports keep: the operator's scheduler map (Junos) or output policy (IOS-XR, IOS-XE), named by `policy`.

    With `forwarding_class` the pairs go into that class of the operator: a forwarding class, or a class-map of the
    output policy. With `policy` alone HNTES adds its alpha class to a scheduler map, on a free queue (Junos).
    `shares_with` are marks of other traffic that may be in the pairs' class besides those of bulk transfers.
    """

    forwarding_class: OperatorName | None = None
    """the operator's class that the pairs go into"""
    policy: OperatorName | None = None
    """scheduler map or output policy that core ports keep"""
    shares_with: tuple[ShareableMark, ...] = ()
    """other marks that the pairs' class may hold, besides AF1x, CS1 and LE"""

    @model_validator(mode="after")
    def _names_one_class(self) -> Self:
        if self.forwarding_class is None and self.policy is None:
            raise ValueError("names nothing to keep: set forwarding_class, policy, or both")
        return self


class KeptClass(Section):
    """A class of the operator that gets a queue in the scheduler map of HNTES; its share is taken from alpha's."""

    forwarding_class: OperatorName
    """name of the operator's forwarding class"""
    queue: Annotated[int, Field(ge=1, le=7)]
    """number of the class's hardware queue"""
    share_pct: SharePct
    """share of the link rate, taken from alpha's"""
    buffer_pct: SharePct | None = None
    """share of the buffer, taken from alpha's; default: `share_pct`"""
    priority: Priority = "low"
    """scheduling priority"""


def require_own_running(router: Router) -> None:
    """Raises ValueError if a router that keeps classes lacks what tells them: its running configuration."""
    if router.adopt is not None and router.kept_classes:
        raise ValueError(f"router {router.name}: adopt keeps the operator's schedulers, so leave kept_classes out")
    if router.adopt is None:
        return
    if router.running_config is None or not router.simulate_with_running_config:
        raise ValueError(
            f"router {router.name}: adopt needs running_config, judged together with the plan "
            "(simulate_with_running_config = true): the operator's schedulers are in no other file"
        )
    if router.flowspec is not None or router.redirect is not None:
        other = "flowspec" if router.flowspec is not None else "redirect"
        raise ValueError(f"router {router.name}: adopt and {other} cannot be used together; leave one out")


def require_adoptable(router: Router, plan: Plan) -> None:
    """Raises ValueError if a router's plan asks for more than a queue, or leaves no share for the kept classes."""
    if router.adopt is None and not router.kept_classes:
        return
    key = "adopt" if router.adopt is not None else "kept_classes"
    if not isinstance(plan, TwoQueue) or plan.premium_share_pct is not None or (router.adopt and plan.alpha_ecn):
        raise ValueError(
            f"router {router.name}: {key} needs a plan of kind two_queue without reservations"
            f"{' and alpha_ecn' if router.adopt else ''}, not plan {router.plan!r}"
        )
    taken_pct = sum(each.share_pct for each in router.kept_classes)
    buffers_pct = sum(each.buffer_pct or each.share_pct for each in router.kept_classes)
    if taken_pct >= plan.alpha_share_pct or buffers_pct >= plan.buffers_pct()[ALPHA]:
        raise ValueError(
            f"router {router.name}: kept_classes take {taken_pct}% of the rate and {buffers_pct}% of the buffer from "
            f"alpha, which has {plan.alpha_share_pct}% and {plan.buffers_pct()[ALPHA]}% in plan {router.plan!r}: "
            "lower them, or raise alpha's and lower beta's"
        )
    _require_different(router, plan)


def _require_different(router: Router, plan: Plan) -> None:
    queues, names = router.queues.by_class(), router.class_names.by_class()
    used = {queues[each]: names[each] for each in plan.shares_pct()}
    for each in router.kept_classes:
        if each.queue in used or each.forwarding_class in used.values():
            taken = used.get(each.queue, each.forwarding_class)
            raise ValueError(
                f"router {router.name}: kept class {each.forwarding_class} on queue {each.queue} is in the way of "
                f"class {taken}: give each a name and a queue of its own ([routers.queues], [routers.class_names])"
            )
        used[each.queue] = each.forwarding_class
