"""Operator's input filters that are kept behind those of HNTES in a list (Junos).

An interface has one input filter or one list. So the transition deactivates the operator's `input`, and the group
defines a list of both (docs/decisions/0040-coexistence.md).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from hntes.platforms.conflict import Collision
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.limits import operator_filter_problems
from hntes.platforms.junos.parser.inheritance import names_of
from hntes.platforms.junos.parser.listed import check_keeps_class
from hntes.platforms.junos.parser.listing import read_listing
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.junos.running import expanded_tree
from hntes.platforms.junos.transition import GROUP
from hntes.rules.qos.model import InterfaceBinding, OperatorFilter, RouterModel

_FAMILY: dict[Literal[4, 6], str] = {4: "inet", 6: "inet6"}
# A candidate has no quotes, so that no word of it can hide a statement.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._-]+")


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
    root = expanded_tree(running, [each.name for each in model.interfaces])
    found = _Filters(model, root, read_listing(running))
    interfaces = tuple(
        replace(each, operator_filters=tuple(OperatorFilter(one.ip_version, one.name) for one in found.of(each)))
        for each in model.interfaces
    )
    return model if interfaces == model.interfaces else replace(model, interfaces=interfaces)


def filter_collisions(model: RouterModel, root: Node, listed: Node) -> Iterator[Collision]:
    """Each statement that prevents an operator's input filter from being kept behind that of HNTES.

    Args:
        model: The plan.
        root: The operator's statements, expanded.
        listed: The whole listing, which shows what an earlier delivery listed behind its own filter.
    """
    filters = _Filters(model, root, listed)
    for each in model.interfaces:
        for _, bound in filters.places(each):
            for word in ("input-list", "input-chain"):
                if (several := bound.child(word)) is not None:
                    reason = (
                        "is a list: an inherited filter would come after it and not be evaluated; write its terms into "
                        "one filter, which HNTES keeps behind its own, or leave the interface out of the settings"
                    )
                    yield _collision(several, reason)
        for found in filters.of(each):
            yield from _unfit(model, root, found)
        yield from _of_any_family(root, each)


def _of_any_family(root: Node, interface: InterfaceBinding) -> Iterator[Collision]:
    """Filters of the unit itself, which see the packets of each family before those of the families do."""
    unit = root.child("interfaces", interface.name, "unit", str(interface.unit))
    places = (
        [] if unit is None or not interface.is_edge else [unit.child("family", "any", "filter"), unit.child("filter")]
    )
    for bound in places:
        for each in bound or ():
            if not each.word.startswith("output"):
                reason = (
                    "filters all families of the unit before the filter of HNTES: bind a filter per family instead, or "
                    "leave the interface out of the settings"
                )
                yield Collision(_line(each), each.path, reason)


def _unfit(model: RouterModel, root: Node, found: BoundFilter) -> Iterator[Collision]:
    candidate = replace(found.interface, operator_filters=(OperatorFilter(found.ip_version, found.name),))
    for problem in operator_filter_problems(replace(model, interfaces=(candidate,))):
        yield _collision(found.where, f"is in the place of HNTES's, and cannot stay behind it: {problem}")
    if found.where.group:
        yield _collision(
            found.where,
            f"is in the place of HNTES's, and cannot stay behind it: it is inherited from {found.where.group}; "
            "move it to the interface itself",
        )
    if not _PLAIN_NAME.fullmatch(found.name):
        yield _collision(
            found.where, f"is in the place of HNTES's: rename filter `{found.name}` (letters, digits, -_.)"
        )
    body = _body(root, found)
    if body is None:
        yield _collision(found.where, f"is in the place of HNTES's, and filter {found.name} is not in the file")
        return
    try:
        check_keeps_class(body, root)
    except ParseError as problem:
        yield Collision(problem.line, problem.text, f"{problem.reason} (filter of {found.interface.name})")


def _line(node: Node) -> int:
    return node.ends[0] if node.ends else node.line


def _collision(node: Node, reason: str) -> Collision:
    return Collision(_line(node), node.path, f"{reason} (an interface has one place)")


def _body(root: Node, found: BoundFilter) -> Node | None:
    in_family = root.child("firewall", "family", _FAMILY[found.ip_version], "filter", found.name)
    return in_family or (root.child("firewall", "filter", found.name) if found.ip_version == 4 else None)


@dataclass(frozen=True)
class _Filters:
    """Input filters of a running configuration: the operator's statements, and the listing with those of HNTES."""

    model: RouterModel
    root: Node
    listed: Node

    def of(self, interface: InterfaceBinding) -> Iterator[BoundFilter]:
        """The operator's filters of an interface: active, or behind HNTES' own since an earlier delivery."""
        for version, bound in self.places(interface):
            own = bound.child("input")
            names = list(own) if own is not None else self._displaced(interface, version, bound)
            for name in names:
                yield BoundFilter(interface, version, name.word, name)

    def _displaced(self, interface: InterfaceBinding, version: Literal[4, 6], bound: Node) -> list[Node]:
        """Inactive filters of the interface that are listed behind a filter of HNTES."""
        place = ("interfaces", interface.name, "unit", str(interface.unit), "family", _FAMILY[version], "filter")
        lists = [self.listed.child(*where, *place, "input-list") for where in (("groups", GROUP), ())]
        names = {name for each in lists for _, name in names_of(each)}
        held = bound.inactive.get("input")
        return [each for each in (held.inactive.values() if held is not None else ()) if each.word in names]

    def places(self, interface: InterfaceBinding) -> Iterator[tuple[Literal[4, 6], Node]]:
        """The nodes where an edge interface binds filters, for families with pairs."""
        for each in self.model.filters:
            if not (interface.is_edge and each.all_terms and each.ip_version in interface.ip_versions):
                continue
            unit = ("interfaces", interface.name, "unit", str(interface.unit))
            bound = self.root.child(*unit, "family", _FAMILY[each.ip_version], "filter")
            if bound is not None:
                yield each.ip_version, bound
