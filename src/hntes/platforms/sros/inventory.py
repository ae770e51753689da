"""Name, addresses and ports of an SR OS router, from its configuration.

Rates: `breakout` of the connector, as c4-10g (nokia-types-port); a LAG has the sum of its ports. The interfaces are
those of router Base.
"""

import re
from collections.abc import Iterator

from hntes.platforms.errors import ParseError
from hntes.platforms.running_ports import RunningPort, RunningRouter, host_address, stated_bps, summed_bps
from hntes.platforms.sros.parser.tree import Node, read_listing

_PORT = re.compile(r"(?P<port>(?:\d+/[\w/]+|lag-[\w-]+))(?::(?P<tag>\d+))?")
_BREAKOUT = re.compile(r"c\d+-(?P<speed>\d+(?:\.\d+)?g)(?:-.*)?")


def running_inventory(text: str) -> RunningRouter | None:
    """The router of a configuration in MD-CLI form; None if the text is of another platform."""
    try:
        configure = read_listing(text)
    except ParseError:
        return None
    interfaces = configure.child("router", "Base", "interface")
    if interfaces is None:
        return None
    name = next(iter(configure.child("system", "name") or ()), None)
    return RunningRouter(
        name.word if name is not None else "",
        frozenset(address for each in interfaces for address in _addresses(each)),
        tuple(port for each in interfaces for port in _ports(configure, each)),
    )


def _addresses(interface: Node) -> Iterator[str]:
    primary = interface.child("ipv4", "primary", "address")
    for each in (*(primary or ()), *(interface.child("ipv6", "address") or ())):
        if (address := host_address(each.word)) is not None:
            yield address


def _ports(configure: Node, interface: Node) -> Iterator[RunningPort]:
    is_down = any(each.word == "disable" for each in interface.child("admin-state") or ())
    for each in interface.child("port") or () if not is_down else ():
        if (named := _PORT.fullmatch(each.word)) is not None:
            described = next((one.word for one in interface.child("description") or ()), "")
            rate_bps = _rate_bps(configure, named["port"])
            yield RunningPort(named["port"], int(named["tag"] or 0), rate_bps, described, interface.word)


def _rate_bps(configure: Node, port: str) -> int | None:
    if port.startswith("lag-"):
        return summed_bps(_rate_bps(configure, each.word) for each in configure.child("lag", port, "port") or ())
    connector, _, _ = port.rpartition("/")
    for each in configure.child("port", connector, "connector", "breakout") or ():
        if (found := _BREAKOUT.fullmatch(each.word)) is not None:
            return stated_bps(found["speed"])
    return None
