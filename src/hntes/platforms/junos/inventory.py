"""Name, addresses and ports of a Junos router, from its configuration.

Rates: `speed` of a port or of its place in the chassis, else the kind of its name where that fixes one; an aggregate
has the sum of its members. `bandwidth` of a unit goes first: the router reports it as ifHighSpeed. Sources: Juniper,
Interfaces Fundamentals, "Interface Naming Overview"; Ethernet Interfaces User Guide, `speed`, `gigether-options`.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.inheritance import expand
from hntes.platforms.junos.parser.listing import read_listing
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.running_ports import RunningPort, RunningRouter, host_address, stated_bps, summed_bps

# Ports that carry transit traffic; et- has several rates.
_PORT = re.compile(r"(?:(fe|ge|xe|et|so)-\d+/\d+/\d+(?::\d+)?|(ae|reth)\d+)")
_KIND_BPS = {"fe": 10**8, "ge": 10**9, "xe": 10**10}
_PLACE = re.compile(r"[a-z]+-(\d+)/(\d+)/(\d+)")
_OPTIONS = ("gigether-options", "ether-options", "fastether-options")
_ROUTED = ("inet", "inet6", "mpls")


def running_inventory(text: str) -> RunningRouter | None:
    """The router of a configuration in any form that a router lists; None if the text is of another platform."""
    try:
        root = read_listing(text)
    except ParseError:
        return None
    # without a group that the listing applies but does not show, the ports are those that stand in place
    with suppress(ParseError):
        expand(root)
    interfaces = root.child("interfaces")
    if interfaces is None:
        return None
    name = next(iter(root.child("system", "host-name") or ()), None)
    return RunningRouter(
        name.word if name is not None else "",
        frozenset(address for each in interfaces for address in _addresses(each)),
        tuple(port for each in interfaces for port in _ports(root, each)),
    )


def _addresses(interface: Node) -> Iterator[str]:
    for unit in interface.child("unit") or ():
        for family in ("inet", "inet6"):
            for each in unit.child("family", family, "address") or ():
                if (address := host_address(each.word)) is not None:
                    yield address


def _ports(root: Node, interface: Node) -> Iterator[RunningPort]:
    """Its units that route packets."""
    if not _PORT.fullmatch(interface.word) or interface.child("disable") is not None:
        return
    rate_bps = _rate_bps(root, interface)
    for unit in interface.child("unit") or ():
        is_routed = any(unit.child("family", family) is not None for family in _ROUTED)
        if not unit.word.isdigit() or unit.child("disable") is not None or not is_routed:
            continue
        stated = _value(unit, "bandwidth")
        own = stated_bps(stated) if stated else None
        text = _value(unit, "description") or _value(interface, "description")
        yield RunningPort(interface.word, int(unit.word), own or rate_bps, text)


def _rate_bps(root: Node, interface: Node) -> int | None:
    """The rate of a port or an aggregate."""
    named = _PORT.fullmatch(interface.word)
    if named is not None and named[2]:
        members = [each for each in root.child("interfaces") or () if _bundle(each) == interface.word]
        return summed_bps(_rate_bps(root, each) for each in members)
    stated = [_value(interface, "speed"), *(_value(interface, option, "speed") for option in _OPTIONS)]
    found = next((rate for text in stated if text and (rate := stated_bps(text))), None)
    return found or _chassis_bps(root, interface.word) or (_KIND_BPS.get(named[1]) if named else None)


def _bundle(interface: Node) -> str:
    places = [(option, kind) for option in _OPTIONS for kind in ("802.3ad", "redundant-parent")]
    return next((bundle for place in places if (bundle := _value(interface, *place))), "")


def _chassis_bps(root: Node, name: str) -> int | None:
    """The speed of `chassis fpc N pic N port N`."""
    found = _PLACE.match(name)
    if found is None:
        return None
    text = _value(root, "chassis", "fpc", found[1], "pic", found[2], "port", found[3], "speed")
    return stated_bps(text) if text else None


def _value(node: Node, *words: str) -> str:
    """The value of a statement, "" if there is none."""
    found = node.child(*words)
    return next((each.word for each in found), "") if found is not None else ""
