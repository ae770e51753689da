"""Conflicts between an IOS-XE router's own statements and those of HNTES."""

from collections.abc import Iterator

from hntes.platforms.cisco.conflicts import NO_REDIRECT, RedirectPlaces, cisco_collisions
from hntes.platforms.cisco.parser.tree import read_sections
from hntes.platforms.conflict import Collision
from hntes.rules.qos.model import RouterModel

_ROUTE_MAPS = RedirectPlaces({4: ("ip", "policy", "route-map"), 6: ("ipv6", "policy", "route-map")})


def conflicts(model: RouterModel, running: str) -> Iterator[Collision]:
    """Each conflicting statement of an IOS-XE configuration.

    Raises:
        ParseError: the text is not such a configuration.
    """
    return cisco_collisions(model, read_sections(running), _ROUTE_MAPS if model.redirect is not None else NO_REDIRECT)
