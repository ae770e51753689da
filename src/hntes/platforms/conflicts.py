"""Check of a model for conflicts with a running configuration."""

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
    return platform.with_running(model, running)
