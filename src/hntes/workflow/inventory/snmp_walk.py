"""What SNMP tells of a router's ports: objects that were walked, from a file of net-snmp's snmpwalk or asked now.

Sources: RFC 2863 (IF-MIB: ifDescr, ifName, ifHighSpeed, ifAlias), RFC 3418 (sysDescr, sysName), RFC 4293 (IP-MIB:
ipAdEntIfIndex); snmpcmd(1) for the forms of output.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path

from hntes.workflow.inventory.known import (
    Inventory,
    InventoryError,
    KnownPort,
    KnownRouter,
    address_of_name,
    is_address,
    named_port,
    platform_described,
)

MOST_BYTES = 64_000_000
MOST_OBJECTS = 500_000
# The columns of interest, by their number and by the name that snmpwalk prints.
COLUMNS = {
    "sysDescr": (1, 3, 6, 1, 2, 1, 1, 1),
    "sysName": (1, 3, 6, 1, 2, 1, 1, 5),
    "ifDescr": (1, 3, 6, 1, 2, 1, 2, 2, 1, 2),
    "ipAdEntIfIndex": (1, 3, 6, 1, 2, 1, 4, 20, 1, 2),
    "ifName": (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1),
    "ifHighSpeed": (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 15),
    "ifAlias": (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 18),
}
_LINE = re.compile(
    r"(\.?\d+(?:\.\d+)+|iso(?:\.\d+)+|(?:[\w-]+::)?[A-Za-z]\w*(?:\.\d+)+) = (?:([A-Za-z][\w-]*): ?)?(.*)"
)
# Column, the rest of the object's number, its value.
Walked = tuple[str, tuple[int, ...], str]


def inventory_of_walk(path: Path) -> Inventory:
    """The router of one file of snmpwalk output, such as `snmpwalk -v2c -c COMMUNITY ROUTER .1.3.6.1.2.1 > FILE`.

    Its addresses are those that it has by IP-MIB, and the file's name where that is an address (192.0.2.1.walk).

    Raises:
        InventoryError: the file cannot be read, or it holds no name of an interface.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InventoryError(f"{path}: larger than {MOST_BYTES // 10**6} MB")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as cause:
        raise InventoryError(f"{path}: cannot be read: {cause.strerror}") from cause
    router = router_of(_objects(text.splitlines()), address_of_name(path))
    if not router.ports:
        raise InventoryError(f"{path}: no ifName or ifDescr; walk .1.3.6.1.2.1 of the router, or IF-MIB and IP-MIB")
    if not router.addresses:
        raise InventoryError(f"{path}: no address of the router; call the file by it, such as 192.0.2.1.walk")
    return Inventory((router,))


def router_of(walked: Iterable[Walked], address: str | None) -> KnownRouter:
    """A router from the objects of its agent; `address` is one that it is known to have."""
    columns: Mapping[str, dict[tuple[int, ...], str]] = defaultdict(dict)
    for number, (column, index, value) in enumerate(walked):
        if number >= MOST_OBJECTS:
            break
        columns[column][index] = value
    own = {".".join(map(str, index)) for index in columns["ipAdEntIfIndex"] if len(index) == 4}
    addresses = {each for each in own if is_address(each) and not ip_address(each).is_loopback}
    name = columns["sysName"].get((0,), "").partition(".")[0]
    indexes = sorted({index[0] for column in ("ifName", "ifDescr") for index in columns[column] if len(index) == 1})
    ports = (_port(columns, index) for index in indexes)
    return KnownRouter(
        frozenset(addresses | ({address} if address else set())),
        name if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,62}", name) else "",
        platform_described(columns["sysDescr"].get((0,), "")),
        tuple(port for port in ports if port is not None),
    )


def _port(columns: Mapping[str, Mapping[tuple[int, ...], str]], index: int) -> KnownPort | None:
    """A port, None if it has no name that a configuration could have.

    Some systems shorten ifName (Te0/0/0) and write ifDescr in full.
    """
    names = [columns[column].get((index,), "").strip() for column in ("ifDescr", "ifName")]
    found = next((named for text in sorted(names, key=len, reverse=True) if (named := named_port(text))), None)
    if found is None:
        return None
    speed = re.match(r"\d{1,7}", columns["ifHighSpeed"].get((index,), ""))
    rate_bps = int(speed[0]) * 1_000_000 if speed and int(speed[0]) else None
    return KnownPort(index, *found, rate_bps, columns["ifAlias"].get((index,), "").strip())


def _objects(lines: Iterable[str]) -> Iterator[Walked]:
    """The objects of interest; lines that go on from the one before, and others, are passed over."""
    by_number = {number: name for name, number in COLUMNS.items()}
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        named, _, value = found.groups()
        value = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
        head, *numbers = named.removeprefix(".").rpartition("::")[2].split(".")
        if not head.isdecimal() and head != "iso":
            if head in COLUMNS:
                yield head, tuple(map(int, numbers)), value
            continue
        whole = (1 if head == "iso" else int(head), *map(int, numbers))
        for length in (8, 10, 11):
            if (name := by_number.get(whole[:length])) is not None:
                yield name, whole[length:], value
