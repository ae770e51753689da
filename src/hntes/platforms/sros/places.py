"""Where the settings' interfaces are in an SR OS configuration: ports, and the router interfaces on them."""

from collections.abc import Iterator

from hntes.platforms.conflict import Collision
from hntes.platforms.sros.parser.tree import Node
from hntes.rules.qos.model import InterfaceBinding, RouterModel


def interfaces_on(configure: Node, port: str) -> list[Node]:
    """The interfaces of the Base router on a port, or on a LAG that it is in, whatever their VLAN."""
    names = {port, *lags_of(configure, port)}
    found = configure.child("router", "Base", "interface") or ()
    return [each for each in found if any(_port_of(one.word)[0] in names for one in each.child("port") or ())]


def lags_of(configure: Node, port: str) -> list[str]:
    """The LAGs that a port is in: one at most, unless the text is no router's."""
    return [each.word for each in configure.child("lag") or () if each.child("port", port) is not None]


def members_of(configure: Node, lag: str) -> list[str]:
    """The ports of a LAG; none of a port."""
    return [each.word for each in configure.child("lag", lag, "port") or ()]


def _port_of(text: str) -> tuple[str, int]:
    """Port and VLAN of `1/1/c1/1:100`; an untagged one has 0.

    Example:
        >>> _port_of("1/1/c1/1:100"), _port_of("lag-1")
        (('1/1/c1/1', 100), ('lag-1', 0))
    """
    port, _, tag = text.partition(":")
    return port, int(tag) if tag.isdigit() else 0


def place_collisions(model: RouterModel, configure: Node) -> Iterator[Collision]:
    """Ports and router interfaces that are missing, elsewhere, or of another kind."""
    for name in sorted({each.name for each in model.interfaces}):
        kind = ("lag", name) if name.startswith("lag-") else ("port", name)
        if configure.child(*kind) is None:
            yield Collision(0, " ".join(kind), "is missing: is the file the router's whole configuration?")
    for each in model.interfaces:
        if each.is_edge and each.logical is not None:
            yield from _interface(configure, each, each.logical)
        if each.is_core:
            mode = configure.child("port", each.name, "ethernet", "mode")
            for value in mode or ():
                if value.word == "access":
                    yield Collision(
                        value.line, value.path, "is an access port: a network-queue policy is for network ports"
                    )


def _interface(configure: Node, edge: InterfaceBinding, logical: str) -> Iterator[Collision]:
    interface = configure.child("router", "Base", "interface", logical)
    if interface is None:
        service = next(_services(configure, logical), None)
        if service is not None:
            reason = "is an interface of a service: HNTES configures those of router Base only"
            yield Collision(service.line, service.path, reason)
        else:
            where = f"router Base interface {logical}"
            yield Collision(0, where, "is missing: is the file the router's whole configuration?")
        return
    ports = [_port_of(each.word) for each in interface.child("port") or ()]
    if ports != [(edge.name, edge.unit)]:
        found = ", ".join(f"{port}:{tag}" if tag else port for port, tag in ports) or "no port"
        wanted = f"{edge.name}:{edge.unit}" if edge.unit else edge.name
        yield Collision(interface.line, interface.path, f"is on {found}, not on {wanted}: set name, unit or logical")


def _services(configure: Node, logical: str) -> Iterator[Node]:
    for kind in ("ies", "vprn"):
        for service in configure.child("service", kind) or ():
            found = service.child("interface", logical)
            if found is not None:
                yield found
