"""Measures of the second experiment: how classes keep what they are promised."""

from collections.abc import Callable, Mapping

import numpy as np

from hntes.papers.christin.cases import SINK, class_flows, class_names
from hntes.papers.christin.setup import setup
from hntes.simulator.measures import in_span
from hntes.simulator.results import Floats, QueueTotals, RunResult

_EXPLAINED = {
    "late_pct": "packets of class 1 that wait more than 10 ms at the shared link, in per cent",
    "max_delay_ms": "the longest wait of a packet of class 1 at the shared link, in ms",
    "class1_loss_pct": "packets of class 1 dropped at the shared link, of those that came, in per cent",
    "classes_loss_pct": "packets of all classes dropped at the shared link, of those that came, in per cent",
    "short_pct": "half seconds in which class 1 gets less than its 5 Mb/s, past the first 10 s, in per cent",
    "classes_utilization": "share of the shared link's rate in use, past the first 10 s",
    "delay_ratio_3_2": "mean wait of class 3 for that of class 2",
    "delay_ratio_4_3": "mean wait of class 4 for that of class 3",
    "loss_ratio_3_2": "lost part of class 3 for that of class 2; 0 if class 2 loses nothing",
    "loss_ratio_4_3": "lost part of class 4 for that of class 3; 0 if class 3 loses nothing",
}


def class_measure(name: str, result: RunResult) -> float:
    """The value of a measure; raises KeyError for a name there is not."""
    return _MEASURES[name](result)


def explain_class_measure(name: str) -> str:
    """A measure in words; nothing for one there is not."""
    return _EXPLAINED.get(name, "")


def throughput_bps(result: RunResult) -> Floats:
    """The rate of class 1's receivers, headers included, per half second."""
    stated = setup()
    wire_share = stated.packet_bytes / (stated.packet_bytes - stated.assumed.header_bytes)
    flows = [result.of_flow(name, "goodput_bytes") for name, _ in class_flows()[0]]
    values = _settled(result, np.sum(flows, axis=0))
    intervals = round(stated.assumed.throughput_over_s / result.interval_s)
    whole = len(values) // intervals * intervals
    bytes_per_interval = values[:whole].reshape(-1, intervals).mean(axis=1)
    bps: Floats = bytes_per_interval * 8 * wire_share / result.interval_s
    return bps


def _settled(result: RunResult, values: Floats) -> Floats:
    span = (setup().assumed.classes_counted_from_s, setup().classes.duration_s)
    return in_span(result, values, span)


def _queue(result: RunResult, number: int) -> QueueTotals:
    return result.queues[f"router->{SINK}/{class_names()[number]}"]


def _delays(result: RunResult, number: int) -> Mapping[str, float]:
    delays = _queue(result, number).delays
    if delays is None:
        raise ValueError(f"{class_names()[number]}: its queue has no delay_bound_ms, so no delays were counted")
    return delays


def _dropped(queue: QueueTotals) -> int:
    return sum(queue.dropped_pkts.values())


def _loss_pct(*queues: QueueTotals) -> float:
    dropped = sum(_dropped(queue) for queue in queues)
    return 100 * dropped / (dropped + sum(queue.enqueued_pkts for queue in queues))


def _utilization(result: RunResult) -> float:
    wire_bytes = np.asarray(result.series[f"link/router->{SINK}/wire_bytes"], dtype=np.float64)
    return float(_settled(result, wire_bytes).mean() * 8 / result.interval_s / setup().classes.link_bps)


def _delay_ratio(result: RunResult, number: int) -> float:
    return _delays(result, number)["mean_ms"] / _delays(result, number - 1)["mean_ms"]


def _loss_ratio(result: RunResult, number: int) -> float:
    of, to = (_loss_pct(_queue(result, which)) for which in (number, number - 1))
    return of / to if to else 0.0


_MEASURES: dict[str, Callable[[RunResult], float]] = {
    "late_pct": lambda result: 100 * _delays(result, 0)["late_pkts"] / _queue(result, 0).dequeued_pkts,
    "max_delay_ms": lambda result: _delays(result, 0)["max_ms"],
    "class1_loss_pct": lambda result: _loss_pct(_queue(result, 0)),
    "classes_loss_pct": lambda result: _loss_pct(*(_queue(result, number) for number in range(len(class_names())))),
    "short_pct": lambda result: float(100 * (throughput_bps(result) < setup().classes.promised_bps).mean()),
    "classes_utilization": _utilization,
    "delay_ratio_3_2": lambda result: _delay_ratio(result, 2),
    "delay_ratio_4_3": lambda result: _delay_ratio(result, 3),
    "loss_ratio_3_2": lambda result: _loss_ratio(result, 2),
    "loss_ratio_4_3": lambda result: _loss_ratio(result, 3),
}
