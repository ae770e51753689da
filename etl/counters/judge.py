"""Alpha flows and losses of a router's day, judged by the counters of its interfaces.

docs/decisions/0058-interface-counters.md has the reasons.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from hntes.etl.counters.port_day import PortDay
from hntes.etl.counters.port_octets import Port, PortOctets
from hntes.etl.counters.source import Direction
from hntes.sql.entries import Doubt

# Counters of interfaces with less of the router's flows say nothing of flows at others.
_MIN_COUNTED_SHARE = 0.5
_DIRECTIONS: tuple[Direction, ...] = ("in", "out")


@dataclass(frozen=True)
class FlowPlace:
    """Where and when an alpha flow had its peak: its interfaces (SNMP index) and its records' first and last moment."""

    flow_id: str
    input_port: int
    output_port: int
    start_ms: int
    end_ms: int

    @property
    def ports(self) -> tuple[Port, Port]:
        return (self.input_port, "in"), (self.output_port, "out")


class CounterJudge:
    """The interfaces with counters on a router's day."""

    def __init__(
        self, ports: Mapping[Port, PortDay], flows: Mapping[Port, PortOctets], settings_ports: Set[int] = frozenset()
    ) -> None:
        """`flows` are of all interfaces, also those without counters; `settings_ports` are named by the settings."""
        self.ports = ports
        self._flows, self._settings_ports = flows, settings_ports

    def doubts(self, places: Iterable[FlowPlace]) -> dict[str, Doubt]:
        """The flows that are not believed, with the reason, by flow id."""
        found: dict[str, Doubt] = {}
        for place in places:
            if self._has_surplus(place):
                found[place.flow_id] = "above_counters"
            elif self.covers_most and self._is_elsewhere(place):
                found[place.flow_id] = "no_counters"
        return found

    @cached_property
    def covers_most(self) -> bool:
        """Whether interfaces with counters have most of what the records report, in one direction at least."""
        return any(self._counted_share(direction) >= _MIN_COUNTED_SHARE for direction in _DIRECTIONS)

    def _has_surplus(self, place: FlowPlace) -> bool:
        ports = (self.ports[name] for name in place.ports if name in self.ports)
        return any(port.has_surplus(place.start_ms, place.end_ms) for port in ports)

    def _is_elsewhere(self, place: FlowPlace) -> bool:
        return not any(port in self.ports or port[0] in self._settings_ports for port in place.ports)

    def _counted_share(self, direction: Direction) -> float:
        sums = {port: float(flows.octets.sum()) for port, flows in self._flows.items() if port[1] == direction}
        total = sum(sums.values())
        return sum(octets for port, octets in sums.items() if port in self.ports) / total if total else 0.0
