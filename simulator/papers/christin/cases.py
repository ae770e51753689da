"""The paper's first experiment: greedy and on-off TCP flows with as many round-trip times through one link."""

from typing import Any

import numpy as np

from simulator.papers.stated import StatedCase, Table, load_setup, plain_host
from simulator.testbed.scenario_file import complete

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


class ChristinCase(StatedCase):
    """One way to drop and mark at the shared link."""

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
        header_bytes = assumed["header_bytes"]
        window_bytes = assumed["window_pkts"] * (stated["packet_bytes"] - header_bytes)
        return complete(
            {
                "name": self.name,
                "duration_s": stated["duration_s"],
                "interval_s": 0.1,
                "seed": seed,
                "hosts": [plain_host(name) for name in ("sink", *map(_host, range(count)))],
                "routers": ["router"],
                "links": [_shared(stated), *(_access(n, rtt, assumed) for n, rtt in enumerate(round_trips_ms))],
                "ports": [self._port(stated, assumed)],
                "tcp": {
                    **_TCP,
                    "segment_data_bytes": stated["packet_bytes"] - header_bytes,
                    "header_bytes": header_bytes,
                    "syn_bytes": header_bytes,
                    "window_bytes": window_bytes,
                    "clamped_window_bytes": window_bytes,
                },
                "flows": [_flow(number, start_s, stated, assumed) for number, start_s in enumerate(starts_s)],
            }
        )

    def _port(self, stated: Table, assumed: Table) -> dict[str, Any]:
        discipline = dict(stated["disciplines"][self.configuration])
        if discipline["kind"] == "red":
            discipline["marks_below"] = assumed["red_marks_below"]
        return {
            "at": "router",
            "to": "sink",
            "buffer_bytes": stated["buffer_bytes"],
            "queues": [{"class": "all", "rate_share_pct": 100, "buffer_share_pct": 100, "discipline": discipline}],
            "default_class": "all",
        }


def _host(number: int) -> str:
    return f"source{number}"


def _shared(stated: Table) -> dict[str, Any]:
    delay_us = _SHARED_DELAY_MS * 1e3
    return {"from": "router", "to": "sink", "rate_bps": stated["link_bps"], "delay_us": delay_us, "framing_bytes": 0}


def _access(number: int, round_trip_ms: float, assumed: Table) -> dict[str, Any]:
    delay_us = (round_trip_ms / 2 - _SHARED_DELAY_MS) * 1e3
    rate_bps = assumed["access_bps"]
    return {"from": _host(number), "to": "router", "rate_bps": rate_bps, "delay_us": delay_us, "framing_bytes": 0}


def _flow(number: int, start_s: float, stated: Table, assumed: Table) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": "endless"}
    if number >= stated["greedy_flows"]:
        mean_bytes = stated["on_mean_pkts"] * (stated["packet_bytes"] - assumed["header_bytes"])
        data = {"kind": "bursts", "mean_bytes": mean_bytes, "mean_pause_s": stated["off_mean_s"]}
    return {
        "name": f"flow{number}",
        "from": _host(number),
        "to": "sink",
        "intervals_s": [[start_s, stated["duration_s"]]],
        "traffic": {"kind": "tcp", "congestion": "reno", "data": data},
    }
