"""The check that a model can be loaded into what a router has."""

from hntes.platforms.conflict import Collision, CollisionError
from hntes.platforms.errors import ParseError
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import RouterModel


def check_beside(model: RouterModel, running: str) -> RouterModel:
    """The model as it stands beside what a router has: with the operator's statements that stay behind its own.

    Only what could collide is looked at; objects of HNTES, which an earlier delivery has left there, are not.

    Args:
        model: A valid model.
        running: The configuration as the router lists it.

    Raises:
        CollisionError: With the line of each statement that is.
    """
    platform = platform_of(model.platform)
    try:
        found = list(platform.conflicts(model, running))
    except ParseError as problem:
        found = [Collision(problem.line, problem.text, problem.reason)]
    if found:
        raise CollisionError(model.router, found)
    return platform.with_running(model, running)
