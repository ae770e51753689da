"""A router's running configuration as an inventory: names, rates and descriptions of its ports.

A configuration holds no SNMP indexes. They are taken from the lines that a router prints of them, where these stand in
the same file, also behind `!` or `#`: Junos `show snmp mib walk ifName` (ifName.501 = xe-0/1/0.0), IOS-XE
`show snmp mib ifmib ifindex` (TenGigabitEthernet0/0/2: Ifindex = 502), IOS-XR `show snmp interface` (ifName :
TenGigE0_0_0_2  ifIndex : 502). Without them ports are known by name alone.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from hntes.platforms.registry import installed_platforms, platform_of
from hntes.platforms.running_ports import RunningPort, RunningRouter
from hntes.sanitize import shown
from hntes.workflow.inventory.known import (
    Inventory,
    InventoryError,
    KnownPort,
    KnownRouter,
    address_of_name,
    named_port,
)
from hntes.workflow.running_configuration import configuration_text

MOST_BYTES = 64_000_000
_BEFORE = r"[!#\s]*"
_INDEX_LINES = (
    re.compile(_BEFORE + r"ifName\.(?P<index>\d{1,10}) = (?P<port>\S{1,80})\s*"),
    re.compile(_BEFORE + r"(?P<port>\S{1,80}): Ifindex = (?P<index>\d{1,10})\s*", re.IGNORECASE),
    re.compile(_BEFORE + r"ifName : (?P<port>\S{1,80})\s+ifIndex : (?P<index>\d{1,10})\s*", re.IGNORECASE),
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")


def inventory_of_running(path: Path, exporters: Collection[str]) -> Inventory:
    """The router of a file, as it lists its configuration, with the addresses of its interfaces and of the file's name.

    Raises:
        InventoryError: the file is too large, or no installed platform understands it.
        CommandError: the file cannot be read.
    """
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise InventoryError(f"{path}: larger than {MOST_BYTES // 10**6} MB")
    lines = configuration_text(path).splitlines()
    found = [next((hit for form in _INDEX_LINES if (hit := form.fullmatch(line))), None) for line in lines]
    text = "\n".join("" if hit else line for line, hit in zip(lines, found, strict=True))
    indexes = {_plain(hit["port"]): int(hit["index"]) for hit in found if hit}
    platform, router = _understood(path, text)
    named = address_of_name(path)
    known = KnownRouter(
        router.addresses | ({named} if named else set()),
        router.name if _NAME.fullmatch(router.name) else "",
        platform,
        tuple(_port(each, indexes) for each in router.ports if named_port(each.name) is not None),
    )
    return Inventory((known,), _problems(path, known, exporters))


def _understood(path: Path, text: str) -> tuple[str, RunningRouter]:
    for name in installed_platforms():
        found = platform_of(name).inventory(text)
        if found is not None and found.ports:
            return name, found
    raise InventoryError(
        f"{path}: no installed platform ({', '.join(installed_platforms())}) reads it as a whole configuration with "
        "addressed ports; write it as the router lists it"
    )


def _port(port: RunningPort, indexes: Mapping[str, int]) -> KnownPort:
    """With the index of its unit; a router that exports only the port's own counts its first unit as the port."""
    names = [port.name if port.unit is None else f"{port.name}.{port.unit}", *([port.name] if not port.unit else [])]
    index = next((indexes[_plain(name)] for name in names if _plain(name) in indexes), None)
    return KnownPort(index, port.name, port.unit, port.rate_bps, port.description, logical=port.logical)


def _plain(name: str) -> str:
    """Some agents write _ for the / of a name."""
    return name.replace("_", "/").lower()


def _problems(path: Path, router: KnownRouter, exporters: Collection[str]) -> tuple[str, ...]:
    said = []
    if not router.addresses & set(exporters):
        said.append("no exporter has an address of this router; call the file by the one that it exports from")
    elif not router.by_index:
        said.append(
            "it says no SNMP index, so that its ports are not matched with flow records: append the router's list of "
            "ifIndex, or use --snmp or --snmp-walk"
        )
    return tuple(f"{shown(str(path))}: {each}" for each in said)
