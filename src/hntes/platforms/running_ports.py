"""What a running configuration says of a router and its ports, without their SNMP indexes, which it does not hold."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_interface

_SPEED = re.compile(r"(\d{1,6}(?:\.\d+)?)([kmg]?)(?:bps)?", re.IGNORECASE)
_UNIT_BPS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


@dataclass(frozen=True)
class RunningPort:
    """A port that routes packets, named as its configuration has it; the rate is None where nothing says it.

    `logical` is the interface on this port and unit where the router names it apart, else "".
    """

    name: str
    unit: int | None = None
    rate_bps: int | None = None
    description: str = ""
    logical: str = ""


@dataclass(frozen=True)
class RunningRouter:
    """A router: its name ("" if it has none), all addresses of its interfaces, and its ports in the text's order."""

    name: str
    addresses: frozenset[str]
    ports: tuple[RunningPort, ...]


def stated_bps(text: str) -> int | None:
    """A rate with a decimal unit, None if it is none.

    Example:
        >>> stated_bps("100g"), stated_bps("2.5g"), stated_bps("auto")
        (100000000000, 2500000000, None)
    """
    found = _SPEED.fullmatch(text)
    return round(float(found[1]) * _UNIT_BPS[found[2].lower()]) if found else None


def summed_bps(rates: Iterable[int | None]) -> int | None:
    """The rate of a bundle with members of these rates; None if it has none, or one is not known."""
    listed = list(rates)
    known = [each for each in listed if each is not None]
    return sum(known) if known and len(known) == len(listed) else None


def host_address(text: str) -> str | None:
    """The address in `192.0.2.1/30`, `192.0.2.1/255.255.255.252` or alone; None if it is none, or a loopback's."""
    try:
        address = ip_interface(text).ip
    except ValueError:
        return None
    return None if address.is_loopback or address.is_link_local or address.is_unspecified else str(address)
