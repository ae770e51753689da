"""Name, addresses and ports of an EOS router, from its configuration.

Rates: `speed` (100g-4, forced 10000full); a port channel has the sum of its members.
"""

import re
from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, interface_name
from hntes.platforms.eos.parser.listing import read_listing
from hntes.platforms.errors import ParseError
from hntes.platforms.running_ports import RunningPort, RunningRouter, host_address, stated_bps, summed_bps

_PORT = re.compile(r"(?P<port>Ethernet\d+(?:/\d+){0,2}|Port-Channel\d+)(?:\.(?P<unit>\d{1,10}))?")
_SPEED = re.compile(r"speed (?:forced )?(?:(?P<gigabit>\d+(?:\.\d+)?)g(?:-\d+)?|(?P<mbps>\d+)(?:full|half))", re.I)


def running_inventory(text: str) -> RunningRouter | None:
    """The router of a configuration of EOS; None if the text is of another platform."""
    try:
        root = read_listing(text)
    except ParseError:
        return None
    listed: dict[str, list[Section]] = {}
    for each in root:
        if name := interface_name(each.words):
            listed.setdefault(name, []).extend(each)
    ports = [name for name in listed if _PORT.fullmatch(name)]
    if not ports or not any(_is_addressed(line) for each in listed.values() for line in each):
        return None
    host = next((each.words[1] for each in root if each.begins("hostname") and len(each.words) > 1), "")
    addresses = frozenset(address for each in listed.values() for address in _addresses(each))
    return RunningRouter(host, addresses, tuple(port for name in ports for port in _port(listed, name)))


def _is_addressed(line: Section) -> bool:
    """Whether a line gives an IPv4 address by its length, as EOS does."""
    return line.begins("ip", "address") and len(line.words) > 2 and "/" in line.words[2]


def _addresses(interface: list[Section]) -> Iterator[str]:
    for line in interface:
        is_address = _is_addressed(line) or (line.begins("ipv6", "address") and len(line.words) > 2)
        address = host_address(line.words[2].partition("/")[0]) if is_address else None
        if address is not None:
            yield address


def _port(listed: dict[str, list[Section]], name: str) -> Iterator[RunningPort]:
    named = _PORT.fullmatch(name)
    lines = listed[name]
    base = named["port"] if named is not None else name
    is_down = any(line.words == ("shutdown",) for line in (*lines, *listed.get(base, ())))
    is_managements = any(re.fullmatch(r"vrf \S*(?:mgmt|management)\S*", line.text, re.IGNORECASE) for line in lines)
    if named is None or is_down or is_managements or not any(_addresses(lines)):
        return
    said = " ".join(next((line.words[1:] for line in lines if line.begins("description")), ()))
    unit = int(named["unit"]) if named["unit"] else None
    yield RunningPort(base, unit, _rate_bps(listed, base), said)


def _rate_bps(listed: dict[str, list[Section]], name: str) -> int | None:
    if name.startswith("Port-Channel"):
        channel = name.removeprefix("Port-Channel")
        members = [
            port for port, lines in listed.items() if any(one.words[:2] == ("channel-group", channel) for one in lines)
        ]
        return summed_bps(_rate_bps(listed, each) for each in members)
    for line in listed.get(name, ()):
        if (said := _SPEED.fullmatch(line.text)) is not None:
            return stated_bps(f"{said['gigabit']}g" if said["gigabit"] else f"{said['mbps']}m")
    return None
