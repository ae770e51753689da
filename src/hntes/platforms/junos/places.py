"""The judged interfaces in a Junos configuration: whether HNTES can configure them where the settings say."""

from collections.abc import Iterator

from hntes.platforms.conflict import Collision
from hntes.platforms.junos.parser.tree import Node
from hntes.rules.qos.model import InterfaceBinding, RouterModel

_LINK_OPTIONS = ("gigether-options", "ether-options", "fastether-options")
_FORWARDING = ("vrf", "virtual-router", "evpn", "l3vpn")


def members(root: Node, bundle: str) -> list[str]:
    """The member ports of a bundle (`ae0`)."""
    return [port.word for port in root.child("interfaces") or () if bundle_of(port) == bundle]


def bundle_of(port: Node) -> str | None:
    """The bundle of which an interface is a member."""
    for word in _LINK_OPTIONS:
        named = port.child(word, "802.3ad")
        for each in named or ():
            if each.word not in ("primary", "backup", "lacp"):
                return each.word
    return None


def is_active(root: Node, interface: InterfaceBinding) -> bool:
    """Whether the interface is in the configuration, and neither it nor its unit is inactive."""
    ports = root.child("interfaces")
    port = ports.child(interface.name) if ports is not None else None
    return port is not None and str(interface.unit) not in _inactive_units(port)


def place_collisions(model: RouterModel, root: Node) -> Iterator[Collision]:
    """Interfaces that are missing, inactive, members of a bundle, or of another system or routing instance."""
    ports = root.child("interfaces")
    moved = [each for one in model.interfaces for each in _elsewhere(root, one)]
    yield from moved
    for name in sorted({each.name for each in model.interfaces}) if not moved else ():
        port = ports.child(name) if ports is not None else None
        off = ports.inactive.get(name) if ports is not None else None
        if port is None and off is not None:
            yield Collision(off.line, off.path, "is inactive: what HNTES configures there would have no effect")
        elif port is None:
            yield Collision(0, f"interfaces {name}", "is missing: is the file the router's whole configuration?")
        elif (bundle := bundle_of(port)) is not None:
            yield Collision(port.line, port.path, f"is a member of {bundle}: name {bundle} in the settings instead")
    for each in model.interfaces:
        port = ports.child(each.name) if ports is not None else None
        unit = _inactive_units(port).get(str(each.unit)) if port is not None else None
        if unit is not None:
            yield Collision(unit.line, unit.path, "is inactive: what HNTES configures there would have no effect")
    if model.redirect is not None and model.redirect.kind == "next_hop":
        yield from _in_instances(model, root)


def _inactive_units(port: Node) -> dict[str, Node]:
    units = port.child("unit")
    return {**(units.inactive if units is not None else {}), **_all(port.inactive.get("unit"))}


def _all(node: Node | None) -> dict[str, Node]:
    return {} if node is None else {**node.children, **node.inactive}


def _elsewhere(root: Node, interface: InterfaceBinding) -> Iterator[Collision]:
    for kind in ("logical-systems", "tenants"):
        for system in root.child(kind) or ():
            unit = system.child("interfaces", interface.name, "unit", str(interface.unit))
            if unit is not None:
                yield Collision(
                    unit.line, unit.path, f"belongs to {system.word}: HNTES configures the main system only"
                )


def _in_instances(model: RouterModel, root: Node) -> Iterator[Collision]:
    """Edge interfaces of a VPN or virtual router: a redirect's instance resolves its next hop in the main table."""
    for instance in root.child("routing-instances") or ():
        kinds = {each.word for each in instance.child("instance-type") or ()}
        for each in model.interfaces:
            bound = instance.child("interface", f"{each.name}.{each.unit}")
            if each.is_edge and bound is not None and kinds & set(_FORWARDING):
                reason = f"is in routing instance {instance.word}: the redirect would leave it for the main table"
                yield Collision(bound.line, bound.path, reason)
