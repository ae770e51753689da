"""What a run gives back: totals as frozen dataclasses, series as Arrow tables."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Series = Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.uint64]]


@dataclass(frozen=True)
class PingTotals:
    """Round-trip times of one ping, in milliseconds."""

    sent: int
    received: int
    mean_ms: float
    sd_ms: float
    min_ms: float
    median_ms: float
    p95_ms: float
    max_ms: float


@dataclass(frozen=True)
class FlowTotals:
    """Totals of one flow. Packets count both directions; `goodput_bytes` is payload that arrived."""

    name: str
    goodput_bytes: int
    sent_pkts: int
    delivered_pkts: int
    inside_pkts: int
    dropped_pkts: Mapping[str, int]
    tcp: Mapping[str, int] | None = None
    udp: Mapping[str, int] | None = None
    ping: PingTotals | None = None


@dataclass(frozen=True)
class QueueTotals:
    """Totals of one queue; plain queues bear the name of their link, others also that of their class."""

    name: str
    enqueued_pkts: int
    dequeued_pkts: int
    dropped_pkts: Mapping[str, int]
    backlog_bytes: int


@dataclass(frozen=True)
class RunResult:
    """Everything about one run; `engine` is the one that made it, "packet" or "fluid"."""

    engine: str
    scenario: str
    seed: int
    duration_s: float
    interval_s: float
    trace_hash: str
    events: int
    imbalances: tuple[str, ...]
    flows: Mapping[str, FlowTotals]
    queues: Mapping[str, QueueTotals]
    series: Series = field(repr=False)

    def intervals(self) -> pa.Table:
        """One row per interval, one column per measure of a flow, link or queue; `start_s` is when it began."""
        columns = {name: values for name, values in self.series.items() if not name.endswith(("sent_at_s", "rtt_ms"))}
        rows = len(next(iter(columns.values()), ()))
        return pa.table({"start_s": np.arange(rows) * self.interval_s, **columns})

    def pings(self, flow: str) -> pa.Table:
        """One row per reply: when its request was sent, and the round-trip time."""
        return pa.table({name: self.series[f"flow/{flow}/{name}"] for name in ("sent_at_s", "rtt_ms")})


def read_result(engine: str, summary: bytes, series: Sequence[tuple[str, str, bytes]]) -> RunResult:
    """Put together what the engine returned."""
    totals = json.loads(summary)
    return RunResult(
        engine=engine,
        scenario=totals["scenario"],
        seed=totals["seed"],
        duration_s=totals["duration_s"],
        interval_s=totals["interval_s"],
        trace_hash=totals["trace_hash"],
        events=totals["events"],
        imbalances=tuple(totals["imbalances"]),
        flows={flow["name"]: _flow(flow) for flow in totals["flows"]},
        queues={queue["name"]: QueueTotals(**queue) for queue in totals["queues"]},
        series={name: np.frombuffer(data, "<u8" if kind == "u64" else "<f8") for name, kind, data in series},
    )


def _flow(totals: dict[str, object]) -> FlowTotals:
    ping = totals.pop("ping", None)
    return FlowTotals(**totals, ping=PingTotals(**ping) if ping else None)  # type: ignore[arg-type]
