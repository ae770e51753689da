"""The measures by which published cells are judged, by the names that the reference files give them.

Those of one flow may carry a span in seconds: `tcp1_gbps_51_151`, `ping_mean_ms_0_22`, `tcp2_retransmitted_pkts`.
"""

import re
from collections.abc import Callable

import numpy as np

from hntes.simulator.measures import (
    ALWAYS,
    Span,
    dropped_pkts,
    goodput_bps,
    in_span,
    jain_index,
    round_trips_ms,
    total_goodput_bps,
    udp_loss_pct,
)
from hntes.simulator.results import Floats, FlowMeasure, FlowTotals, RunResult
from hntes.simulator.testbed.experiments import Case

GBPS = 1e9
# Slow start is over by then; the steady state is what the tables give.
START_UP_S = 5
# While two flows of experiment 5 are both on.
BOTH_ON: Span = (51, 151)
# TCP's first losses are all due to its slow start.
SLOW_START_S = 3


def measure(name: str, case: Case, result: RunResult) -> float:
    """The value of a measure; flows of the case give the times that matter."""
    if name in _MEASURES:
        return _MEASURES[name](case, result)
    spanned = re.fullmatch(rf"(tcp\d|ping|udp)_({'|'.join(_IN_SPAN)})(?:_(\d+)_(\d+))?", name)
    if spanned is None:
        raise KeyError(f"no measure is called {name!r}")
    flow, kind, start, end = spanned.groups()
    return _IN_SPAN[kind](result, flow if flow == "ping" else flow.upper(), (float(start or 0), float(end or "inf")))


def _gbps_in(result: RunResult, flow: str, span: Span) -> float:
    return float(in_span(result, _gbps(result, flow), span).mean())


def _of_seconds(statistic: Callable[[Floats], float]) -> Callable[[RunResult, str, Span], float]:
    return lambda result, flow, span: float(statistic(in_span(result, _gbps(result, flow), span)))


def _of_replies(statistic: Callable[[Floats], float]) -> Callable[[RunResult, str, Span], float]:
    return lambda result, ping, span: float(statistic(round_trips_ms(result, ping, span)))


def _retransmitted_in(result: RunResult, flow: str, span: Span) -> float:
    return _pkts_in(result, flow, "retransmitted_pkts", span)


def _loss_pct_in(result: RunResult, flow: str, span: Span) -> float:
    return udp_loss_pct(result, flow, [span])


_IN_SPAN: dict[str, Callable[[RunResult, str, Span], float]] = {
    "gbps": _gbps_in,
    "gbps_min": _of_seconds(np.min),
    "gbps_median": _of_seconds(np.median),
    "gbps_max": _of_seconds(np.max),
    "mean_ms": _of_replies(np.mean),
    "min_ms": _of_replies(np.min),
    "median_ms": _of_replies(np.median),
    "max_ms": _of_replies(np.max),
    "retransmitted_pkts": _retransmitted_in,
    "loss_pct": _loss_pct_in,
}


def _tcp_gbps_median(case: Case, result: RunResult) -> float:
    return float(np.median(in_span(result, _gbps(result, "TCP1"), _steady_span(case))))


def _later_retransmitted_pkts(case: Case, result: RunResult) -> float:
    return _retransmitted_in(result, "TCP1", (_steady_span(case)[0], ALWAYS[1]))


def _tcp_gbps(case: Case, result: RunResult) -> float:
    return total_goodput_bps(result, _of_kind(case, "tcp")) / GBPS


def _udp_gbps_each(case: Case, result: RunResult) -> float:
    """By packets delivered, as a counter on the link sees it: pieces of broken datagrams count."""
    flows = _totals(case, result, "udp")
    return float(np.mean([flow.delivered_pkts / flow.sent_pkts * 7.0 for flow in flows]))


def _ping_ms_during(case: Case, result: RunResult) -> float:
    return float(np.median(round_trips_ms(result, "ping", _steady_span(case))))


def _bottleneck_pkts(case: Case, result: RunResult) -> float:
    link = "->".join(case.experiment.file.port)
    queues = [queue for queue in result.queues.values() if queue.name.startswith(link)]
    return float(sum(queue.dequeued_pkts for queue in queues))


def _udp_loss_pct_during(case: Case, result: RunResult) -> float:
    return udp_loss_pct(result, "UDP", [_steady_span(case)])


def _udp_loss_pct_outside(case: Case, result: RunResult) -> float:
    """Without the run's first second, and the seconds in which TCP comes and goes."""
    start, end = _tcp_span(case)
    return udp_loss_pct(result, "UDP", [(1, start - 1), (end + 2, ALWAYS[1])])


def _lost_pkts(case: Case, result: RunResult) -> float:
    return float(dropped_pkts(_totals(case, result, "tcp")))


def _startup_lost_pkts(_: Case, result: RunResult) -> float:
    return _pkts_in(result, "TCP1", "dropped_pkts", (0, SLOW_START_S))


def _later_lost_pkts(_: Case, result: RunResult) -> float:
    return _pkts_in(result, "TCP1", "dropped_pkts", (SLOW_START_S, ALWAYS[1]))


def _sum_tcp(counter: str) -> Callable[[Case, RunResult], float]:
    return lambda case, result: float(sum((flow.tcp or {})[counter] for flow in _totals(case, result, "tcp")))


def _jain(case: Case, result: RunResult) -> float:
    return jain_index([_gbps_in(result, name, BOTH_ON) for name in _of_kind(case, "tcp")])


def _gbps(result: RunResult, flow: str) -> Floats:
    return goodput_bps(result, flow) / GBPS


def _pkts_in(result: RunResult, flow: str, measure: FlowMeasure, span: Span) -> float:
    return float(in_span(result, result.of_flow(flow, measure), span).sum())


def _of_kind(case: Case, kind: str) -> list[str]:
    return [name for name, flow in case.flows().items() if flow.kind == kind]


def _totals(case: Case, result: RunResult, kind: str) -> list[FlowTotals]:
    return [result.flows[name] for name in _of_kind(case, kind)]


def _tcp_span(case: Case) -> Span:
    intervals_s = case.flows()["TCP1"].intervals_s
    return intervals_s[0] if intervals_s else (0, case.experiment.file.duration_s)


def _steady_span(case: Case) -> Span:
    """While TCP1 is on, past its first five seconds."""
    start, end = _tcp_span(case)
    return start + START_UP_S, end


_MEASURES: dict[str, Callable[[Case, RunResult], float]] = {
    "tcp_gbps": _tcp_gbps,
    "tcp_gbps_median": _tcp_gbps_median,
    "later_retransmitted_pkts": _later_retransmitted_pkts,
    "first_second_gbps": lambda _, result: float(_gbps(result, "TCP1")[0]),
    "udp_gbps_each": _udp_gbps_each,
    "ping_mean_ms": lambda _, result: float(round_trips_ms(result, "ping").mean()),
    "ping_sd_ms": lambda _, result: float(round_trips_ms(result, "ping").std(ddof=1)),
    "ping_min_ms": lambda _, result: float(round_trips_ms(result, "ping").min()),
    "ping_max_ms": lambda _, result: float(round_trips_ms(result, "ping").max()),
    "ping_ms_during": _ping_ms_during,
    "bottleneck_pkts": _bottleneck_pkts,
    "udp_loss_pct_during": _udp_loss_pct_during,
    "udp_loss_pct_outside": _udp_loss_pct_outside,
    "lost_pkts": _lost_pkts,
    "startup_lost_pkts": _startup_lost_pkts,
    "later_lost_pkts": _later_lost_pkts,
    "out_of_sequence_pkts": _sum_tcp("out_of_sequence_pkts"),
    "out_of_sequence_runs": _sum_tcp("out_of_sequence_runs"),
    "retransmitted_pkts": _sum_tcp("retransmitted_pkts"),
    "jain_51_151": _jain,
}
