"""The paper's experiments: greedy and on-off TCP flows through one link, in one queue or in classes with guarantees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hntes.papers.stated import StatedCase, Table, complete_plainly, load_setup, plain_host

SINK = "sink"
_TCP = {
    "initial_window_pkts": 1,
    "fack": False,
    "undo": False,
    "disorder_burst_pkts": 0,
    "merge_segments": 1,
    "ecn": True,
}
# The part of a round trip that the shared link adds in each direction.
_SHARED_DELAY_MS = 1.0


def setup() -> Table:
    """The numbers of `setup.toml`."""
    return load_setup(__file__)


@dataclass(frozen=True)
class _Source:
    """A TCP flow with a host of its own."""

    name: str
    round_trip_ms: float
    start_s: float
    is_greedy: bool


class ChristinCase(StatedCase):
    """Experiment 1: one way to drop and mark at the shared link."""

    paper = "christin"

    def scenario(self, seed: int, parameters: Table | None = None) -> dict[str, Any]:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity.

        Round-trip times and starts go by the seed.
        """
        stated = setup()
        assumed = {**stated["assumed"], **(parameters or {})}
        count = stated["greedy_flows"] + stated["on_off_flows"]
        random = np.random.default_rng(seed)
        round_trips_ms, starts_s = (
            random.uniform(least, most, count).tolist() for least, most in (stated["round_trip_ms"], stated["start_s"])
        )
        sources = [
            _Source(f"flow{number}", round_trip_ms, start_s, number < stated["greedy_flows"])
            for number, (round_trip_ms, start_s) in enumerate(zip(round_trips_ms, starts_s, strict=True))
        ]
        run = {"name": self.name, "duration_s": stated["duration_s"], "seed": seed}
        return _scenario(run, stated["link_bps"], self._port(stated, assumed), sources, assumed)

    def _port(self, stated: Table, assumed: Table) -> dict[str, Any]:
        discipline = dict(stated["disciplines"][self.configuration])
        if discipline["kind"] == "red":
            discipline["marks_below"] = assumed["red_marks_below"]
        return {
            "buffer_bytes": stated["buffer_bytes"],
            "queues": [{"class": "all", "rate_share_pct": 100, "buffer_share_pct": 100, "discipline": discipline}],
            "default_class": "all",
        }


class ClassesCase(StatedCase):
    """Experiment 2: four classes with guarantees, without or with a marker that regulates the flows."""

    paper = "christin"

    def scenario(self, seed: int, parameters: Table | None = None) -> dict[str, Any]:
        """The scenario for the engine; `parameters` in place of what is assumed, as in experiment 1."""
        stated = setup()
        assumed = {**stated["assumed"], **(parameters or {})}
        classes = stated["classes"]
        random = np.random.default_rng(seed)
        sources = [
            _Source(
                name,
                classes["greedy_round_trip_ms"] if is_greedy else random.uniform(*classes["on_off_round_trip_ms"]),
                random.uniform(*stated["start_s"]),
                is_greedy,
            )
            for names in class_flows()
            for name, is_greedy in names
        ]
        run = {"name": self.name, "duration_s": classes["duration_s"], "seed": seed}
        return _scenario(run, classes["link_bps"], self._port(classes, assumed), sources, assumed)

    def _port(self, classes: Table, assumed: Table) -> dict[str, Any]:
        marking = classes["markings"].get(self.configuration)
        scheduler = {
            "kind": "class_guarantees",
            "credits_at_arrivals": assumed["credits_at_arrivals"],
            **({"marking": marking} if marking else {}),
        }
        delay_bound_ms = classes["guarantees"][0]["delay_ms"]
        promised_pct = 100 * classes["promised_bps"] / classes["link_bps"]
        return {
            "buffer_bytes": classes["buffer_bytes"],
            "scheduler": scheduler,
            "queues": [
                {
                    "class": name,
                    "rate_share_pct": 0 if number else promised_pct,
                    "buffer_share_pct": 100,
                    "guarantees": guarantees,
                    "delay_bound_ms": delay_bound_ms,
                }
                for number, (name, guarantees) in enumerate(zip(class_names(), classes["guarantees"], strict=True))
            ],
            "default_class": class_names()[-1],
            "classifier": [
                {"class": name, "flow": flow}
                for name, flows in zip(class_names(), class_flows(), strict=True)
                for flow, _ in flows
            ],
        }


def class_names() -> list[str]:
    """The classes of experiment 2, the one with absolute guarantees first."""
    return [f"class{number}" for number in range(1, 1 + len(setup()["classes"]["guarantees"]))]


def class_flows() -> list[list[tuple[str, bool]]]:
    """The flows of each class: their names, and whether they are greedy."""
    classes = setup()["classes"]
    return [
        [(f"{name}-greedy{number}", True) for number in range(classes["greedy_flows_per_class"])]
        + [(f"{name}-on-off{number}", False) for number in range(count)]
        for name, count in zip(class_names(), classes["on_off_flows"], strict=True)
    ]


def _scenario(run: Table, link_bps: float, port: Table, sources: Sequence[_Source], assumed: Table) -> dict[str, Any]:
    stated = setup()
    header_bytes = assumed["header_bytes"]
    window_bytes = assumed["window_pkts"] * (stated["packet_bytes"] - header_bytes)
    return complete_plainly(
        {
            **run,
            "interval_s": 0.1,
            "hosts": [plain_host(name) for name in (SINK, *(source.name for source in sources))],
            "routers": ["router"],
            "links": [
                _link("router", SINK, link_bps, _SHARED_DELAY_MS),
                *(_access(source, assumed["access_bps"]) for source in sources),
            ],
            "ports": [{"at": "router", "to": SINK, **port}],
            "tcp": {
                **_TCP,
                **({} if assumed["selective_acknowledgements"] else {"loss_recovery": "newreno"}),
                "segment_data_bytes": stated["packet_bytes"] - header_bytes,
                "header_bytes": header_bytes,
                "syn_bytes": header_bytes,
                "window_bytes": window_bytes,
                "clamped_window_bytes": window_bytes,
            },
            "flows": [_flow(source, run["duration_s"], assumed) for source in sources],
        }
    )


def _link(origin: str, end: str, rate_bps: float, delay_ms: float) -> dict[str, Any]:
    return {"from": origin, "to": end, "rate_bps": rate_bps, "delay_us": delay_ms * 1e3, "framing_bytes": 0}


def _access(source: _Source, rate_bps: float) -> dict[str, Any]:
    return _link(source.name, "router", rate_bps, source.round_trip_ms / 2 - _SHARED_DELAY_MS)


def _flow(source: _Source, end_s: float, assumed: Table) -> dict[str, Any]:
    stated = setup()
    data: dict[str, Any] = {"kind": "endless"}
    if not source.is_greedy:
        mean_bytes = stated["on_mean_pkts"] * (stated["packet_bytes"] - assumed["header_bytes"])
        data = {"kind": "bursts", "mean_bytes": mean_bytes, "mean_pause_s": stated["off_mean_s"]}
    return {
        "name": source.name,
        "from": source.name,
        "to": SINK,
        "intervals_s": [[source.start_s, end_s]],
        "traffic": {"kind": "tcp", "congestion": "reno", "data": data},
    }
