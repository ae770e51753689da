"""Measures: from a run to the numbers the experiments are judged by.

Those of one flow may carry a span in seconds: `tcp1_gbps_51_151`, `ping_mean_ms_0_22`, `tcp2_retransmitted_pkts`.
"""

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from simulator.results import RunResult
from simulator.testbed.experiments import Case

GBPS = 1e9
Floats = npt.NDArray[np.float64]


def measure(name: str, case: Case, result: RunResult) -> float:
    """The value of a measure; flows of the case give the times that matter."""
    if name in _MEASURES:
        return _MEASURES[name](case, result)
    spanned = re.fullmatch(r"(tcp\d|ping|udp)_(gbps|mean_ms|retransmitted_pkts|loss_pct)(?:_(\d+)_(\d+))?", name)
    if spanned is None:
        raise KeyError(f"no measure is called {name!r}")
    flow, kind, start, end = spanned.groups()
    return _IN_SPAN[kind](result, flow, float(start or 0), float(end or result.duration_s))


def _gbps_in(result: RunResult, flow: str, start_s: float, end_s: float) -> float:
    return float(_rates(result, flow.upper())[int(start_s) : int(end_s)].mean())


def _ping_mean_in(result: RunResult, flow: str, start_s: float, end_s: float) -> float:
    sent_at_s = result.series[f"flow/{flow}/sent_at_s"]
    return float(_ping(result)[(sent_at_s >= start_s) & (sent_at_s < end_s)].mean())


def _retransmitted_in(result: RunResult, flow: str, start_s: float, end_s: float) -> float:
    return float(np.asarray(result.series[f"flow/{flow.upper()}/retransmitted_pkts"])[int(start_s) : int(end_s)].sum())


def _loss_pct_in(result: RunResult, flow: str, start_s: float, end_s: float) -> float:
    """Datagrams that did not arrive; those under way at either end of the span count where they arrive."""
    received, sent = (
        np.asarray(result.series[f"flow/{flow.upper()}/{name}_bytes"])[int(start_s) : int(end_s)].sum()
        for name in ("goodput", "sent")
    )
    return float(100 * (1 - float(received) / float(sent)))


_IN_SPAN: dict[str, Callable[[RunResult, str, float, float], float]] = {
    "gbps": _gbps_in,
    "mean_ms": _ping_mean_in,
    "retransmitted_pkts": _retransmitted_in,
    "loss_pct": _loss_pct_in,
}


def _tcp_gbps_median(case: Case, result: RunResult) -> float:
    """Past the first five seconds of the flow."""
    start, end = _tcp_interval(case)
    return float(np.median(_rates(result, "TCP1")[int(start) + 5 : int(end)]))


def _later_retransmitted_pkts(case: Case, result: RunResult) -> float:
    """Past the first five seconds of the flow."""
    start, _ = _tcp_interval(case)
    return _retransmitted_in(result, "TCP1", start + 5, result.duration_s)


def _rates(result: RunResult, flow: str) -> Floats:
    """Goodput of each interval in Gb/s."""
    return np.asarray(result.series[f"flow/{flow}/goodput_bytes"] * 8 / result.interval_s / GBPS, dtype=np.float64)


def _kind(case: Case, kind: str) -> list[str]:
    return [name for name, flow in case.flows().items() if flow["kind"] == kind]


def _tcp_interval(case: Case) -> tuple[float, float]:
    start, end = case.flows()["TCP1"].get("intervals_s", [[0, case.experiment.table["duration_s"]]])[0]
    return start, end


def _tcp_gbps(case: Case, result: RunResult) -> float:
    return sum(result.flows[name].goodput_bytes for name in _kind(case, "tcp")) * 8 / result.duration_s / GBPS


def _udp_gbps_each(case: Case, result: RunResult) -> float:
    """By packets delivered, as a counter on the link sees it: pieces of broken datagrams count."""
    flows = [result.flows[name] for name in _kind(case, "udp")]
    return float(np.mean([f.delivered_pkts / f.sent_pkts * 7.0 for f in flows]))


def _ping(result: RunResult) -> Floats:
    return np.asarray(result.series["flow/ping/rtt_ms"], dtype=np.float64)


def _ping_during(case: Case, result: RunResult) -> float:
    """Median while TCP is on, past its first five seconds."""
    start, end = _tcp_interval(case)
    sent_at_s = result.series["flow/ping/sent_at_s"]
    return float(np.median(_ping(result)[(sent_at_s >= start + 5) & (sent_at_s < end)]))


def _bottleneck_pkts(case: Case, result: RunResult) -> float:
    link = "->".join(case.experiment.table["port"])
    queues = [queue for queue in result.queues.values() if queue.name.startswith(link)]
    return float(sum(queue.dequeued_pkts for queue in queues))


def _udp_loss_pct(case: Case, result: RunResult, during: bool) -> float:
    """Datagrams lost; past the first five seconds of TCP, as the steady state is what the table gives."""
    start, end = _tcp_interval(case)
    received = _rates(result, "UDP")
    sent = np.asarray(result.series["flow/UDP/sent_bytes"], dtype=np.float64) * 8 / result.interval_s / GBPS
    seconds = np.arange(len(received))
    on = (seconds >= start + 5) & (seconds < end)
    around = (seconds >= start - 1) & (seconds < end + 2)
    chosen = on if during else ~around & (seconds >= 1)
    if not result.series["flow/UDP/dropped_pkts"][chosen].any():
        return 0.0
    return float(100 * (1 - received[chosen].sum() / sent[chosen].sum()))


def _lost_pkts(case: Case, result: RunResult) -> float:
    return float(sum(sum(result.flows[name].dropped_pkts.values()) for name in _kind(case, "tcp")))


def _lost_pkts_between(start: int, end: int | None) -> Callable[[Case, RunResult], float]:
    return lambda _, result: float(np.asarray(result.series["flow/TCP1/dropped_pkts"])[start:end].sum())


def _sum_tcp(field: str) -> Callable[[Case, RunResult], float]:
    return lambda case, result: float(sum((result.flows[name].tcp or {})[field] for name in _kind(case, "tcp")))


def _jain(case: Case, result: RunResult) -> float:
    rates = np.array([_rates(result, name)[51:151].mean() for name in _kind(case, "tcp")])
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


_MEASURES: dict[str, Callable[[Case, RunResult], float]] = {
    "tcp_gbps": _tcp_gbps,
    "tcp_gbps_median": _tcp_gbps_median,
    "later_retransmitted_pkts": _later_retransmitted_pkts,
    "first_second_gbps": lambda _, result: float(_rates(result, "TCP1")[0]),
    "udp_gbps_each": _udp_gbps_each,
    "ping_mean_ms": lambda _, result: float(_ping(result).mean()),
    "ping_sd_ms": lambda _, result: float(_ping(result).std(ddof=1)),
    "ping_min_ms": lambda _, result: float(_ping(result).min()),
    "ping_max_ms": lambda _, result: float(_ping(result).max()),
    "ping_ms_during": _ping_during,
    "bottleneck_pkts": _bottleneck_pkts,
    "udp_loss_pct_during": lambda case, result: _udp_loss_pct(case, result, during=True),
    "udp_loss_pct_outside": lambda case, result: _udp_loss_pct(case, result, during=False),
    "lost_pkts": _lost_pkts,
    "startup_lost_pkts": _lost_pkts_between(0, 3),
    "later_lost_pkts": _lost_pkts_between(3, None),
    "out_of_sequence_pkts": _sum_tcp("out_of_sequence_pkts"),
    "out_of_sequence_runs": _sum_tcp("out_of_sequence_runs"),
    "retransmitted_pkts": _sum_tcp("retransmitted_pkts"),
    "jain_51_151": _jain,
}
