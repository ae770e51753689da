"""Check of a model for conflicts with a running configuration."""

from collections.abc import Iterator
from dataclasses import replace

from hntes.platforms.adopted import adopted_findings, kept_expected, read_kept
from hntes.platforms.conflict import Collision, CollisionError
from hntes.platforms.errors import ParseError
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import RouterModel


def check_conflicts(model: RouterModel, running: str) -> RouterModel:
    """The model adapted to a running configuration: with the operator's filters that stay behind those of HNTES.

    Only statements that could conflict are checked; objects of HNTES from an earlier delivery are ignored.

    Args:
        model: A valid model.
        running: The configuration as the router lists it.

    Raises:
        CollisionError: there are conflicts; lists the line of each statement.
    """
    platform = platform_of(model.platform)
    try:
        found = list(platform.conflicts(model, running))
    except ParseError as problem:
        found = [Collision(problem.line, problem.text, problem.reason)]
    if found:
        raise CollisionError(model.router, found)
    fitted = platform.with_running(model, running)
    if fitted.adopted is not None and (unfit := list(_unfit(fitted, running))):
        raise CollisionError(model.router, unfit)
    return fitted


def _unfit(model: RouterModel, running: str) -> Iterator[Collision]:
    """What of the operator's queues cannot take the pairs."""
    try:
        kept = read_kept(model.platform, running, model.interfaces)
    except ParseError as problem:
        yield Collision(problem.line, problem.text, problem.reason)
        return
    beside = replace(kept, ports=kept_expected(platform_of(model.platform).expected(model), kept).ports)
    for each in adopted_findings(beside, model.forwarding_classes[0].queue):
        yield Collision(each.line, f"scheduler of {each.port}", each.reason)
