"""Parsing of an SR OS text into its effective model.

Only what the settings' interfaces refer to is read; every statement of it must be understood.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from hntes.platforms.effective import Action, Edge, EffectiveModel, Port, Program, UnparsedStatement
from hntes.platforms.errors import ParseError
from hntes.platforms.sros.classes import CLASSES
from hntes.platforms.sros.parser.filters import KIND, LEAF, FilterReader
from hntes.platforms.sros.parser.form import check_form, check_shape, check_taken
from hntes.platforms.sros.parser.queues import QueueReader
from hntes.platforms.sros.parser.tree import Node, read_listing, read_tree
from hntes.platforms.sros.parser.unparsed import unparsed_statements
from hntes.platforms.sros.places import lags_of, members_of
from hntes.platforms.unparsed import grouped
from hntes.rules.qos.model import ForwardingClass, InterfaceBinding

_VERSIONS: tuple[Literal[4, 6], ...] = (4, 6)


def read_sros(text: str, interfaces: Iterable[InterfaceBinding], is_whole: bool) -> EffectiveModel:
    """The effective model of an SR OS text.

    Raises:
        ParseError: a statement that affects packets cannot be parsed.
    """
    if is_whole:
        return _Sros(read_listing(text), list(interfaces), is_whole).model()
    check_form(text)
    root = read_tree(text)
    check_shape(root)
    return _Sros(root.need("configure"), list(interfaces), is_whole).model()


# Where the statements are that HNTES judges, besides router interfaces.
_JUDGED = ("port", "qos", "filter", "card")


class _Sros:
    def __init__(self, configure: Node, interfaces: list[InterfaceBinding], is_whole: bool) -> None:
        self.configure = configure
        self.is_whole = is_whole
        self.interfaces = sorted(interfaces, key=lambda each: (each.name, each.unit))
        self.filters = FilterReader(configure, is_whole)
        self.queues = QueueReader(configure)

    def model(self) -> EffectiveModel:
        if self.is_whole:
            self._check_groups()
        edges = tuple(edge for each in self.interfaces if each.is_edge for edge in self._edges(each))
        ports = self._ports()
        unparsed: tuple[UnparsedStatement, ...] = ()
        if self.is_whole:
            # What is set at a port of a LAG, or at the LAG of a port, is set at the other as well.
            judged = frozenset(
                name for each in self.interfaces for name in (each.name, *members_of(self.configure, each.name))
            )
            logical = frozenset(each.logical for each in self.interfaces if each.logical is not None)
            cores = frozenset(
                name
                for each in self.interfaces
                if each.is_core
                for name in (each.name, *lags_of(self.configure, each.name))
            )
            unparsed = grouped(unparsed_statements(self.configure, judged, cores, logical))
        else:
            self._read_unbound()
            check_taken(self.configure)
        classes = tuple(ForwardingClass(name, number) for number, name in enumerate(CLASSES))
        # A merge replaces each object of HNTES as a whole: its transition deletes it first.
        return EffectiveModel("sros", edges, ports, classes, (), (), unparsed)

    def _check_groups(self) -> None:
        """Refuses groups that apply to what is judged: they are not expanded."""
        for place in (("filter",), ("qos",), *(("port", each.name) for each in self.interfaces)):
            node = self.configure.child(*place)
            applied = node.child("apply-groups") if node is not None else None
            if applied is not None:
                raise applied.refused("groups are not expanded: not understood on what HNTES judges")
        for place, words in ((), (*_JUDGED, "router")), (("router", "Base"), ("router",)):
            node = self.configure.child(*place)
            applied = node.child("apply-groups") if node is not None else None
            for each in applied or ():
                if problem := self._problem_of_group(each.word, words):
                    raise each.refused(problem)

    def _problem_of_group(self, name: str, words: tuple[str, ...]) -> str | None:
        """Why a group that applies around what is judged may change it; `words` are the branches that it applies to."""
        group = self.configure.child("groups", "group", name)
        if group is None:
            return "this group is not in the file"
        routers = group.child("router") if "router" in words else None
        stated = [word for word in words if word in _JUDGED and group.child(word) is not None]
        stated += ["router interface" for each in routers or () if each.child("interface") is not None]
        if stated:
            return f"this group states {', '.join(dict.fromkeys(stated))}: groups are not expanded on what HNTES judges"
        return None

    def _edges(self, interface: InterfaceBinding) -> Iterator[Edge]:
        for version in interface.ip_versions:
            yield Edge(interface.name, interface.unit, version, tuple(self._programs(interface, version)))

    def _programs(self, interface: InterfaceBinding, version: Literal[4, 6]) -> Iterator[Program]:
        """The bound filter. The operator's is bound in a whole configuration alone; a candidate says what it embeds."""
        bound = self._bound(interface, version)
        named = bound.word if bound is not None else interface.operator_filter(version)
        body = self.configure.child("filter", KIND[version], named) if named is not None else None
        if body is not None and body.child("embed") is not None:
            yield self.filters.embedded(body, version)
        elif bound is not None:
            yield self.filters.program(bound, version)

    def _bound(self, interface: InterfaceBinding, version: Literal[4, 6]) -> Node | None:
        if interface.logical is None:
            return None
        where = ("router", "Base", "interface", interface.logical, "ingress", "filter", LEAF[version])
        bound = self.configure.child(*where)
        return bound.leaf() if bound is not None else None

    def _ports(self) -> tuple[Port, ...]:
        rates = {each.name: each.rate_bps for each in self.interfaces if each.is_core}
        return tuple(self.queues.port(name, rates[name]) for name in sorted(rates))

    def _read_unbound(self) -> None:
        """Objects that no judged interface uses: parsed all the same, and filters must accept everything."""
        self.queues.read_unbound()
        for version in _VERSIONS:
            for body in self.configure.child("filter", KIND[version]) or ():
                if body not in self.filters.used:
                    self._require_open(self.filters.of(body, version), body)

    def _require_open(self, program: Program, body: Node) -> None:
        if program.entries or program.final != Action():
            raise ParseError(body.line, body.path, "no interface of the text uses it, and it does more than accept")
