"""The results of a run: totals as frozen dataclasses, series as Arrow tables."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

EngineName = Literal["packet", "fluid"]
Floats = npt.NDArray[np.float64]
Series = Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.uint64]]
# What the engines record of a flow, a value per interval; of a ping, a value per reply.
FlowMeasure = Literal[
    "goodput_bytes",
    "sent_bytes",
    "dropped_pkts",
    "retransmitted_pkts",
    "out_of_sequence_pkts",
    "cwnd_pkts",
    "received_green_ip_bytes",
    "received_yellow_ip_bytes",
    "received_red_ip_bytes",
]
PingMeasure = Literal["sent_at_s", "rtt_ms"]
# What the engines record of a queue, a value per interval.
QueueMeasure = Literal[
    "backlog_bytes",
    "peak_bytes",
    "dropped_early_pkts",
    "dropped_full_pkts",
    "dropped_link_pkts",
    "dropped_policer_pkts",
    "dropped_green_early_pkts",
    "dropped_green_policer_pkts",
]
_PER_REPLY = ("sent_at_s", "rtt_ms")


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
class Transfer:
    """A TCP connection that sent all it had: when it was asked for, and when its last byte was acknowledged."""

    started_s: float
    completed_s: float


@dataclass(frozen=True)
class OneWayDelays:
    """One-way delays of datagrams, or of echo requests, from host to host, in milliseconds."""

    delivered: int
    mean_ms: float
    min_ms: float
    median_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float


@dataclass(frozen=True)
class Spread:
    """Least, median and greatest of the values of several intervals."""

    min: float
    median: float
    max: float


@dataclass(frozen=True)
class WindowTotals:
    """A window of the scenario: goodput in bit/s by flow, bytes waiting at the ends of intervals by queue."""

    name: str
    from_s: float
    to_s: float
    goodput_bps: Mapping[str, Spread]
    backlog_bytes: Mapping[str, Spread]


@dataclass(frozen=True)
class FlowTotals:
    """Totals of one flow. Packets count both directions; `goodput_bytes` is payload that arrived.

    `received_ip_bytes` of the packet engine, where some port meters packets: bytes from the IP header on that reached
    the destination, by colour.
    """

    name: str
    goodput_bytes: int
    sent_pkts: int
    delivered_pkts: int
    inside_pkts: int
    dropped_pkts: Mapping[str, int]
    received_ip_bytes: Mapping[str, int] | None = None
    transfers: tuple[Transfer, ...] = ()
    tcp: Mapping[str, int] | None = None
    udp: Mapping[str, int] | None = None
    ping: PingTotals | None = None
    one_way_delays: OneWayDelays | None = None


@dataclass(frozen=True)
class QueueTotals:
    """Totals of one queue; plain queues bear the name of their link, others also that of their class.

    `delays` where the scenario gives a bound: `bound_ms`, `late_pkts` that waited longer, `mean_ms` and `max_ms`.
    """

    name: str
    enqueued_pkts: int
    dequeued_pkts: int
    dropped_pkts: Mapping[str, int]
    backlog_bytes: int
    marked_pkts: int = 0
    delays: Mapping[str, float] | None = None


@dataclass(frozen=True)
class RunResult:
    """Everything about one run; `engine` is the one that made it.

    `series` holds what the engine recorded, by names of its own; `of_flow`, `of_ping` and `of_queues` read them.
    """

    engine: EngineName
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
    windows: tuple[WindowTotals, ...] = ()

    def of_flow(self, flow: str, measure: FlowMeasure) -> Floats:
        """A measure of a flow, one value per interval; raises KeyError if it was not recorded of that flow."""
        return np.asarray(self.series[f"flow/{flow}/{measure}"], dtype=np.float64)

    def is_recorded(self, flow: str, measure: FlowMeasure | PingMeasure) -> bool:
        """Whether there is such a measure of a flow: not all are recorded of TCP, UDP and ping alike."""
        return f"flow/{flow}/{measure}" in self.series

    def of_ping(self, ping: str, measure: PingMeasure) -> Floats:
        """A measure of a ping, one value per reply; raises KeyError if there is no such ping."""
        return np.asarray(self.series[f"flow/{ping}/{measure}"], dtype=np.float64)

    def of_queues(self, measure: QueueMeasure) -> dict[str, Floats]:
        """A measure of all queues of which it was recorded, by the queue's name; one value per interval."""
        head, tail = "queue/", f"/{measure}"
        return {
            name.removeprefix(head).removesuffix(tail): np.asarray(values, dtype=np.float64)
            for name, values in self.series.items()
            if name.startswith(head) and name.endswith(tail)
        }

    def intervals(self) -> "pa.Table":
        """One row per interval, one column per measure of a flow, link or queue; `start_s` is when it began."""
        import pyarrow as pa  # late: most that reads results makes no tables of them

        columns = {name: values for name, values in self.series.items() if not name.endswith(_PER_REPLY)}
        rows = len(next(iter(columns.values()), ()))
        return pa.table({"start_s": np.arange(rows) * self.interval_s, **columns})

    def pings(self, flow: str) -> "pa.Table":
        """One row per reply: when its request was sent, and the round-trip time."""
        import pyarrow as pa  # late, as above

        return pa.table({"sent_at_s": self.of_ping(flow, "sent_at_s"), "rtt_ms": self.of_ping(flow, "rtt_ms")})


def read_result(engine: EngineName, summary: bytes, series: Sequence[tuple[str, str, bytes]]) -> RunResult:
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
        flows={flow["name"]: flow_totals(flow) for flow in totals["flows"]},
        queues={queue["name"]: QueueTotals(**queue) for queue in totals["queues"]},
        windows=window_totals(totals.get("windows", ())),
        series={name: np.frombuffer(data, "<u8" if kind == "u64" else "<f8") for name, kind, data in series},
    )


def flow_totals(totals: Mapping[str, Any]) -> FlowTotals:
    """A flow's totals from plain tables, as the engine and the files of kept runs have them."""
    ping, delays = totals.get("ping"), totals.get("one_way_delays")
    transfers = tuple(Transfer(**transfer) for transfer in totals.get("transfers", ()))
    found = {"ping": PingTotals(**ping) if ping else None, "one_way_delays": OneWayDelays(**delays) if delays else None}
    return FlowTotals(**{**totals, "transfers": transfers, **found})


def window_totals(windows: Sequence[Mapping[str, Any]]) -> tuple[WindowTotals, ...]:
    """Windows from plain tables, as above."""
    return tuple(
        WindowTotals(
            **{
                **window,
                **{
                    measure: {name: Spread(**spread) for name, spread in window[measure].items()}
                    for measure in ("goodput_bps", "backlog_bytes")
                },
            }
        )
        for window in windows
    )
