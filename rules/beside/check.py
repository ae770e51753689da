"""Whether a model can be loaded beside what a router has."""

from collections.abc import Callable, Iterator

from rules.beside.cisco import cisco_collisions
from rules.beside.collision import Collision, CollisionError
from rules.beside.junos import junos_collisions
from rules.qos.model import RouterModel
from rules.readback import ReadBackError
from settings.terms import Platform

_PLATFORMS: dict[Platform, Callable[[RouterModel, str], Iterator[Collision]]] = {
    "junos": junos_collisions,
    "iosxr": cisco_collisions,
    "iosxe": cisco_collisions,
}


def check_beside(model: RouterModel, running: str) -> None:
    """Return if nothing in a router's running configuration is in the way of the model.

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
