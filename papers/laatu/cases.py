"""The paper's runs: four TCP flows marked one by one or together, before a bottleneck with too small or ample share."""

from dataclasses import replace
from typing import Literal

from hntes.papers.laatu.setup import Assumed, Setup, setup
from hntes.papers.stated import Changes, StatedCase, changed, completed_plainly, plain_host
from hntes.simulator.scenario import (
    Conditioner,
    Flow,
    Gred,
    Link,
    Port,
    Queue,
    RoundRobin,
    Rule,
    Scenario,
    Tcp,
    TcpTraffic,
    Traffic,
    Trtcm,
    UdpTraffic,
    overlaid,
)

MARKED = ("per-flow", "aggregate")
_TCP = Tcp(initial_window_pkts=2, fack=False, undo=False, disorder_burst_pkts=0, merge_segments=1)


def measured_flows() -> list[str]:
    """The flows that the tables are about."""
    return [f"tcp{number}" for number in range(1, setup().flows + 1)]


class LaatuCase(StatedCase):
    """One way of marking (`per-flow`, `aggregate`) under one provisioning (`under`, `over`)."""

    paper = "laatu"

    def scenario(self, seed: int, parameters: Changes | None = None) -> Scenario:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity."""
        stated = setup()
        assumed = changed(stated.assumed, parameters)
        hosts = ["background", "background-sink", "best-effort", "best-effort-sink"]
        hosts += [f"{end}{number}" for end in ("source", "sink") for number in range(1, stated.flows + 1)]
        return completed_plainly(
            Scenario(
                name=self.name,
                duration_s=stated.duration_s,
                seed=seed,
                hosts=tuple(plain_host(host) for host in hosts),
                routers=("edge1", "edge2", "edge3", "core1", "core2"),
                links=_links(stated, assumed),
                ports=(
                    _edge("edge1", "flow" if self.configuration == "per-flow" else "class", stated),
                    _edge("edge3", "class", stated),
                    _core(stated, assumed, assumed.assured_share_pct[self.experiment_name]),
                ),
                tcp=_tcp(stated, assumed),
                profiles={} if assumed.last_flows_tcp == Tcp() else {"last": assumed.last_flows_tcp},
                flows=_flows(stated, assumed),
            )
        )


def _tcp(stated: Setup, assumed: Assumed) -> Tcp:
    window_bytes = stated.window_bytes
    sizes = Tcp(
        segment_data_bytes=stated.segment_data_bytes,
        header_bytes=stated.header_bytes,
        window_bytes=window_bytes,
        clamped_window_bytes=window_bytes,
    )
    return overlaid(_TCP, sizes, assumed.tcp)


def _links(stated: Setup, assumed: Assumed) -> tuple[Link, ...]:
    pairs = [("edge1", "core1"), ("edge3", "core1"), ("core1", "core2"), ("core2", "edge2")]
    pairs += [
        ("background", "edge3"),
        ("edge2", "background-sink"),
        ("best-effort", "core1"),
        ("core2", "best-effort-sink"),
    ]
    for number in range(1, stated.flows + 1):
        pairs += [(f"source{number}", "edge1"), ("edge2", f"sink{number}")]
    return tuple(Link(one, other, stated.link_bps, assumed.link_delay_us) for one, other in pairs)


def _edge(router: str, aggregate: Literal["flow", "class"], stated: Setup) -> Port:
    """A marker before the link to the core; all its flows together in four times the rates of one."""
    rates = stated.rates_bps[aggregate]
    meter = Trtcm(
        committed_rate_bps=rates.committed,
        committed_burst_bytes=stated.burst_pkts.committed * stated.packet_bytes,
        peak_rate_bps=rates.peak,
        peak_burst_bytes=stated.burst_pkts.peak * stated.packet_bytes,
    )
    return Port(
        at=router,
        to="core1",
        queues=(Queue("assured", rate_share_pct=100, buffer_share_pct=100),),
        default_class="assured",
        conditioners=(Conditioner("assured", meter, aggregate),),
    )


def _core(stated: Setup, assumed: Assumed, share_pct: float) -> Port:
    """The bottleneck: assured forwarding with GRED beside best effort, which takes what the other leaves."""
    gred = Gred(
        average_weight=stated.average_weight,
        averages=assumed.averages,
        curves=stated.curves,
    )
    buffer_pct = assumed.assured_buffer_share_pct
    return Port(
        at="core1",
        to="core2",
        buffer_bytes=stated.core_buffer_bytes,
        scheduler=RoundRobin(),
        queues=(
            Queue("assured", rate_share_pct=share_pct, buffer_share_pct=buffer_pct, discipline=gred),
            Queue("best-effort", rate_share_pct=100 - share_pct, buffer_share_pct=100 - buffer_pct),
        ),
        classifier=(Rule("best-effort", flow="best-effort"),),
        default_class="assured",
    )


def _flows(stated: Setup, assumed: Assumed) -> tuple[Flow, ...]:
    def flow(name: str, source: str, sink: str, traffic: Traffic) -> Flow:
        return Flow(name, source, sink, ((0, stated.duration_s),), traffic)

    greedy = TcpTraffic("reno", window_bytes=stated.window_bytes)
    last = replace(greedy, profile="last") if assumed.last_flows_tcp != Tcp() else greedy
    names = measured_flows()
    measured = [
        flow(name, f"source{number}", f"sink{number}", last if name == names[-1] else greedy)
        for number, name in enumerate(names, 1)
    ]
    background = [
        flow(f"background{number}", "background", "background-sink", greedy)
        for number in range(1, assumed.background_flows + 1)
    ]
    filling = UdpTraffic(rate_bps=stated.link_bps, datagram_bytes=assumed.best_effort_payload_bytes, jitter=0.5)
    return (*measured, *background, flow("best-effort", "best-effort", "best-effort-sink", filling))
