"""Measures of the Linux kernel: goodput, queueing delay, losses when slow start ends, times of later losses."""

import math
import re

import numpy as np

from hntes.papers.linux.cases import LinuxCase
from hntes.papers.linux.setup import Setup, setup
from hntes.simulator.measures import in_span, mean_goodput_bps, round_trips_ms
from hntes.simulator.results import RunResult

_START: tuple[float, float] = (0.0, 1.0)
_EXPLAINED = {
    "goodput_gbps": "goodput of the first TCP flow over the whole run, in Gb/s",
    "queueing_mean_ms": "mean round-trip time of the pings less the path's own, in ms",
    "queueing_max_ms": "longest round-trip time of a ping less the path's own, in ms",
    "start_retransmissions": "segments sent again in the first second, when slow start has ended",
    "later_retransmissions": "segments sent again after the first second",
    "udp_loss_pct": "datagrams (a packet each) dropped, in per cent of those sent",
    "final_window_pkts": "congestion window at the end, in segments",
    "timeouts": "retransmission timeouts of the first TCP flow",
    "resent_pkts": "segments sent again by all TCP flows over the whole run",
    "sum_gbps": "goodput of all TCP flows over the whole run, in Gb/s",
    "jain": "Jain's index of the TCP flows' goodput from the first whole second after the last has started",
}
_LATER = re.compile(r"loss_s_(\d)")
_SPAN = re.compile(r"tcp(\d)_gbps_(\d+)_(\d+)")


def measure(name: str, case: LinuxCase, result: RunResult) -> float:
    """The value of a measure; raises KeyError for a name there is not."""
    told = setup(case.experiment_name, case.configuration)
    end_s = float(told.duration_s)
    if later := _LATER.fullmatch(name):
        times = later_losses_s(result)
        return times[int(later[1]) - 1] if len(times) >= int(later[1]) else 0.0
    if part := _SPAN.fullmatch(name):
        return mean_goodput_bps(result, f"tcp{part[1]}", (float(part[2]), float(part[3]))) / 1e9
    match name:
        case "goodput_gbps":
            return result.flows["tcp1"].goodput_bytes * 8 / end_s / 1e9
        case "queueing_mean_ms":
            return float(round_trips_ms(result, "ping").mean()) - float(told.delay_ms["p"])
        case "queueing_max_ms":
            return float(round_trips_ms(result, "ping").max()) - float(told.delay_ms["p"])
        case "start_retransmissions":
            return _resent(result, _START)
        case "later_retransmissions":
            return _resent(result, (_START[1], end_s))
        case "udp_loss_pct":
            udp = result.flows["udp"]
            return 100 * sum(udp.dropped_pkts.values()) / udp.sent_pkts
        case "timeouts" | "final_window_pkts":
            counted = {"timeouts": "timeouts", "final_window_pkts": "final_cwnd_pkts"}[name]
            return float((result.flows["tcp1"].tcp or {})[counted])
    return _of_all_flows(name, told, result)


def _of_all_flows(name: str, told: Setup, result: RunResult) -> float:
    """The value of a measure of all TCP flows together; raises KeyError for a name there is not."""
    end_s = told.duration_s
    tcp_flows = [flow for flow in result.flows.values() if flow.tcp]
    match name:
        case "resent_pkts":
            return float(sum((flow.tcp or {})["retransmitted_pkts"] for flow in tcp_flows))
        case "sum_gbps":
            return sum(flow.goodput_bytes for flow in tcp_flows) * 8 / end_s / 1e9
        case "jain":
            return _jain(told, result, end_s)
    raise KeyError(f"no measure is called {name!r}")


def explain(name: str) -> str:
    """A measure in words; nothing for one there is not."""
    if later := _LATER.fullmatch(name):
        return f"when loss {later[1]} after the first second began, in s; 0 if there was none"
    if part := _SPAN.fullmatch(name):
        return f"goodput of TCP flow {part[1]} from {part[2]} to {part[3]} s, in Gb/s"
    return _EXPLAINED.get(name, "")


def later_losses_s(result: RunResult) -> list[float]:
    """When the first segment was sent again after a second without, in seconds; the first second does not count."""
    resent = result.of_flow("tcp1", "retransmitted_pkts")
    times = np.flatnonzero(resent) * result.interval_s
    later = times[times >= _START[1]]
    return [float(time) for number, time in enumerate(later) if number == 0 or time > later[number - 1] + 1]


def _jain(told: Setup, result: RunResult, end_s: float) -> float:
    starts_s = [flow.start_s for flow in told.flows]
    span = (float(math.ceil(max(starts_s))), end_s)
    rates = np.array([mean_goodput_bps(result, f"tcp{number}", span) for number in range(1, len(starts_s) + 1)])
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


def _resent(result: RunResult, span: tuple[float, float]) -> float:
    return float(in_span(result, result.of_flow("tcp1", "retransmitted_pkts"), span).sum())
