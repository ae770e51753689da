"""A scenario: network, flows, and the seed of all random streams."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hntes.simulator.scenario.change import Change
from hntes.simulator.scenario.document import to_json
from hntes.simulator.scenario.flow import Flow, TrafficKind
from hntes.simulator.scenario.network import Host, Link, Route
from hntes.simulator.scenario.port import Port
from hntes.simulator.scenario.tcp import Tcp


@dataclass(frozen=True)
class Window:
    """A span of which results have statistics: goodput of `flows` and backlog of `queues`; None means all of them."""

    name: str
    from_s: float
    to_s: float
    flows: tuple[str, ...] | None = None
    queues: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Scenario:
    """The input of an engine, which validates it.

    Attributes:
        name: Its name in results.
        duration_s: Simulated time.
        seed: The seed of all random streams; `seeds` has others for single streams by name.
        hosts: Hosts.
        routers: Names of the routers.
        links: Links, each in both directions.
        tcp: TCP of all flows that name no profile.
        flows: Flows.
        interval_s: Length of an interval of the series; None is a second.
        routes: Static routes, where the path with the fewest links is not wanted.
        ports: Router ports with more than one plain queue.
        profiles: TCP options that differ from `tcp`, by name of the profile.
        windows: Spans of which statistics are wanted.
        changes: Changes during the run, in order of time.
    """

    name: str
    duration_s: float
    seed: int
    hosts: tuple[Host, ...]
    routers: tuple[str, ...]
    links: tuple[Link, ...]
    tcp: Tcp
    flows: tuple[Flow, ...]
    interval_s: float | None = None
    seeds: Mapping[str, int] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()
    ports: tuple[Port, ...] = ()
    profiles: Mapping[str, Tcp] = field(default_factory=dict)
    windows: tuple[Window, ...] = ()
    changes: tuple[Change, ...] = ()

    @cached_property
    def json(self) -> str:
        """Its canonical JSON, which the engines read and which identifies it: written once, as it takes long."""
        return to_json(self)

    def flow(self, name: str) -> Flow:
        """The flow of this name; raises KeyError."""
        for flow in self.flows:
            if flow.name == name:
                return flow
        raise KeyError(f"{self.name} has no flow {name!r}")

    def flows_of_kind(self, kind: TrafficKind) -> list[str]:
        """Names of the flows of a kind."""
        return [flow.name for flow in self.flows if flow.traffic.kind == kind]

    def on_span_s(self, flow: str) -> tuple[float, float]:
        """The first start and the last end of a flow, in seconds."""
        intervals_s = self.flow(flow).intervals_s
        return float(intervals_s[0][0]), float(intervals_s[-1][1])

    def port_rate_bps(self) -> float:
        """The rate of the link of the scenario's only port."""
        (port,) = self.ports
        return next(float(link.rate_bps) for link in self.links if link.ends == {port.at, port.to})
