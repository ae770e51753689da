"""Name, addresses and ports of an IOS-XR or IOS-XE router, from its configuration.

Rates: `bandwidth` (kbit/s), which the router reports as ifHighSpeed, else `speed`, else the kind of the port's name; a
bundle has the sum of its members. Sources: Cisco IOS Interface and Hardware Component Command Reference, `bandwidth`,
`speed`, `channel-group`; IOS XR Interface and Hardware Component Configuration Guide, `bundle id`.
"""

import re
from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, interface_name, is_routed, read_sections
from hntes.platforms.errors import ParseError
from hntes.platforms.running_ports import RunningPort, RunningRouter, host_address, summed_bps

_UNIT = re.compile(r"(.+?)\.(\d{1,10})")
_MASK = re.compile(r"\d+\.\d+\.\d+\.\d+")
_BUNDLE = re.compile(r"(?:Bundle-Ether|Bundle-POS|Port-channel)(\d+)", re.IGNORECASE)
# The longest kind first: TenGigabitEthernet is no GigabitEthernet.
_KIND_MBPS = (
    ("EightHundredGig", 800_000), ("FourHundredGig", 400_000), ("TwoHundredGig", 200_000), ("HundredGig", 100_000),
    ("FiftyGig", 50_000), ("FortyGig", 40_000), ("TwentyFiveGig", 25_000), ("TenGig", 10_000), ("FiveGig", 5_000),
    ("TwoGig", 2_500), ("Gig", 1_000), ("FastEthernet", 100),
)  # fmt: skip


def running_inventory(text: str, family: str) -> RunningRouter | None:
    """The router of a configuration whose IPv4 statements begin with `family`; None if it is of another platform."""
    try:
        root = read_sections(text)
    except ParseError:
        return None
    listed: dict[str, list[Section]] = {}
    for each in root:
        if (name := interface_name(each.words)) and is_routed(each.words):
            listed.setdefault(name, []).extend(each)
    if not any(_is_addressed(line, family) for each in listed.values() for line in each):
        return None
    host = next((each.words[1] for each in root if each.begins("hostname") and len(each.words) > 1), "")
    return RunningRouter(
        host,
        frozenset(address for each in listed.values() for address in _addresses(each, family)),
        tuple(port for name, each in listed.items() for port in _port(listed, name, each, family)),
    )


def _is_addressed(line: Section, family: str) -> bool:
    """Whether a line gives an address with a mask, or on IOS-XR with a length."""
    if not line.begins(family, "address") or len(line.words) < 3:
        return False
    has_mask = len(line.words) > 3 and _MASK.fullmatch(line.words[3]) is not None
    return has_mask or (family == "ipv4" and "/" in line.words[2])


def _addresses(interface: list[Section], family: str) -> Iterator[str]:
    for line in interface:
        is_address = _is_addressed(line, family) or (line.begins("ipv6", "address") and len(line.words) > 2)
        address = host_address(line.words[2].partition("/")[0]) if is_address else None
        if address is not None:
            yield address


def _port(listed: dict[str, list[Section]], name: str, interface: list[Section], family: str) -> Iterator[RunningPort]:
    base, _, _ = name.partition(".")
    rate_bps = _rate_bps(listed, base)
    is_port = any(base.startswith(kind) for kind, _ in _KIND_MBPS) or _BUNDLE.fullmatch(base)
    is_down = _has(interface, "shutdown") or _has(listed.get(base, []), "shutdown")
    if not is_port or is_down or not any(_addresses(interface, family)) or _is_managements(interface):
        return
    unit = _UNIT.fullmatch(name)
    text = " ".join(next((line.words[1:] for line in interface if line.begins("description")), ()))
    own = _stated_bps(interface)
    yield RunningPort(base, int(unit[2]) if unit else None, own or rate_bps, text)


def _has(interface: list[Section], word: str) -> bool:
    """Whether an interface has this statement of one word."""
    return any(line.words == (word,) for line in interface)


def _is_managements(interface: list[Section]) -> bool:
    return any(line.words[0] in ("vrf", "ip") and re.search(r"mgmt|management", line.text, re.I) for line in interface)


def _rate_bps(listed: dict[str, list[Section]], name: str) -> int | None:
    """The rate of a port or a bundle."""
    stated = _stated_bps(listed.get(name, []))
    if stated is not None:
        return stated
    if bundle := _BUNDLE.fullmatch(name):
        members = [member for member, each in listed.items() if _bundle(each) == bundle[1]]
        return summed_bps(_rate_bps(listed, each) for each in members)
    return next((mbps * 10**6 for kind, mbps in _KIND_MBPS if name.startswith(kind)), None)


def _stated_bps(interface: list[Section]) -> int | None:
    """By `bandwidth` in kbit/s, or `speed` in Mbit/s."""
    for word, unit_bps in (("bandwidth", 1_000), ("speed", 1_000_000)):
        found = next((line.words[1] for line in interface if line.begins(word) and len(line.words) == 2), "")
        if found.isdecimal() and 0 < int(found) <= 10**10:
            return int(found) * unit_bps
    return None


def _bundle(interface: list[Section]) -> str:
    """The number of the bundle that a port is a member of."""
    for line in interface:
        if line.begins("bundle", "id") and len(line.words) > 2:
            return line.words[2]
        if line.begins("channel-group") and len(line.words) > 1:
            return line.words[1]
    return ""
