"""A simulated run as tables: rates while traffic was sent, loss in per cent, times in ms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hntes.format import data_size, gbps
from hntes.simulator.measures import dropped_pkts
from hntes.simulator.results import Floats, FlowTotals, QueueTotals, RunResult


@dataclass(frozen=True)
class WordTable:
    """The columns with values, and their rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def flow_words(result: RunResult) -> WordTable:
    """One row per flow.

    Its rate is the mean between the first and the last interval with arrivals, which are only partly filled.
    """
    return _table([_flow(result, flow) for flow in result.flows.values()])


def queue_words(result: RunResult) -> WordTable:
    """One row per queue: maximum occupancy, drops by cause, waiting times."""
    fullest = {name: int(values.max(initial=0)) for name, values in result.of_queues("peak_bytes").items()}
    return _table([_queue(queue, fullest) for queue in result.queues.values()])


def rate_bps(result: RunResult, flow: str) -> float | None:
    """A flow's mean rate between the first and the last interval with arrivals; None without any."""
    arrived = _arrived(result, flow)
    whole = arrived[1:-1] if len(arrived) > 2 else arrived
    return float(whole.mean()) * 8 / result.interval_s if len(whole) else None


def _flow(result: RunResult, flow: FlowTotals) -> dict[str, str]:
    span_s = len(_arrived(result, flow.name)) * result.interval_s
    rate = rate_bps(result, flow.name)
    is_ping = flow.ping is not None
    lost = dropped_pkts([flow])
    return {
        "flow": flow.name,
        "rate": gbps(rate) if rate is not None else "" if is_ping else "nothing arrived",
        "while": f"{span_s:.3g} s" if span_s else "",
        "carried": data_size(flow.goodput_bytes) if flow.goodput_bytes else "",
        "loss": f"{100 * lost / flow.sent_pkts:.3g}%" if flow.sent_pkts else "",
        "lost packets": str(lost) if lost else "",
        "sent again": _count(flow.tcp, "retransmitted_pkts"),
        "out of order": _count(flow.tcp, "out_of_sequence_pkts"),
        "round trip": f"{flow.ping.mean_ms:.3g} ms, at most {flow.ping.max_ms:.3g}" if flow.ping else "",
        "one way": f"{flow.one_way_delays.mean_ms:.3g} ms, 95% within {flow.one_way_delays.p95_ms:.3g}"
        if flow.one_way_delays
        else "",
    }


def _queue(queue: QueueTotals, fullest: Mapping[str, int]) -> dict[str, str]:
    dropped = sum(queue.dropped_pkts.values())
    offered = queue.enqueued_pkts + dropped
    return {
        "queue": queue.name,
        "packets": f"{queue.enqueued_pkts:,}",
        "fullest": data_size(fullest[queue.name]) if queue.name in fullest else "",
        "loss": f"{100 * dropped / offered:.3g}%" if offered else "",
        "dropped": ", ".join(f"{count:,} {cause}" for cause, count in queue.dropped_pkts.items() if count),
        "waited": f"{queue.delays['mean_ms']:.3g} ms, at most {queue.delays['max_ms']:.3g}" if queue.delays else "",
        "left": data_size(queue.backlog_bytes) if queue.backlog_bytes else "",
    }


def _arrived(result: RunResult, flow: str) -> Floats:
    """Bytes per interval, from the first to the last with arrivals."""
    if not result.is_recorded(flow, "goodput_bytes"):
        return np.zeros(0)
    arrived = result.of_flow(flow, "goodput_bytes")
    used = np.flatnonzero(arrived)
    return arrived[used[0] : used[-1] + 1] if len(used) else arrived[:0]


def _count(totals: Mapping[str, int] | None, name: str) -> str:
    return f"{totals[name]:,}" if totals and totals.get(name) else ""


def _table(rows: Sequence[Mapping[str, str]]) -> WordTable:
    used = tuple(name for name in (rows[0] if rows else ()) if any(row[name] for row in rows))
    return WordTable(used, tuple(tuple(row[name] for name in used) for row in rows))
