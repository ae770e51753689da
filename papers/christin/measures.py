"""Measures of the first experiment: what is lost at the shared link, how full it is, how long its queue."""

from collections.abc import Callable

import numpy as np

from hntes.papers.christin.cases import ChristinCase, ClassesCase
from hntes.papers.christin.class_measures import class_measure, explain_class_measure
from hntes.papers.christin.setup import setup
from hntes.simulator.measures import in_span
from hntes.simulator.results import Floats, RunResult

SHARED = "router->sink"
_EXPLAINED = {
    "loss_pct_whole_run": "packets dropped at the shared link, of those that came, in per cent",
    "loss_pct": "packets dropped at the shared link, of those that came, in per cent, past the first 30 s",
    "utilization": "share of the shared link's rate in use, past the first 30 s",
    "goodput_mbps": "payload of all flows that arrived, in Mb/s, past the first 30 s",
    "goodput_share": "payload of all flows that arrived, of what the shared link carried, past the first 30 s",
    "queue_bytes": "mean of the queue, in bytes, past the first 30 s",
    "queue_sd_bytes": "standard deviation of the queue, in bytes, past the first 30 s",
}


def measure(name: str, case: ChristinCase | ClassesCase, result: RunResult) -> float:
    """The value of a measure of a case's experiment; raises KeyError for a name there is not."""
    return class_measure(name, result) if isinstance(case, ClassesCase) else _MEASURES[name](result)


def explain(name: str) -> str:
    """A measure of either experiment in words; nothing for one there is not."""
    return _EXPLAINED.get(name) or explain_class_measure(name)


def queue_bytes(result: RunResult) -> Floats:
    """The shared link's queue at the end of each interval."""
    ((_, values),) = ((name, values) for name, values in result.of_queues("backlog_bytes").items() if _is_shared(name))
    return values


def dropped_pkts(result: RunResult) -> Floats:
    """Packets dropped before the shared link in each interval."""
    kinds = (result.of_queues("dropped_early_pkts"), result.of_queues("dropped_full_pkts"))
    dropped: Floats = np.sum([values for kind in kinds for name, values in kind.items() if _is_shared(name)], axis=0)
    return dropped


def sent_pkts(result: RunResult) -> Floats:
    """Packets that the shared link carried in each interval."""
    packet_bytes: int = setup().packet_bytes
    return np.asarray(result.series[f"link/{SHARED}/wire_bytes"], dtype=np.float64) / packet_bytes


def _is_shared(name: str) -> bool:
    return name.startswith(SHARED)


def _settled(result: RunResult, values: Floats) -> Floats:
    return in_span(result, values, (setup().assumed.settled_from_s, setup().duration_s))


def _loss_pct(result: RunResult) -> float:
    dropped, sent = (_settled(result, values).sum() for values in (dropped_pkts(result), sent_pkts(result)))
    return float(100 * dropped / (dropped + sent))


def _utilization(result: RunResult) -> float:
    bytes_per_s = _settled(result, sent_pkts(result)).mean() * setup().packet_bytes / result.interval_s
    return float(bytes_per_s * 8 / setup().link_bps)


def _goodput_mbps(result: RunResult) -> float:
    flows = [_settled(result, result.of_flow(name, "goodput_bytes")).mean() for name in result.flows]
    return float(np.sum(flows) * 8 / result.interval_s / 1e6)


def _goodput_share(result: RunResult) -> float:
    payload_share = 1 - setup().assumed.header_bytes / setup().packet_bytes
    carried_mbps = _utilization(result) * setup().link_bps / 1e6
    return float(_goodput_mbps(result) / (carried_mbps * payload_share))


def _whole_loss_pct(result: RunResult) -> float:
    dropped, sent = dropped_pkts(result).sum(), sent_pkts(result).sum()
    return float(100 * dropped / (dropped + sent))


_MEASURES: dict[str, Callable[[RunResult], float]] = {
    "loss_pct": _loss_pct,
    "loss_pct_whole_run": _whole_loss_pct,
    "utilization": _utilization,
    "goodput_mbps": _goodput_mbps,
    "goodput_share": _goodput_share,
    "queue_bytes": lambda result: float(_settled(result, queue_bytes(result)).mean()),
    "queue_sd_bytes": lambda result: float(_settled(result, queue_bytes(result)).std()),
}
