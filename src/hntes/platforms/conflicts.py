"""Whether a model can be loaded beside what a router has."""

from collections.abc import Callable, Iterator

from hntes.platforms.cisco.conflicts import cisco_collisions
from hntes.platforms.conflict import Collision, CollisionError
from hntes.platforms.junos.conflicts import junos_collisions
from hntes.platforms.junos.input_filters import with_operator_filters
from hntes.platforms.parse import ReadBackError
from hntes.rules.qos.model import RouterModel
from hntes.settings.terms import Platform

_PLATFORMS: dict[Platform, Callable[[RouterModel, str], Iterator[Collision]]] = {
    "junos": junos_collisions,
    "iosxr": cisco_collisions,
    "iosxe": cisco_collisions,
}


def check_beside(model: RouterModel, running: str) -> RouterModel:
    """The model as it stands beside what a router has: on Junos, with the operator's input filters behind its own.

    Only what could collide is looked at; objects of HNTES, which an earlier delivery has left there, are not.

    Args:
        model: A valid model.
        running: The configuration as the router lists it.

    Raises:
        CollisionError: With the line of each statement that is.
    """
    try:
        found = list(_PLATFORMS[model.platform](model, running))
    except ReadBackError as problem:
        found = [Collision(problem.line, problem.text, problem.reason)]
    if found:
        raise CollisionError(model.router, found)
    return with_operator_filters(model, running) if model.platform == "junos" else model
