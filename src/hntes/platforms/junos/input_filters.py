"""Operator's input filters that are kept behind those of HNTES in a list (Junos).

An interface has one input filter or one list. So the transition deactivates the operator's `input`, and the group
defines a list of both (docs/decisions/0040-coexistence.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from hntes.platforms.conflict import Collision
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.limits import operator_filter_problems
from hntes.platforms.junos.parser.listed import check_keeps_class
from hntes.platforms.junos.parser.tree import Node, read_tree
from hntes.platforms.junos.transition import GROUP
from hntes.rules.qos.model import InterfaceBinding, OperatorFilter, RouterModel

_FAMILY: dict[Literal[4, 6], str] = {4: "inet", 6: "inet6"}


@dataclass(frozen=True)
class BoundFilter:
    """An operator's filter on an interface, and the statement that binds it."""

    interface: InterfaceBinding
    ip_version: Literal[4, 6]
    name: str
    where: Node


def with_operator_filters(model: RouterModel, running: str) -> RouterModel:
    """The model with the operator's input filters behind those of HNTES; unchanged without any.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    root = read_tree(running)
    interfaces = tuple(
        replace(
            each, operator_filters=tuple(OperatorFilter(one.ip_version, one.name) for one in _of(root, model, each))
        )
        for each in model.interfaces
    )
    return model if interfaces == model.interfaces else replace(model, interfaces=interfaces)


def filter_collisions(model: RouterModel, root: Node) -> Iterator[Collision]:
    """Each statement that prevents an operator's input filter from being kept behind that of HNTES."""
    for each in model.interfaces:
        for place in _places(root, model, each):
            if (listed := place[1].child("input-list")) is not None:
                yield _collision(listed, "is a list: an inherited filter would come after it and not be evaluated")
        for found in _of(root, model, each):
            yield from _unfit(model, root, found)


def _unfit(model: RouterModel, root: Node, found: BoundFilter) -> Iterator[Collision]:
    candidate = replace(found.interface, operator_filters=(OperatorFilter(found.ip_version, found.name),))
    for problem in operator_filter_problems(replace(model, interfaces=(candidate,))):
        yield _collision(found.where, f"is in the place of HNTES's, and cannot stay behind it: {problem}")
    body = _body(root, found)
    if body is None:
        yield _collision(found.where, f"is in the place of HNTES's, and filter {found.name} is not in the file")
        return
    try:
        check_keeps_class(body)
    except ParseError as problem:
        yield Collision(problem.line, problem.text, f"{problem.reason} (filter of {found.interface.name})")


def _collision(node: Node, reason: str) -> Collision:
    return Collision(node.ends[0] if node.ends else node.line, node.path, f"{reason} (an interface has one place)")


def _body(root: Node, found: BoundFilter) -> Node | None:
    in_family = root.child("firewall", "family", _FAMILY[found.ip_version], "filter", found.name)
    return in_family or (root.child("firewall", "filter", found.name) if found.ip_version == 4 else None)


def _of(root: Node, model: RouterModel, interface: InterfaceBinding) -> Iterator[BoundFilter]:
    """The operator's filters of an interface: active, or behind HNTES' own since an earlier delivery."""
    for version, bound in _places(root, model, interface):
        own = bound.child("input")
        names = list(own) if own is not None else _displaced(root, interface, version, bound)
        for name in names:
            yield BoundFilter(interface, version, name.word, name)


def _displaced(root: Node, interface: InterfaceBinding, version: Literal[4, 6], bound: Node) -> list[Node]:
    """Inactive filters of the interface that are listed behind a filter of HNTES in the group."""
    unit = ("interfaces", interface.name, "unit", str(interface.unit))
    listed = root.child("groups", GROUP, *unit, "family", _FAMILY[version], "filter", "input-list")
    names = {name for each in listed or () for name in each.items or (each.word,)}
    held = bound.inactive.get("input")
    return [each for each in (held.inactive.values() if held is not None else ()) if each.word in names]


def _places(root: Node, model: RouterModel, interface: InterfaceBinding) -> Iterator[tuple[Literal[4, 6], Node]]:
    """The nodes where an edge interface binds filters, for families with pairs."""
    for each in model.filters:
        if not (interface.is_edge and each.all_terms and each.ip_version in interface.ip_versions):
            continue
        unit = ("interfaces", interface.name, "unit", str(interface.unit))
        bound = root.child(*unit, "family", _FAMILY[each.ip_version], "filter")
        if bound is not None:
            yield each.ip_version, bound
