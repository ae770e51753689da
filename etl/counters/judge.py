"""Alpha flows and losses of a router's day, judged by the counters of its interfaces.

docs/decisions/0058-interface-counters.md has the reasons.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, partial

from hntes.etl.counters.polled import Window
from hntes.etl.counters.port_day import GRANTED_SD, PortDay
from hntes.etl.counters.port_octets import Point, Port, PortOctets
from hntes.etl.counters.source import Direction
from hntes.sql.entries import Doubt

# Counters of interfaces with less of the router's flows say nothing of flows at others.
_MIN_COUNTED_SHARE = 0.5
_DIRECTIONS: tuple[Direction, ...] = ("in", "out")


@dataclass(frozen=True)
class FlowPlace:
    """Where and when an alpha flow had its peak: its metering point, its interfaces (SNMP index) and two times.

    `peak_ms` is the fullest window, which has at least `octets` (IP bytes); `records_ms` the time of the shortest
    records that have most of these, as a long one may have sent them at any time.
    """

    flow_id: str
    point: Point
    input_port: int
    output_port: int
    peak_ms: Window
    records_ms: Window
    octets: float

    @property
    def ports(self) -> tuple[Port, Port]:
        return (self.input_port, "in"), (self.output_port, "out")


FlowAt = Callable[[Port, Point], PortOctets]
"""The records of one flow that name a port at a metering point."""


class CounterJudge:
    """The interfaces with counters on a router's day."""

    def __init__(
        self, ports: Mapping[Port, PortDay], flows: Mapping[Port, PortOctets], settings_ports: Set[int] = frozenset()
    ) -> None:
        """`flows` are of all interfaces, also those without counters; `settings_ports` are named by the settings."""
        self.ports = ports
        self._flows, self._settings_ports = flows, settings_ports

    def doubts(self, places: Iterable[tuple[FlowPlace, FlowAt]]) -> dict[str, Doubt]:
        """The flows that are not believed, with the reason, by flow id; each place with all records of its flow."""
        found: dict[str, Doubt] = {}
        for place, flow_at in places:
            if self._has_surplus(place, flow_at):
                found[place.flow_id] = "above_counters"
            elif self.covers_most and self._is_elsewhere(place):
                found[place.flow_id] = "no_counters"
        return found

    @cached_property
    def covers_most(self) -> bool:
        """Whether interfaces with counters have most groups of records, in one direction at least.

        Not most octets, as one record may claim any number of these.
        """
        return any(self._counted_share(direction) >= _MIN_COUNTED_SHARE for direction in _DIRECTIONS)

    def _has_surplus(self, place: FlowPlace, flow_at: FlowAt) -> bool:
        return any(
            self._is_above(self.ports[name], time_ms, place, partial(flow_at, name))
            for name in place.ports
            if name in self.ports
            for time_ms in (place.peak_ms, place.records_ms)
        )

    def _is_above(
        self, port: PortDay, time_ms: Window, place: FlowPlace, flow_at_point: Callable[[Point], PortOctets]
    ) -> bool:
        """Whether flows exceed the port's counters around that time; of two readings of this flow the larger counts.

        One is that of the port's metering point, whose octets are among those of the port; the other is the place's.
        Both are what there is at least in one and the same time between polls, which covers peaks of either: a peak at
        the one point is none at the other where both sample.
        """
        window = port.window(*time_ms)
        if window is None:
            return False
        surplus, point = port.surplus_octets(window), port.flows.point
        if surplus > 0 or place.point == point:
            return surplus > 0
        return surplus + place.octets > 0 and (
            surplus + place.octets - flow_at_point(point).at_least(*window, GRANTED_SD) > 0
        )

    def _is_elsewhere(self, place: FlowPlace) -> bool:
        return not any(port in self.ports or port[0] in self._settings_ports for port in place.ports)

    def _counted_share(self, direction: Direction) -> float:
        groups = {port: len(flows.octets) for port, flows in self._flows.items() if port[1] == direction}
        total = sum(groups.values())
        return sum(count for port, count in groups.items() if port in self.ports) / total if total else 0.0
