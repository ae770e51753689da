"""Routers and ports from NetBox (https://netboxlabs.com/docs/netbox/), by the addresses that export.

A device is the one that has the exporter's address on an interface. NetBox has no SNMP indexes of its own: they are
taken from a custom field of interfaces. Without it ports are known by name alone.
"""

import os
import re
from collections.abc import Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from hntes.workflow.inventory.known import (
    Inventory,
    InventoryError,
    KnownPort,
    KnownRouter,
    named_port,
    platform_described,
)

TOKEN_VARIABLE = "NETBOX_TOKEN"  # noqa: S105 - a name, no secret
TIMEOUT_S = 30
MOST_INTERFACES = 20_000
# The rate in the value of an interface's type: 10gbase-x-sfpp, 100gbase-x-qsfp28.
_TYPE = re.compile(r"(\d+(?:\.\d+)?)gbase")


def inventory_of_netbox(url: str, exporters: Sequence[str], index_field: str = "snmp_index") -> Inventory:
    """The devices with these addresses; those that NetBox does not know are told as problems.

    Raises:
        InventoryError: pynetbox is not installed, $NETBOX_TOKEN is not set, or NetBox does not answer as it should.
    """
    try:
        pynetbox = import_module("pynetbox")
    except ImportError:
        raise InventoryError("NetBox needs pynetbox: install the extra `netbox` of hntes") from None
    token = os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise InventoryError(f"the environment variable {TOKEN_VARIABLE} is not set; it has NetBox's API token")
    netbox = pynetbox.api(url, token=token)
    netbox.http_session.request = _with_timeout(netbox.http_session.request)
    routers, problems = [], []
    try:
        for exporter in exporters:
            found = _router(netbox, exporter, index_field)
            if found is None:
                problems.append(f"{exporter}: no device in NetBox has this address")
            else:
                routers.append(found)
    # pynetbox passes on errors of requests, and raises its own
    except Exception as cause:
        raise InventoryError(f"{url}: {type(cause).__name__}: {str(cause)[:300]}") from cause
    return Inventory(tuple(routers), tuple(problems))


def _with_timeout(request: Any) -> Any:
    return lambda *given, **more: request(*given, **{"timeout": TIMEOUT_S, **more})


def _router(netbox: Any, exporter: str, index_field: str) -> KnownRouter | None:
    addresses = list(netbox.ipam.ip_addresses.filter(address=exporter))
    assigned = (getattr(each, "assigned_object", None) for each in addresses)
    device = next((found for one in assigned if (found := getattr(one, "device", None)) is not None), None)
    if device is None:
        return None
    full = netbox.dcim.devices.get(device.id)
    platform = getattr(full, "platform", None)
    interfaces = islice(netbox.dcim.interfaces.filter(device_id=device.id), MOST_INTERFACES)
    ports = (_port(each, index_field) for each in interfaces)
    return KnownRouter(
        frozenset({exporter}),
        str(full.name or ""),
        platform_described(str(getattr(platform, "slug", "") or "")),
        tuple(port for port in ports if port is not None),
    )


def _port(interface: Any, index_field: str) -> KnownPort | None:
    named = named_port(str(interface.name))
    if named is None:
        return None
    index = str((interface.custom_fields or {}).get(index_field))
    kilobits = interface.speed
    kind = _TYPE.match(str(getattr(interface.type, "value", "") or ""))
    rate_bps = int(kilobits) * 1000 if kilobits else round(float(kind[1]) * 10**9) if kind else None
    snmp_index = int(index) if index.isdecimal() and len(index) <= 10 else None
    return KnownPort(snmp_index, *named, rate_bps, str(interface.description or ""))
