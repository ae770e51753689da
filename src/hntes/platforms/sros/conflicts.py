"""Conflicts between an SR OS router's own statements and those of HNTES.

Sources: nokia-conf-router (one filter of a family on an interface's ingress), nokia-conf-port-eth-network and
-eth-egress (one queue policy and one port scheduler on a port); `classes_in_use` for classes.
"""

from collections.abc import Iterator, Sequence

from hntes.platforms.adopted import BULK_MARKS, waiting_reason
from hntes.platforms.conflict import Collision
from hntes.platforms.sros.classes import CLASSES, CONTROL_CLASSES
from hntes.platforms.sros.classes_in_use import ClassUse, default_uses, stated_uses
from hntes.platforms.sros.embedding import unembeddable
from hntes.platforms.sros.kept_lines import kept_lines
from hntes.platforms.sros.parser.tree import Node, read_listing
from hntes.platforms.sros.places import interfaces_on, place_collisions
from hntes.rules.qos.model import InterfaceBinding, RouterModel

_LEAF = {4: "ip", 6: "ipv6"}
_UNSERVED = (
    "has no queue of its own in the policy hntes: its packets would wait with best effort; put them into a class of "
    "the plan, by that policy or by [routers.queues]"
)


def sros_collisions(model: RouterModel, running: str) -> Iterator[Collision]:
    """Each conflicting statement of an SR OS configuration.

    Raises:
        ParseError: the text is no MD-CLI configuration.
    """
    configure = read_listing("\n".join(kept_lines(running)))
    yield from place_collisions(model, configure)
    for each in model.interfaces:
        if each.is_edge:
            yield from _edge(model, configure, each)
    for name in sorted({each.name for each in model.interfaces if each.is_core}):
        yield from _core(configure, name)
    yield from _classes(model, configure)


def _edge(model: RouterModel, configure: Node, edge: InterfaceBinding) -> Iterator[Collision]:
    interface = configure.child("router", "Base", "interface", edge.logical or "")
    for each in model.filters if interface is not None else ():
        bound = interface.child("ingress", "filter", _LEAF[each.ip_version]) if interface is not None else None
        if each.all_terms and each.ip_version in edge.ip_versions:
            for value in bound or ():
                reason = unembeddable(model, configure, value.word, each.ip_version)
                if reason is not None:
                    said = f"is in the place of {each.name}, and cannot embed it: it {reason}"
                    yield Collision(value.line, value.path, said)


def _core(configure: Node, name: str) -> Iterator[Collision]:
    ethernet = configure.child("port", name, "ethernet")
    for place in (("network", "egress", "queue-policy"), ("egress", "port-scheduler-policy", "policy-name")):
        for value in (ethernet.child(*place) if ethernet is not None else None) or ():
            yield Collision(value.line, value.path, f"is in the place of the policy hntes of {name}: remove it there")


def _classes(model: RouterModel, configure: Node) -> Iterator[Collision]:
    """Packets that the operator's policies put into the class of the pairs, or into one without a queue of its own."""
    pairs = {model.queue_of(each.forwarding_class) for one in model.filters for each in one.all_terms} - {0}
    served = {each.queue for each in model.forwarding_classes} | {0, *CONTROL_CLASSES}
    stated = list(stated_uses(configure))
    every = [*stated, *default_uses(configure, _interfaces(model, configure))]
    free = _free_class(model, every)
    for use in every:
        number = CLASSES.index(use.name) if use.name in CLASSES else None
        if number in pairs and not _is_bulk(use):
            waiting = waiting_reason(use.name, use.marks).split(":")[0]
            named = "" if free is None else f", as {free} ({CLASSES[free]})"
            yield Collision(use.line, use.statement, f"{waiting}: set [routers.queues] to a class for bulk{named}")
        elif number is not None and number not in served and use in stated:
            yield Collision(use.line, use.statement, f"puts packets into class {use.name}, which {_UNSERVED}")


def _free_class(model: RouterModel, uses: Sequence[ClassUse]) -> int | None:
    """The lowest class that the plan does not name and that has bulk at most."""
    named = {each.queue for each in model.forwarding_classes} | {0, *CONTROL_CLASSES}
    taken = named | {CLASSES.index(each.name) for each in uses if each.name in CLASSES and not _is_bulk(each)}
    return next((number for number in range(len(CLASSES)) if number not in taken), None)


def _is_bulk(use: ClassUse) -> bool:
    return bool(use.marks) and use.marks <= BULK_MARKS


def _interfaces(model: RouterModel, configure: Node) -> frozenset[str]:
    """The router interfaces by which packets enter the settings' interfaces."""
    named = {each.logical for each in model.interfaces if each.logical is not None}
    on_ports = {one.word for each in model.interfaces for one in interfaces_on(configure, each.name)}
    return frozenset(named | on_ports)
