"""Parsing of an IOS-XR or IOS-XE text into its effective model.

Only objects that the settings' interfaces refer to are read; every statement of those interfaces and objects must be
understood.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from hntes.platforms.cisco.parser.classes import ClassReader
from hntes.platforms.cisco.parser.form import check_form
from hntes.platforms.cisco.parser.grammar import check_shape, check_taken
from hntes.platforms.cisco.parser.lists import ListReader
from hntes.platforms.cisco.parser.operator_queues import operator_port
from hntes.platforms.cisco.parser.queues import read_queues
from hntes.platforms.cisco.parser.text import CiscoText, distinct, one_of
from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.cisco.parser.unparsed import touched_port, unparsed_statements
from hntes.platforms.cisco.syntax import CiscoSyntax
from hntes.platforms.effective import Edge, EffectiveModel, Port, Program, Queue, UnparsedStatement
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.unparsed import JUDGED_PORTS, grouped
from hntes.rules.qos.model import Carrier, InterfaceBinding

_FAMILIES = ("ip", "ipv4", "ipv6")
_OUT = ("egress", "out")
_IN = ("ingress", "in")
_MARKS = {"qos-group", "set-qos-transmit", "traffic-class", "nexthop1"}
_LISTS = ("access-group", "traffic-filter")
# Words of an access list that does more than drop packets.
_DOING_MORE = {*_MARKS, "set", "police", "nexthop2", "nexthop3", "capture", "default"}
# Where a route-map sends packets (Cisco, Policy-Based Routing).
_ROUTING = {"next-hop", "interface", "vrf", "global"}
# Of IOS-XR's groups of statements.
_GROUPS = ("apply-group", "exclude-group")
_COUNTING = ("hardware-count", "interface-statistics")


@dataclass(frozen=True)
class Objects:
    """The named objects of one text, and their readers."""

    text: CiscoText
    lists: ListReader
    classes: ClassReader


# A function that reads the program that an interface line binds.
Binder = Callable[[Objects, Section, Literal[4, 6]], Program]
# For a family, the statements that bind a program and their readers, in the order of the effective model.
Bindings = Callable[[Literal[4, 6]], tuple[tuple[tuple[str, ...], Binder], ...]]


def read_cisco(
    syntax: CiscoSyntax,
    bindings: Bindings,
    text: str,
    interfaces: Iterable[InterfaceBinding],
    is_whole: bool,
    is_merged: bool = False,
    keeps_classes: bool = False,
) -> EffectiveModel:
    """The effective model of an IOS-XR or IOS-XE text.

    Raises:
        ParseError: a statement that affects packets cannot be parsed.
    """
    if not is_whole:
        check_form(text)
    return _Reader(CiscoText(syntax, text), bindings, list(interfaces), is_merged, keeps_classes).model(is_whole)


def read_access_list(objects: Objects, line: Section, version: Literal[4, 6]) -> Program:
    """The input access list of an interface."""
    if line.words[3:4] not in (("ingress",), ("in",)) or not set(line.words[4:]) <= set(_COUNTING):
        raise line.refused("the access group is not understood")
    return objects.lists.program(line.words[2], version, line)


def read_input_policy(objects: Objects, line: Section, version: Literal[4, 6]) -> Program:
    """The input policy of an interface."""
    if len(line.words) != 3:
        raise line.refused("the service policy is not understood")
    return objects.classes.program(line.words[2], version, line)


class _Reader:
    def __init__(
        self,
        text: CiscoText,
        bindings: Bindings,
        interfaces: list[InterfaceBinding],
        is_merged: bool,
        keeps_classes: bool,
    ) -> None:
        self.text = text
        self.is_merged = is_merged
        self.keeps_classes = keeps_classes
        self.bindings = bindings
        self.interfaces = sorted(interfaces, key=lambda each: (each.name, each.unit))
        self.lists = ListReader(text)
        self.classes = ClassReader(text, self.lists)
        self.objects = Objects(text, self.lists, self.classes)
        self.programs: dict[tuple[str, int], Program] = {}
        # What carries classes to the output policies of the ports.
        self.carriers: set[str] = set()
        self.queues: dict[tuple[str, int], tuple[Carrier, tuple[Queue, ...]]] = {}

    def model(self, is_whole: bool) -> EffectiveModel:
        if not is_whole:
            check_shape(self.text.root, self._ports_of_settings())
        edges = tuple(edge for each in self.interfaces if each.is_edge for edge in self._edges(each))
        ports = self._ports()
        for carrier, line in self.classes.carried.items():
            if self.carriers and carrier not in self.carriers:
                raise line.refused(f"sets a {carrier}, and no core port queues by it")
        for each in self.interfaces:
            self._check_port_and_units(each)
            if not each.is_edge:
                self._check_core_input(each)
        # Lists that are not rebuilt are always merged: lines are added to the list in use.
        rebuilds = self.text.syntax.lists.are_rebuilt and not is_whole
        kept = self.lists.used - set(self.text.restarted) if rebuilds else set()
        unparsed: tuple[UnparsedStatement, ...] = ()
        if is_whole:
            unparsed = grouped(unparsed_statements(self.text.syntax, self.text.root, self._rates()))
        else:
            check_taken(self.text.root)
        return EffectiveModel(self.text.syntax.platform, edges, ports, (), (), tuple(sorted(kept)), unparsed)

    def _ports_of_settings(self) -> frozenset[str]:
        return frozenset(self._rates())

    def _rates(self) -> dict[str, int]:
        return {name: each.rate_bps for each in self.interfaces for name in (each.name, _unit_name(each))}

    def _statements(self, name: str) -> list[Section]:
        section = self.text.port(name)
        if section is None:
            return []
        if section.children:
            section.take()
        lines = [line for line in section if line.words[0] != "no" or self._binds(line.words[1:])]
        known = distinct(Section(section.words, section.line, 0, lines))
        for line in known:
            if self._binds(line.words):
                line.end()
                if line.words[0] == "service-policy" and line.words[1:2] not in (("input",), ("output",), ("type",)):
                    raise line.refused("the service policy is not understood")
            elif touched_port(self.text.syntax, line.words, self._rates()[name]) == JUDGED_PORTS:
                raise line.refused(
                    "is not understood on an interface in use: leave the interface out of the settings, or remove it"
                )
            elif line.words[0] in _GROUPS:
                self._check_group(line)
        bound = [line for line in known if self._binds(line.words)]
        return [line for line in bound if not self._only_drops(line) and not self._only_routes(line)]

    def _check_group(self, line: Section) -> None:
        """Refuses a group that is not in the text; the lines of one that is count where their names fit."""
        for name in line.words[1:]:
            if self.text.section("group", name) is None:
                raise line.refused(f"group {name} is not in the text: is it the router's whole configuration?")
        line.take()

    def _only_drops(self, line: Section) -> bool:
        """Whether a line binds an access list of the operator, who drops the same packets without HNTES.

        Raises:
            ParseError: the list does more than drop packets.
        """
        if not self.is_merged or line.words[1:2] not in tuple((each,) for each in _LISTS):
            return False
        names = [each for each in line.words[2:] if each not in (*_OUT, *_IN, "common", *_COUNTING)]
        if any(OWN_NAME.fullmatch(each) for each in names):
            return False
        for name in names:
            for each in self._list_lines(line.words[0], name):
                if _DOING_MORE & set(each.words):
                    raise each.refused("does more than drop packets, in a list of an interface in use")
        return True

    def _only_routes(self, line: Section) -> bool:
        """Whether a line binds a route-map of the operator, who routes the same packets without HNTES.

        Raises:
            ParseError: the route-map does more than route packets.
        """
        is_policy = line.words[:1] in (("ip",), ("ipv6",)) and line.words[1:3] == ("policy", "route-map")
        if not self.is_merged or not is_policy or OWN_NAME.fullmatch(line.words[-1]):
            return False
        for section in self.text.sections("route-map", line.words[-1]):
            for each in section:
                if each.words[0] == "set" and not _ROUTING & set(each.words[1:4]):
                    raise each.refused("does more than route packets, in a route-map of an interface in use")
        return True

    def _list_lines(self, family: str, name: str) -> Iterator[Section]:
        """The lines of an access list, by name or by number."""
        for section in self.text.root:
            if section.begins(family, "access-list") and name in section.words[2:]:
                yield from section
            elif section.begins("access-list", name):
                yield section

    def _binds(self, words: tuple[str, ...]) -> bool:
        """Whether the statement binds a policy or a list to the interface."""
        return words[:1] == ("service-policy",) or (
            words[:1] in tuple((each,) for each in _FAMILIES)
            and words[1:2] in (("access-group",), ("policy",), ("traffic-filter",))
        )

    def _edges(self, interface: InterfaceBinding) -> Iterator[Edge]:
        lines = self._statements(_unit_name(interface))
        for version in interface.ip_versions:
            programs = tuple(self._programs(lines, version))
            yield Edge(interface.name, interface.unit, version, programs)

    def _programs(self, lines: list[Section], version: Literal[4, 6]) -> Iterator[Program]:
        for words, binder in self.bindings(version):
            line = one_of([each for each in lines if not _is_outward(each)], *words)
            if line is not None:
                key = line.text, version
                if key not in self.programs:
                    self.programs[key] = binder(self.objects, line, version)
                line.take()
                yield self.programs[key]

    def _ports(self) -> tuple[Port, ...]:
        rates = {each.name: each.rate_bps for each in self.interfaces if each.is_core}
        return tuple(self._port(name, rates[name]) for name in sorted(rates))

    def _port(self, name: str, rate_bps: int) -> Port:
        lines = self._statements(name)
        for line in lines:
            if _is_outward(line):
                raise line.refused("an access list on output may drop packets: not understood")
        bound = one_of(lines, "service-policy", "output")
        if bound is None:
            return Port(name, rate_bps, ())
        if len(bound.words) != 3:
            raise bound.refused("the service policy is not understood")
        policy = bound.words[2], rate_bps
        bound.take()
        if self.keeps_classes and not OWN_NAME.fullmatch(bound.words[2]):
            found = operator_port(self.text.root, self.text.syntax, bound.words[2], bound, rate_bps)
            self.carriers.add(found.carrier)
            return Port(name, found.rate_bps, found.queues, found.carrier)
        if policy not in self.queues:
            self.queues[policy] = read_queues(self.classes, bound.words[2], bound, rate_bps)
        carrier, queues = self.queues[policy]
        self.carriers.add(carrier)
        return Port(name, rate_bps, queues, carrier)

    def _check_core_input(self, interface: InterfaceBinding) -> None:
        """Refuses classification or redirection of input packets on a core interface, which no settings ask for."""
        for line in self._statements(_unit_name(interface)):
            if line.begins("service-policy", "input"):
                if self.keeps_classes:
                    continue  # classes that stay are those of packets from the core, too
                used = [section for _, section in self.classes.policy(line.words[-1], line)]
            elif line.words[1] == "access-group":
                used = list(self.text.sections(line.words[0], "access-list", *line.words[2:3]))
            else:
                used = []
            redirects = line.words[1] == "policy" or line.begins("service-policy", "type")
            if redirects or any(_MARKS & set(each.words) for section in used for each in below(section)):
                raise line.refused("redirects or classifies packets that enter by a core interface: not understood")

    def _check_port_and_units(self, interface: InterfaceBinding) -> None:
        """Refuses an input policy of the port, which covers its units, and output policies of units."""
        if interface.unit == 0:
            return
        for line in self._statements(interface.name):
            if interface.is_edge and line.words[:2] != ("service-policy", "output") and line.words[0] not in _FAMILIES:
                raise line.refused(f"covers unit {interface.unit} of the port, too: not understood")
        for line in self._statements(_unit_name(interface)):
            if interface.is_core and line.begins("service-policy", "output"):
                raise line.refused("queues a unit of the port separately: not understood")


def _is_outward(line: Section) -> bool:
    return line.words[0] in _FAMILIES and line.words[3:4] in tuple((each,) for each in _OUT)


def _unit_name(interface: InterfaceBinding) -> str:
    return interface.name if interface.unit == 0 else f"{interface.name}.{interface.unit}"
