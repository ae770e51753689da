"""Parsing of a Junos text into its effective model.

Only objects that the settings' interfaces refer to are read; every statement of those interfaces and objects must be
understood.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from hntes.platforms.effective import Edge, EffectiveModel, Port, Program, UnparsedStatement
from hntes.platforms.junos.parser.filter import FAMILY, FilterReader
from hntes.platforms.junos.parser.form import check_form
from hntes.platforms.junos.parser.grammar import check_shape, check_taken
from hntes.platforms.junos.parser.inheritance import expand
from hntes.platforms.junos.parser.listed import check_discards, keeps_class
from hntes.platforms.junos.parser.listing import read_listing
from hntes.platforms.junos.parser.paths import PathReader
from hntes.platforms.junos.parser.queues import QueueReader
from hntes.platforms.junos.parser.tree import Node, below, read_tree
from hntes.platforms.junos.parser.unbound import read_unbound
from hntes.platforms.junos.parser.unparsed import unparsed_statements
from hntes.platforms.junos.statement_table import FAMILY as FAMILY_STATEMENTS
from hntes.platforms.junos.statement_table import PORT, UNIT
from hntes.platforms.statement_table import StatementTable
from hntes.platforms.unparsed import grouped
from hntes.rules.qos.model import InterfaceBinding

_FIREWALL = (
    *("family", "filter", "policer", "three-color-policer", "hierarchical-policer", "interface-set"),
    *("load-balance-group", "simple-filter", "atm-policer", "flexible-match"),
)
_FILTERS = ("filter", "prefix-action", "service-filter", "simple-filter", "dialer-filter")
_FAMILIES = ("inet", "inet6", "mpls", "vpls", "ccc", "any", "bridge", "ethernet-switching", "evpn", "l2circuit")
_UNKNOWN = "is not understood on a judged interface: leave the interface out of the settings, or remove it"
_BY_UNIT = (
    "queues the units of the port separately, and HNTES reads the scheduler map of a port alone: leave the port out of "
    "the settings, or remove it"
)
_SCHEDULING = dict.fromkeys(("hierarchical-scheduler", "per-unit-scheduler", "shared-scheduler"), _BY_UNIT)
# Families whose statements must be in the table of statements on a judged interface.
_ROUTED = (*FAMILY.values(), "mpls", "iso")


def read_junos(
    text: str,
    interfaces: Iterable[InterfaceBinding],
    is_whole: bool,
    is_merged: bool = False,
    keeps_classes: bool = False,
) -> EffectiveModel:
    """The effective model of a Junos text.

    Raises:
        ParseError: a statement that affects packets cannot be parsed.
    """
    judged = list(interfaces)
    if is_whole:
        root = read_listing(text)
        expand(root, [each.name for each in judged])
    else:
        check_form(text)
        root = read_tree(text)
        check_shape(root)
    return _Junos(root, judged, is_whole, is_merged, keeps_classes).model(is_whole)


class _Junos:
    def __init__(
        self, root: Node, interfaces: list[InterfaceBinding], is_whole: bool, is_merged: bool, keeps_classes: bool
    ) -> None:
        self.root = root
        self.is_merged = is_merged
        self.interfaces = sorted(interfaces, key=lambda each: (each.name, each.unit))
        self._check_top()
        self.queues = QueueReader(root, is_operators=keeps_classes)
        self.paths = PathReader(root)
        self.filters = FilterReader(root, self.queues.classes, self.paths, is_whole)
        self.programs: dict[tuple[tuple[str, ...], int], Program] = {}

    def model(self, is_whole: bool) -> EffectiveModel:
        for each in self.interfaces:
            self._check_interface(each)
        edges = tuple(edge for each in self.interfaces if each.is_edge for edge in self._edges(each))
        class_paths = self.paths.class_paths(self.queues.classes)
        ports = self._ports()
        used = [*self.filters.used, *self.paths.used, *self.queues.used]
        merged = () if is_whole else tuple(sorted({each.path for each in used if not each.is_replaced}))
        unparsed: tuple[UnparsedStatement, ...] = ()
        if is_whole:
            rates = {each.name: each.rate_bps for each in self.interfaces}
            unparsed = grouped(unparsed_statements(self.root, rates))
        else:
            read_unbound(self.root, self.filters, self.paths)
            check_taken(self.root)
        return EffectiveModel("junos", edges, ports, self.queues.forwarding_classes(), class_paths, merged, unparsed)

    def _check_top(self) -> None:
        firewall = self.root.child("firewall")
        if firewall is not None:
            firewall.only(*_FIREWALL)
            for family in firewall.child("family") or ():
                if family.word not in _FAMILIES:
                    raise family.refused(f"is not a family; known: {', '.join(_FAMILIES)}")
                if family.word in FAMILY.values():
                    family.only(*_FILTERS)
        for family in self.root.child("forwarding-options", "family") or ():
            if family.word in FAMILY.values() and family.child("filter") is not None:
                raise family.need("filter").refused("filters all packets of the table: not understood")

    def _check_interface(self, interface: InterfaceBinding) -> None:
        port = self.root.child("interfaces", interface.name)
        if port is None:
            return
        for each in port:
            if each.word != "unit":
                self._check_known(each, (), PORT)
        unit = port.child("unit", str(interface.unit))
        for each in unit or ():
            if each.word != "family":
                self._check_known(each, (), UNIT)
        for family in (unit.child("family") if unit is not None else None) or ():
            self._check_family(interface, family)
        for instance in self.root.child("routing-instances") or ():
            own = instance.child("interface", f"{interface.name}.{interface.unit}")
            if own is not None and instance.child("forwarding-options") is not None:
                raise own.refused("the instance may filter by forwarding-options: not understood")

    def _check_family(self, interface: InterfaceBinding, family: Node) -> None:
        if family.word not in _FAMILIES and family.word != "iso":
            raise family.refused(f"is not a family; known: {', '.join(_FAMILIES)}")
        bound = family.child("filter")
        if bound is not None:
            bound.only("input", "input-list", "output", "output-list")
            if interface.is_core:
                self._check_core_output(bound, family.word)
            if family.word not in FAMILY.values() and interface.is_edge:
                raise bound.refused(f"only filters of {' and '.join(FAMILY.values())} are understood")
            if not interface.is_edge:
                self._check_core_input(bound, family.word)
        for each in family if family.word in _ROUTED else ():
            self._check_known(each, (), FAMILY_STATEMENTS)
        for each in family.child("policer") or ():
            if each.word in ("input", "output"):
                check_discards(each.value(), self.root)

    def _check_known(self, node: Node, before: tuple[str, ...], table: StatementTable) -> None:
        """Refuses a statement of a judged interface that is in no row of the table."""
        words = (*before, node.word)
        is_statement = bool(node.ends) or not node.children
        if is_statement and "speed" not in words[:2] and table.touched(words, "") == "":
            raise node.refused(_SCHEDULING.get(node.word) or _SCHEDULING.get(words[0]) or _UNKNOWN)
        for child in node:
            self._check_known(child, words, table)

    def _filter(self, family: str, name: str) -> Node | None:
        """A filter by its name; one of no family is one of inet (Juniper, Firewall Filters User Guide, `filter`)."""
        found = self.root.child("firewall", "family", family, "filter", name)
        return self.root.child("firewall", "filter", name) if found is None and family == "inet" else found

    def _check_core_output(self, bound: Node, family: str) -> None:
        """Refuses output filters of a core interface, except those of an operator that only accept and discard."""
        for name in (each for word in ("output", "output-list") for each in bound.child(word) or ()):
            for word in name.items or (name.word,):
                body = self._filter(family, word)
                if not self.is_merged or body is None or not keeps_class(body, self.root):
                    raise name.refused("an output filter of a core interface may change classes: not understood")

    def _check_core_input(self, bound: Node, family: str) -> None:
        """Refuses classification of input packets on a core interface, which no settings ask for."""
        for name in (each for word in ("input", "input-list") for each in bound.child(word) or ()):
            for word in name.items or (name.word,):
                body = self._filter(family, word)
                if body is None or any(each.word == "forwarding-class" for each in below(body)):
                    raise name.refused("may classify packets that enter by a core interface")

    def _edges(self, interface: InterfaceBinding) -> Iterator[Edge]:
        self.queues.check_edge(interface.name, interface.unit)
        for version in interface.ip_versions:
            names = self._bound(interface, version)
            programs = (self._program(names, version),) if names else ()
            unmarked = self.queues.unmarked_queue(interface.name, interface.unit, version)
            yield Edge(interface.name, interface.unit, version, programs, unmarked)

    def _program(self, names: list[Node], version: Literal[4, 6]) -> Program:
        key = tuple(name.word for name in names), version
        if key not in self.programs:
            self.programs[key] = self.filters.program(names, version)
        return self.programs[key]

    def _bound(self, interface: InterfaceBinding, version: Literal[4, 6]) -> list[Node]:
        where = ("interfaces", interface.name, "unit", str(interface.unit), "family", FAMILY[version], "filter")
        bound = self.root.child(*where)
        if bound is None:
            return []
        one, several = bound.child("input"), bound.child("input-list")
        if one is not None and several is not None:
            raise several.refused(f"conflicts with `input` in line {one.line}")
        if one is not None:
            return [one.leaf()]
        listed = list(several or ())
        return [Node(word, each.line, each.path) for each in listed for word in each.take().items or (each.word,)]

    def _ports(self) -> tuple[Port, ...]:
        rates = {each.name: each.rate_bps for each in self.interfaces if each.is_core}
        return tuple(self.queues.port(name, rates[name]) for name in sorted(rates))
