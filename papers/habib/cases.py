"""The paper's runs: aggregates of 200 TCP flows with unlike round trips, marked at the edges of one domain or three."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hntes.papers.habib.setup import Assumed, setup
from hntes.papers.stated import Changes, StatedCase, changed, completed_plainly, plain_host, tcp_flow
from hntes.simulator.scenario import (
    Bursts,
    Conditioner,
    Endless,
    Flow,
    Gred,
    Link,
    LossRecovery,
    Meter,
    Port,
    Queue,
    RttAware,
    RttRtoAware,
    Scenario,
    Tcp,
    Tsw3cm,
    Web,
)

CONDITIONERS = ("standard", "basic-rtt", "rtt-rto", "rtt-sw")
_SHARED_LINK_MS = 0.3
_SINK_MS = 0.1
_EVERY_SEGMENT = 2**31


@dataclass(frozen=True)
class AggregateFlow:
    """So many TCP flows from one host to another, where they enter and leave, delays of both access links in ms."""

    name: str
    source: str
    sink: str
    enters: str
    leaves: str
    source_ms: float
    sink_ms: float
    count: int

    def microflows(self) -> list[str]:
        """Names of its TCP flows."""
        return [f"{self.name}-{number}" for number in range(self.count)]


class HabibCase(StatedCase):
    """One conditioner on the simple topology (the variant is flow 2's round trip) or across several domains.

    Experiments are `simple`, `multi-domain`, `over-provisioned`, `telnet` and `web` (the variant: sessions per server).
    """

    paper = "habib"

    @property
    def name(self) -> str:
        """Such as `habib/simple/rtt-rto/rtt-100`."""
        return "/".join(part for part in (super().name, self.variant) if part)

    def flows(self) -> list[AggregateFlow]:
        """The aggregates, in the paper's order."""
        stated = setup()
        if self.experiment_name == "simple":
            return _simple_flows(float(self.variant.removeprefix("rtt-")), stated.microflows)
        if self.experiment_name == "telnet":
            return _simple_flows(stated.assumed.telnet_round_trip_2_ms, stated.telnet.sessions)
        if self.experiment_name == "web":
            return _from_servers(int(self.variant.removeprefix("sessions-")))
        return _multi_domain_flows()

    def link_bps(self) -> float:
        """The rate of all links."""
        return setup().telnet.link_bps if self.experiment_name == "telnet" else setup().link_bps

    def recovery(self) -> LossRecovery:
        """How the senders recover from losses."""
        return setup().web.tcp_recovery if self.experiment_name == "web" else setup().tcp_recovery

    def rate_share(self, parameters: Changes | None = None) -> float:
        """Committed and peak rates over those that the paper states for links of 10 Mb/s."""
        assumed = changed(setup().assumed, parameters)
        share = assumed.over_provisioned_share if self.experiment_name == "over-provisioned" else 1.0
        return share * self.link_bps() / setup().link_bps

    def committed_bps(self) -> float:
        """The committed rate of each aggregate."""
        return self.rate_share() * setup().committed_bps

    def scenario(self, seed: int, parameters: Changes | None = None) -> Scenario:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity.

        Starts go by the seed.
        """
        defaults = setup().ns2_defaults.get(self.configuration)
        assumed = changed(changed(setup().assumed, parameters), vars(defaults) if defaults else None)
        flows = self.flows()
        path = _simple_path() if self.experiment_name in {"simple", "telnet"} else _multi_domain_path()
        hosts = [end for flow in flows for end in (flow.source, flow.sink)]
        meter = _meter(self.configuration, self.rate_share(parameters), assumed)
        sending = {"telnet": _sessions, "web": _web_sessions}.get(self.experiment_name, _microflows)
        durations_s = {"telnet": assumed.telnet_duration_s, "web": assumed.web_duration_s}
        duration_s = durations_s.get(self.experiment_name, assumed.duration_s)
        return completed_plainly(
            Scenario(
                name=self.name,
                duration_s=duration_s,
                interval_s=duration_s,
                seed=seed,
                hosts=tuple(plain_host(host) for host in hosts),
                routers=(path[0][0], *(other for _, other, _ in path)),
                links=tuple(_link(*hop, self.link_bps()) for hop in (*path, *_access(flows))),
                ports=tuple(_ports(path, flows, meter, assumed)),
                tcp=_tcp(assumed, self.recovery()),
                flows=tuple(sending(flows, seed, assumed)),
            )
        )


def _simple_flows(round_trip_2_ms: float, count: int) -> list[AggregateFlow]:
    round_trips_ms = (setup().simple.round_trip_ms, round_trip_2_ms)
    shared_ms = 3 * _SHARED_LINK_MS + _SINK_MS
    return [
        AggregateFlow(f"f{n}", f"n{n}", f"n{n + 2}", "edge1", "edge2", round_trip_ms / 2 - shared_ms, _SINK_MS, count)
        for n, round_trip_ms in enumerate(round_trips_ms, 1)
    ]


def _simple_path() -> list[tuple[str, str, float]]:
    return [(one, other, _SHARED_LINK_MS) for one, other in pairwise(("edge1", "core1", "core2", "edge2"))]


def _multi_domain_flows() -> list[AggregateFlow]:
    count = setup().microflows
    return [
        AggregateFlow(name, end.from_, end.to, end.enters, end.leaves, end.access_ms, end.access_ms, count)
        for name, end in setup().multi_domain.flows.items()
    ]


def _from_servers(sessions: int) -> list[AggregateFlow]:
    """The servers' flows: those between the same hosts the other way round, which changes nothing for the links."""
    clients = setup().web.clients
    return [
        replace(flow, source=flow.sink, sink=flow.source, count=sessions)
        for flow in _multi_domain_flows()
        if flow.name in clients
    ]


def _multi_domain_path() -> list[tuple[str, str, float]]:
    """Routers in a row with the delay of the link between each two."""
    stated = setup().multi_domain
    routers = [f"{kind}-{domain}" for domain in stated.domains for kind in ("ingress", "core", "egress")]
    return [
        (one, other, stated.between_domains_ms if other.startswith("ingress") else stated.domain_link_ms)
        for one, other in pairwise(routers)
    ]


def _link(one: str, other: str, delay_ms: float, rate_bps: float) -> Link:
    return Link(one, other, rate_bps, delay_ms * 1e3, framing_bytes=0)


def _access(flows: Sequence[AggregateFlow]) -> Iterator[tuple[str, str, float]]:
    for flow in flows:
        yield flow.source, flow.enters, flow.source_ms
        yield flow.leaves, flow.sink, flow.sink_ms


def _meter(conditioner: str, rate_share: float, assumed: Assumed) -> Meter:
    stated = setup()
    committed_bps, window_s = rate_share * stated.committed_bps, assumed.estimator_window_s
    if reading := stated.readings.get(conditioner):
        return RttRtoAware(committed_bps, window_s, reading.excess_exponent, reading.rto_exponent)
    peak_bps = rate_share * stated.peak_bps
    if conditioner == "standard":
        return Tsw3cm(committed_bps, peak_bps, window_s)
    protected_pkts = stated.small_window_pkts if conditioner == "rtt-sw" else 0
    return RttAware(committed_bps, peak_bps, window_s, protected_pkts)


def _ports(
    path: Sequence[tuple[str, str, float]], flows: Sequence[AggregateFlow], meter: Meter, assumed: Assumed
) -> Iterator[Port]:
    """RIO before each link between routers; where a domain begins, its edge marks each aggregate that enters."""
    routers = [path[0][0], *(other for _, other, _ in path)]
    queue = Queue("all", rate_share_pct=100, buffer_share_pct=100, discipline=_rio(assumed))
    for one, other, _ in path:
        crossing = tuple(
            tuple(flow.microflows())
            for flow in flows
            if routers.index(flow.enters) <= routers.index(one) < routers.index(flow.leaves)
        )
        is_edge = one in {"edge1"} or one.startswith("ingress")
        yield Port(
            at=one,
            to=other,
            buffer_bytes=assumed.buffer_pkts * setup().packet_bytes,
            queues=(queue,),
            default_class="all",
            conditioners=(Conditioner("all", meter, crossing),) if is_edge and crossing else (),
        )


def _rio(assumed: Assumed) -> Gred:
    stated = setup()
    return Gred(
        average_weight=stated.average_weight,
        averages=assumed.averages,
        mean_packet_bytes=stated.packet_bytes,
        curves=stated.curves,
    )


def _tcp(assumed: Assumed, recovery: LossRecovery) -> Tcp:
    """TCP as ns-2 has it: no selective acknowledgements, a coarse clock, every segment acknowledged."""
    stated = setup()
    data_bytes = stated.packet_bytes - assumed.header_bytes
    return Tcp(
        loss_recovery=recovery,
        segment_data_bytes=data_bytes,
        header_bytes=assumed.header_bytes,
        syn_bytes=assumed.header_bytes,
        window_bytes=stated.window_pkts * data_bytes,
        clamped_window_bytes=stated.window_pkts * data_bytes,
        initial_window_pkts=assumed.initial_window_pkts,
        initial_rto_ms=assumed.initial_rto_ms,
        quick_acks=0 if assumed.delays_acks else _EVERY_SEGMENT,
        merge_segments=1,
        stamp_step_us=1,
        min_rto_ms=assumed.min_rto_ms,
        timer_step_ms=assumed.timer_step_ms,
        min_timeout_ms=assumed.min_timeout_ms,
        times_one_segment=assumed.times_one_segment,
        partial_acks_restart_timer=assumed.partial_acks_restart_timer,
    )


def _microflows(flows: Sequence[AggregateFlow], seed: int, assumed: Assumed) -> Iterator[Flow]:
    """Greedy flows."""
    random = np.random.default_rng(seed)
    for flow in flows:
        for name, share in zip(flow.microflows(), random.random(flow.count).tolist(), strict=True):
            span_s = (share * assumed.start_within_s, assumed.duration_s)
            yield tcp_flow(name, flow.source, flow.sink, span_s, Endless())


def _sessions(flows: Sequence[AggregateFlow], seed: int, assumed: Assumed) -> Iterator[Flow]:
    """Sessions of so many packets; the next one comes a pause after the last was acknowledged."""
    random, (least, most) = np.random.default_rng(seed), setup().telnet.packets
    for flow in flows:
        starts_s = (random.random(flow.count) * assumed.telnet_start_within_s).tolist()
        packets = random.integers(least, most, flow.count, endpoint=True).tolist()
        for name, start_s, count in zip(flow.microflows(), starts_s, packets, strict=True):
            # a burst of a byte on average is one segment, always
            data = Bursts(mean_bytes=1, mean_pause_s=assumed.telnet_pause_s, count=count)
            yield tcp_flow(name, flow.source, flow.sink, (start_s, assumed.telnet_duration_s), data)


def _web_sessions(flows: Sequence[AggregateFlow], seed: int, assumed: Assumed) -> Iterator[Flow]:
    """Sessions of a server; somebody reads for a while what came, and goes on."""
    random = np.random.default_rng(seed)
    data = Web(
        objects_per_page=setup().web.objects,
        mean_object_bytes=assumed.web_mean_object_bytes,
        pareto_shape=assumed.web_object_pareto_shape,
        mean_think_s=assumed.web_think_s,
    )
    for flow in flows:
        for name, share in zip(flow.microflows(), random.random(flow.count).tolist(), strict=True):
            span_s = (share * assumed.start_within_s, assumed.web_duration_s)
            yield tcp_flow(name, flow.source, flow.sink, span_s, data)
