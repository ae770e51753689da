"""Conflicts between an IOS-XE router's own statements and those of HNTES."""

from collections.abc import Iterator

from hntes.platforms.cisco.conflicts import NO_REDIRECT, RedirectPlaces, cisco_collisions
from hntes.platforms.cisco.parser.tree import Section, read_sections
from hntes.platforms.conflict import Collision
from hntes.platforms.iosxe.syntax import SYNTAX
from hntes.rules.qos.model import RouterModel

_ROUTE_MAPS = RedirectPlaces({4: ("ip", "policy", "route-map"), 6: ("ipv6", "policy", "route-map")})


def conflicts(model: RouterModel, running: str) -> Iterator[Collision]:
    """Each conflicting statement of an IOS-XE configuration.

    Raises:
        ParseError: the text is not such a configuration.
    """
    root = read_sections(running)
    yield from cisco_collisions(
        model, root, _ROUTE_MAPS if model.redirect is not None else NO_REDIRECT, SYNTAX.default_match
    )
    yield from _aggregates(model, root)


def _aggregates(model: RouterModel, root: Section) -> Iterator[Collision]:
    """Port-channels without the statement that lets their main interface have queues.

    Source: Cisco, QoS: Aggregate EtherChannel Quality of Service (IOS XE 16.12): the statement is for the time before
    the port-channel is made.
    """
    allowed = {each.words[-1] for each in root if each.begins("platform", "qos", "port-channel-aggregate")}
    for name in sorted({each.name for each in model.interfaces if each.is_core}):
        number = name.lower().removeprefix("port-channel")
        if number != name.lower() and number not in allowed:
            reason = f"takes no output policy without `platform qos port-channel-aggregate {number}` (ASR 1000)"
            yield Collision(0, f"interface {name}", reason)
