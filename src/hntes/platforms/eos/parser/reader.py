"""Parsing of an EOS text into its effective model.

Only what the settings' interfaces refer to is read; every statement of it must be understood.
"""

from collections.abc import Iterable, Iterator

from hntes.platforms.cisco.conflicts import unit_name
from hntes.platforms.cisco.parser.form import check_form
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Edge, EffectiveModel, Port, Program, UnparsedStatement
from hntes.platforms.eos.classes import class_name
from hntes.platforms.eos.parser.form import check_shape, check_taken
from hntes.platforms.eos.parser.listing import interface_lines, read_listing
from hntes.platforms.eos.parser.policies import PolicyReader, Version
from hntes.platforms.eos.parser.queues import QueueReader
from hntes.platforms.eos.parser.unparsed import unparsed_statements
from hntes.platforms.unparsed import grouped
from hntes.rules.qos.model import ForwardingClass, InterfaceBinding


def read_eos(text: str, interfaces: Iterable[InterfaceBinding], is_whole: bool) -> EffectiveModel:
    """The effective model of an EOS text.

    Raises:
        ParseError: a statement that affects packets cannot be parsed.
    """
    if not is_whole:
        check_form(text)
    root = read_listing(text)
    if not is_whole:
        check_shape(root)
    return _Eos(root, list(interfaces), is_whole).model()


class _Eos:
    def __init__(self, root: Section, interfaces: list[InterfaceBinding], is_whole: bool) -> None:
        self.root = root
        self.is_whole = is_whole
        self.interfaces = sorted(interfaces, key=lambda each: (each.name, each.unit))
        self.policies = PolicyReader(root)
        self.queues = QueueReader(root)

    def model(self) -> EffectiveModel:
        edges = tuple(edge for each in self.interfaces if each.is_edge for edge in self._edges(each))
        rates = {each.name: each.rate_bps for each in self.interfaces if each.is_core}
        ports = tuple(self.queues.port(name, rates[name], interface_lines(self.root, name)) for name in sorted(rates))
        unparsed: tuple[UnparsedStatement, ...] = ()
        if self.is_whole:
            unparsed = grouped(unparsed_statements(self.root, self.interfaces))
        else:
            check_taken(self.root)
        # A merge replaces each object of HNTES as a whole: its transition removes it first.
        return EffectiveModel("eos", edges, ports, _classes(ports), (), (), unparsed)

    def _edges(self, interface: InterfaceBinding) -> Iterator[Edge]:
        for version in interface.ip_versions:
            yield Edge(interface.name, interface.unit, version, tuple(self._programs(interface, version)))

    def _programs(self, interface: InterfaceBinding, version: Version) -> Iterator[Program]:
        lines = interface_lines(self.root, unit_name(interface))
        bound = [each for each in lines if each.begins("traffic-policy", "input")]
        if len(bound) > 1 or any(len(each.words) != 3 for each in bound):
            raise bound[-1].refused("an interface has one traffic-policy on input")
        for each in bound:
            each.end()
            each.take()
            program = self.policies.program(each, version)
            if program is not None:
                yield program


def _classes(ports: tuple[Port, ...]) -> tuple[ForwardingClass, ...]:
    """The classes that have a queue of the text's on some port."""
    numbers = sorted({number for port in ports for queue in port.queues for number in queue.numbers})
    return tuple(ForwardingClass(class_name(number), number) for number in numbers)
