"""The paper's runs: aggregates of 200 TCP flows with unlike round trips, marked at the edges of one domain or three."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.papers.stated import StatedCase, Table, load_setup, plain_host
from simulator.testbed.scenario_file import complete

CONDITIONERS = ("standard", "basic-rtt", "rtt-rto", "rtt-sw")
_SHARED_LINK_MS = 0.3
_SINK_MS = 0.1
_EVERY_SEGMENT = 2**31


def setup() -> Table:
    """The numbers of `setup.toml`."""
    return load_setup(__file__)


@dataclass(frozen=True)
class AggregateFlow:
    """Microflows from one host to another, where they enter and leave, and the delay of both access links, in ms."""

    name: str
    source: str
    sink: str
    enters: str
    leaves: str
    source_ms: float
    sink_ms: float

    def microflows(self) -> list[str]:
        """Names of its TCP flows."""
        return [f"{self.name}-{number}" for number in range(setup()["microflows"])]


class HabibCase(StatedCase):
    """One conditioner on the simple topology (the variant is flow 2's round trip) or across several domains."""

    paper = "habib"

    @property
    def name(self) -> str:
        """Such as `habib/simple/rtt-rto/rtt-100`."""
        return "/".join(part for part in (super().name, self.variant) if part)

    def flows(self) -> list[AggregateFlow]:
        """The aggregates, in the paper's order."""
        return _simple_flows(self.variant) if self.experiment_name == "simple" else _multi_domain_flows()

    def committed_bps(self, parameters: Table | None = None) -> float:
        """The committed rate of each aggregate."""
        assumed = {**setup()["assumed"], **(parameters or {})}
        share = assumed["over_provisioned_share"] if self.experiment_name == "over-provisioned" else 1.0
        return float(share * setup()["committed_bps"])

    def scenario(self, seed: int, parameters: Table | None = None) -> dict[str, Any]:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity.

        Starts go by the seed.
        """
        stated = setup()
        assumed = {**stated["assumed"], **(parameters or {})}
        flows = self.flows()
        path = _simple_path() if self.experiment_name == "simple" else _multi_domain_path()
        hosts = [end for flow in flows for end in (flow.source, flow.sink)]
        meter = _meter(self.configuration, self.committed_bps(parameters) / stated["committed_bps"], assumed)
        return complete(
            {
                "name": self.name,
                "duration_s": assumed["duration_s"],
                "interval_s": assumed["duration_s"],
                "seed": seed,
                "hosts": [plain_host(host) for host in hosts],
                "routers": [path[0][0], *(other for _, other, _ in path)],
                "links": [*(_link(*hop) for hop in path), *_access(flows)],
                "ports": list(_ports(path, flows, meter, assumed)),
                "tcp": _tcp(assumed),
                "flows": _microflows(flows, seed, assumed),
            }
        )


def _simple_flows(variant: str) -> list[AggregateFlow]:
    round_trips_ms = (setup()["simple"]["round_trip_ms"], float(variant.removeprefix("rtt-")))
    shared_ms = 3 * _SHARED_LINK_MS + _SINK_MS
    return [
        AggregateFlow(f"f{n}", f"n{n}", f"n{n + 2}", "edge1", "edge2", round_trip_ms / 2 - shared_ms, _SINK_MS)
        for n, round_trip_ms in enumerate(round_trips_ms, 1)
    ]


def _simple_path() -> list[tuple[str, str, float]]:
    return [(one, other, _SHARED_LINK_MS) for one, other in pairwise(("edge1", "core1", "core2", "edge2"))]


def _multi_domain_flows() -> list[AggregateFlow]:
    return [
        AggregateFlow(
            name, end["from"], end["to"], end["enters"], end["leaves"], float(end["access_ms"]), float(end["access_ms"])
        )
        for name, end in setup()["multi_domain"]["flows"].items()
    ]


def _multi_domain_path() -> list[tuple[str, str, float]]:
    """Routers in a row with the delay of the link between each two."""
    stated = setup()["multi_domain"]
    routers = [f"{kind}-{domain}" for domain in stated["domains"] for kind in ("ingress", "core", "egress")]
    return [
        (one, other, stated["between_domains_ms"] if other.startswith("ingress") else stated["domain_link_ms"])
        for one, other in pairwise(routers)
    ]


def _link(one: str, other: str, delay_ms: float) -> dict[str, Any]:
    return {
        "from": one, "to": other, "rate_bps": setup()["link_bps"], "delay_us": delay_ms * 1e3, "framing_bytes": 0,
    }  # fmt: skip


def _access(flows: Sequence[AggregateFlow]) -> Iterator[dict[str, Any]]:
    for flow in flows:
        yield _link(flow.source, flow.enters, flow.source_ms)
        yield _link(flow.leaves, flow.sink, flow.sink_ms)


def _meter(conditioner: str, rate_share: float, assumed: Table) -> dict[str, Any]:
    stated = setup()
    common = {
        "committed_rate_bps": rate_share * stated["committed_bps"],
        "window_s": assumed["estimator_window_s"],
    }
    if conditioner in stated["readings"]:
        return {"kind": "rtt_rto_aware", **common, **stated["readings"][conditioner]}
    common["peak_rate_bps"] = rate_share * stated["peak_bps"]
    if conditioner == "standard":
        return {"kind": "tsw3cm", **common}
    protected_pkts = stated["small_window_pkts"] if conditioner == "rtt-sw" else 0
    return {"kind": "rtt_aware", **common, "small_window_pkts": protected_pkts}


def _ports(
    path: Sequence[tuple[str, str, float]], flows: Sequence[AggregateFlow], meter: Table, assumed: Table
) -> Iterator[dict[str, Any]]:
    """RIO before each link between routers; where a domain begins, its edge marks each aggregate that enters."""
    routers = [path[0][0], *(other for _, other, _ in path)]
    for one, other, _ in path:
        crossing = [
            flow.microflows()
            for flow in flows
            if routers.index(flow.enters) <= routers.index(one) < routers.index(flow.leaves)
        ]
        is_edge = one in {"edge1"} or one.startswith("ingress")
        conditioner = {"class": "all", "aggregate": crossing, "meter": dict(meter)}
        yield {
            "at": one,
            "to": other,
            "buffer_bytes": assumed["buffer_pkts"] * setup()["packet_bytes"],
            "queues": [{"class": "all", "rate_share_pct": 100, "buffer_share_pct": 100, "discipline": _rio(assumed)}],
            "default_class": "all",
            "conditioners": [conditioner] if is_edge and crossing else [],
        }


def _rio(assumed: Table) -> dict[str, Any]:
    stated = setup()
    return {
        "kind": "gred",
        "average_weight": stated["average_weight"],
        "averages": assumed["averages"],
        "mean_packet_bytes": stated["packet_bytes"],
        "curves": {colour: dict(curve) for colour, curve in stated["curves"].items()},
    }


def _tcp(assumed: Table) -> dict[str, Any]:
    """TCP as ns-2 has it: no selective acknowledgements, a coarse clock, every segment acknowledged."""
    stated = setup()
    data_bytes = stated["packet_bytes"] - assumed["header_bytes"]
    return {
        "loss_recovery": stated["tcp_recovery"],
        "segment_data_bytes": data_bytes,
        "header_bytes": assumed["header_bytes"],
        "syn_bytes": assumed["header_bytes"],
        "window_bytes": stated["window_pkts"] * data_bytes,
        "clamped_window_bytes": stated["window_pkts"] * data_bytes,
        "initial_window_pkts": assumed["initial_window_pkts"],
        "initial_rto_ms": assumed["initial_rto_ms"],
        "min_rto_ms": 1,
        "timer_step_ms": assumed["timer_step_ms"],
        "quick_acks": _EVERY_SEGMENT,
        "merge_segments": 1,
        "stamp_step_us": 1,
    }


def _microflows(flows: Sequence[AggregateFlow], seed: int, assumed: Table) -> list[dict[str, Any]]:
    random, count = np.random.default_rng(seed), int(setup()["microflows"])
    return [
        {
            "name": name,
            "from": flow.source,
            "to": flow.sink,
            "intervals_s": [[share * assumed["start_within_s"], assumed["duration_s"]]],
            "traffic": {"kind": "tcp", "congestion": "reno"},
        }
        for flow in flows
        for name, share in zip(flow.microflows(), random.random(count).tolist(), strict=True)
    ]
