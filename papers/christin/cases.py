"""The paper's experiments: greedy and on-off TCP flows through one link, in one queue or in classes with guarantees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hntes.papers.christin.setup import Assumed, Classes, Setup, setup
from hntes.papers.stated import Changes, StatedCase, changed, completed_plainly, plain_host, tcp_flow
from hntes.simulator.scenario import (
    Bursts,
    ClassGuarantees,
    Data,
    Endless,
    Flow,
    Link,
    Port,
    Queue,
    Red,
    Rule,
    Scenario,
    Tcp,
)

SINK = "sink"
_TCP = Tcp(initial_window_pkts=1, fack=False, undo=False, disorder_burst_pkts=0, merge_segments=1, ecn=True)
# The part of a round trip that the shared link adds in each direction.
_SHARED_DELAY_MS = 1.0


@dataclass(frozen=True)
class _Source:
    """A TCP flow with a host of its own."""

    name: str
    round_trip_ms: float
    start_s: float
    is_greedy: bool


@dataclass(frozen=True)
class _Run:
    """The common part of both experiments' runs."""

    name: str
    duration_s: float
    seed: int
    link_bps: float


class ChristinCase(StatedCase):
    """Experiment 1: one way to drop and mark at the shared link."""

    paper = "christin"

    def scenario(self, seed: int, parameters: Changes | None = None) -> Scenario:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity.

        Round-trip times and starts go by the seed.
        """
        stated = setup()
        assumed = changed(stated.assumed, parameters)
        count = stated.greedy_flows + stated.on_off_flows
        random = np.random.default_rng(seed)
        round_trips_ms, starts_s = (
            random.uniform(least, most, count).tolist() for least, most in (stated.round_trip_ms, stated.start_s)
        )
        sources = [
            _Source(f"flow{number}", round_trip_ms, start_s, number < stated.greedy_flows)
            for number, (round_trip_ms, start_s) in enumerate(zip(round_trips_ms, starts_s, strict=True))
        ]
        run = _Run(self.name, stated.duration_s, seed, stated.link_bps)
        return _scenario(run, self._port(stated, assumed), sources, assumed)

    def _port(self, stated: Setup, assumed: Assumed) -> Port:
        discipline = stated.disciplines[self.configuration]
        if isinstance(discipline, Red):
            discipline = replace(discipline, marks_below=assumed.red_marks_below)
        queue = Queue("all", rate_share_pct=100, buffer_share_pct=100, discipline=discipline)
        return Port("router", SINK, (queue,), "all", buffer_bytes=stated.buffer_bytes)


class ClassesCase(StatedCase):
    """Experiment 2: four classes with guarantees, without or with a marker that regulates the flows."""

    paper = "christin"

    def scenario(self, seed: int, parameters: Changes | None = None) -> Scenario:
        """The scenario for the engine; `parameters` in place of what is assumed, as in experiment 1."""
        stated = setup()
        assumed = changed(stated.assumed, parameters)
        classes = stated.classes
        random = np.random.default_rng(seed)
        sources = [
            _Source(
                name,
                classes.greedy_round_trip_ms if is_greedy else random.uniform(*classes.on_off_round_trip_ms),
                random.uniform(*stated.start_s),
                is_greedy,
            )
            for names in class_flows()
            for name, is_greedy in names
        ]
        run = _Run(self.name, classes.duration_s, seed, classes.link_bps)
        return _scenario(run, self._port(classes, assumed), sources, assumed)

    def _port(self, classes: Classes, assumed: Assumed) -> Port:
        marking = classes.markings.get(self.configuration)
        scheduler = ClassGuarantees(marking, credits_at_arrivals=assumed.credits_at_arrivals)
        delay_bound_ms = classes.guarantees[0].delay_ms
        promised_pct = 100 * classes.promised_bps / classes.link_bps
        queues = (
            Queue(
                name,
                rate_share_pct=0 if number else promised_pct,
                buffer_share_pct=100,
                guarantees=guarantees,
                delay_bound_ms=delay_bound_ms,
            )
            for number, (name, guarantees) in enumerate(zip(class_names(), classes.guarantees, strict=True))
        )
        rules = (
            Rule(name, flow=flow) for name, flows in zip(class_names(), class_flows(), strict=True) for flow, _ in flows
        )
        return Port(
            "router",
            SINK,
            tuple(queues),
            class_names()[-1],
            tuple(rules),
            buffer_bytes=classes.buffer_bytes,
            scheduler=scheduler,
        )


def class_names() -> list[str]:
    """The classes of experiment 2, the one with absolute guarantees first."""
    return [f"class{number}" for number in range(1, 1 + len(setup().classes.guarantees))]


def class_flows() -> list[list[tuple[str, bool]]]:
    """The flows of each class: their names, and whether they are greedy."""
    classes = setup().classes
    return [
        [(f"{name}-greedy{number}", True) for number in range(classes.greedy_flows_per_class)]
        + [(f"{name}-on-off{number}", False) for number in range(count)]
        for name, count in zip(class_names(), classes.on_off_flows, strict=True)
    ]


def _scenario(run: _Run, port: Port, sources: Sequence[_Source], assumed: Assumed) -> Scenario:
    packet_bytes, header_bytes = setup().packet_bytes, assumed.header_bytes
    window_bytes = assumed.window_pkts * (packet_bytes - header_bytes)
    tcp = replace(
        _TCP,
        loss_recovery=None if assumed.selective_acknowledgements else "newreno",
        segment_data_bytes=packet_bytes - header_bytes,
        header_bytes=header_bytes,
        syn_bytes=header_bytes,
        window_bytes=window_bytes,
        clamped_window_bytes=window_bytes,
    )
    return completed_plainly(
        Scenario(
            name=run.name,
            duration_s=run.duration_s,
            seed=run.seed,
            interval_s=0.1,
            hosts=tuple(plain_host(name) for name in (SINK, *(source.name for source in sources))),
            routers=("router",),
            links=(
                _link("router", SINK, run.link_bps, _SHARED_DELAY_MS),
                *(_access(source, assumed.access_bps) for source in sources),
            ),
            ports=(port,),
            tcp=tcp,
            flows=tuple(_flow(source, run.duration_s, assumed) for source in sources),
        )
    )


def _link(origin: str, end: str, rate_bps: float, delay_ms: float) -> Link:
    return Link(origin, end, rate_bps, delay_ms * 1e3, framing_bytes=0)


def _access(source: _Source, rate_bps: float) -> Link:
    return _link(source.name, "router", rate_bps, source.round_trip_ms / 2 - _SHARED_DELAY_MS)


def _flow(source: _Source, end_s: float, assumed: Assumed) -> Flow:
    return tcp_flow(source.name, source.name, SINK, (source.start_s, end_s), _data(source, assumed))


def _data(source: _Source, assumed: Assumed) -> Data:
    if source.is_greedy:
        return Endless()
    stated = setup()
    mean_bytes = stated.on_mean_pkts * (stated.packet_bytes - assumed.header_bytes)
    return Bursts(mean_bytes, mean_pause_s=stated.off_mean_s)
