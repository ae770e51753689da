"""Routers and ports as an inventory knows them, looked up by exporter and SNMP index."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from hntes.errors import HntesError
from hntes.platforms.registry import installed_platforms, platform_of

# A port with its unit, as ifName and ifDescr of routers have it: xe-0/0/1.0.
_WITH_UNIT = re.compile(r"(.+?)\.(\d{1,10})")
_PORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9/:._-]{0,62}")


class InventoryError(HntesError):
    """An inventory cannot be read."""


@dataclass(frozen=True)
class KnownPort:
    """A port: its name and unit as the router's configuration has them; the rate is None where it is not known.

    `logical` is the logical interface on it, "" where it is not known or not named apart.
    """

    snmp_index: int | None
    name: str
    unit: int | None = None
    rate_bps: int | None = None
    description: str = ""
    role: str = ""
    logical: str = ""


@dataclass(frozen=True)
class KnownRouter:
    """A router with the addresses that it may export from; name and platform are "" where they are not known."""

    addresses: frozenset[str]
    name: str = ""
    platform: str = ""
    ports: tuple[KnownPort, ...] = ()

    @property
    def by_index(self) -> Mapping[int, KnownPort]:
        """The ports that have an SNMP index."""
        return {port.snmp_index: port for port in self.ports if port.snmp_index is not None}


@dataclass(frozen=True)
class Inventory:
    """Routers by the addresses that they export from. `problems` are sentences on what could not be used."""

    routers: tuple[KnownRouter, ...] = ()
    problems: tuple[str, ...] = ()
    _by_address: dict[str, KnownRouter] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_address = {address: router for router in reversed(self.routers) for address in router.addresses}
        object.__setattr__(self, "_by_address", by_address)

    def router(self, exporter: str) -> KnownRouter | None:
        """The router with this address, None if it is not known; of several sources the first that knows it counts."""
        return self._by_address.get(exporter)


def merged(inventories: Iterable[Inventory]) -> Inventory:
    """Several inventories as one; the first that knows a router counts."""
    listed = list(inventories)
    return Inventory(
        tuple(router for each in listed for router in each.routers),
        tuple(problem for each in listed for problem in each.problems),
    )


def named_port(text: str) -> tuple[str, int | None] | None:
    """The name of a port and its unit, None if the text is no name of one.

    Example:
        >>> named_port("xe-0/0/1.0"), named_port("HundredGigE0/0/0/1"), named_port("Null 0")
        (('xe-0/0/1', 0), ('HundredGigE0/0/0/1', None), None)
    """
    if not _PORT.fullmatch(text) or ".." in text or text.endswith(("/", ".", ":")):
        return None
    found = _WITH_UNIT.fullmatch(text)
    return (found[1], int(found[2])) if found else (text, None)


def platform_described(text: str) -> str:
    """The installed platform that describes itself so (by sysDescr, or by its name in NetBox); "" if none does."""
    found = (name for name in installed_platforms() if _describes(name, text))
    return next(found, "")


def _describes(name: str, text: str) -> bool:
    pattern = platform_of(name).capabilities.system_description
    return name == text or (pattern is not None and pattern.search(text) is not None)


def address_of_name(path: Path) -> str | None:
    """The address in a file's name, with or without a suffix: 192.0.2.1.walk."""
    return next((str(ip_address(text)) for text in (path.stem, path.name) if is_address(text)), None)


def is_address(text: str) -> bool:
    """Whether a text is an IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
