"""Readings of a trace that several criteria share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gate.trace import Trace

Floats = npt.NDArray[np.float64]
# Slow start overshoots into the queue and recovers within this time (experiment 4: all losses in the first 3 s).
START_UP_S = 5.0
# Stands for the delay of pings of which none was answered.
NO_REPLY_MS = 1e6


def on_interval(scenario: Mapping[str, Any], flow: str) -> tuple[float, float]:
    """When a flow is on, in seconds."""
    (found,) = (each for each in scenario["flows"] if each["name"] == flow)
    return float(found["intervals_s"][0][0]), float(found["intervals_s"][-1][1])


def tcp_flows(scenario: Mapping[str, Any]) -> list[str]:
    """Names of the TCP flows."""
    return [str(flow["name"]) for flow in scenario["flows"] if flow["traffic"]["kind"] == "tcp"]


def udp_flow(scenario: Mapping[str, Any]) -> str | None:
    """Name of the UDP flow, if there is one."""
    return next((str(flow["name"]) for flow in scenario["flows"] if flow["traffic"]["kind"] == "udp"), None)


def ping_ms(trace: Trace, start_s: float = 0.0, end_s: float = float("inf")) -> Floats:
    """Round-trip times of pings sent in [start_s, end_s)."""
    sent_at_s = np.asarray(trace.ping_sent_at_s)
    return np.asarray(trace.ping_rtt_ms, dtype=np.float64)[(sent_at_s >= start_s) & (sent_at_s < end_s)]


def increase_ms(loaded: Floats, idle: Floats) -> float:
    """By how much the mean is above the idle one's, to a nanosecond; without any reply, worse than any limit."""
    return round(float(loaded.mean() - idle.mean()), 6) + 0.0 if len(loaded) else NO_REPLY_MS


def goodput_bps(trace: Trace, flow: str, start_s: float, end_s: float) -> float:
    """Mean goodput over the whole intervals within [start_s, end_s)."""
    chosen = np.asarray(trace.flow(flow).goodput_bytes, dtype=np.float64)[_within(trace, start_s, end_s)]
    return float(chosen.mean() * 8 / trace.interval_s) if len(chosen) else 0.0


def udp_loss_pct(trace: Trace, flow: str, start_s: float, end_s: float) -> float:
    """Payload of datagrams lost in [start_s, end_s), by intervals; exactly 0 where no packet of the flow was dropped.

    A datagram sent in one interval may arrive in the next: a few of many thousands.
    """
    read = trace.flow(flow)
    chosen = _within(trace, start_s, end_s)
    if not np.asarray(read.dropped_pkts)[chosen].any():
        return 0.0
    sent, received = (
        np.asarray(each, dtype=np.float64)[chosen].sum() for each in (read.sent_bytes, read.goodput_bytes)
    )
    return max(0.0, float(100 * (1 - received / sent)))


def _within(trace: Trace, start_s: float, end_s: float) -> npt.NDArray[np.bool_]:
    starts = np.arange(trace.interval_count) * trace.interval_s
    return np.asarray((starts >= start_s) & (starts + trace.interval_s <= end_s), dtype=np.bool_)
