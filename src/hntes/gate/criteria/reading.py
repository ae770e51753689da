"""Readings of a run that several criteria share; the measures themselves are the simulator's."""

import numpy as np

from hntes.gate.lab import PerformedRun
from hntes.simulator.measures import ALWAYS, Span, round_trips_ms, udp_loss_pct
from hntes.simulator.results import Floats

# Stands for the delay of pings of which none was answered.
NO_REPLY_MS = 1e6
# Round trips count to a nanosecond: what lies below depends on the engine's arithmetic.
MS_DIGITS = 6


def ping_ms(run: PerformedRun, span: Span = ALWAYS, ping: str | None = None) -> Floats:
    """Round-trip times of a ping, by when the request was sent; None: of the scenario's only one."""
    if ping is None:
        (ping,) = run.scenario.flows_of_kind("ping")
    return np.round(round_trips_ms(run.result, ping, span), MS_DIGITS)


def increase_ms(loaded: Floats, idle: Floats) -> float:
    """By how much the mean is above the idle one's, to a nanosecond; without any reply, worse than any limit."""
    return round(float(loaded.mean() - idle.mean()), MS_DIGITS) + 0.0 if len(loaded) else NO_REPLY_MS


def beta_loss_pct(run: PerformedRun, span: Span) -> float:
    """Beta traffic lost during a span, in per cent of what was sent; 0 if the scenario has none."""
    return max((udp_loss_pct(run.result, flow, [span]) for flow in run.scenario.flows_of_kind("udp")), default=0.0)


def alpha_span_s(run: PerformedRun) -> Span:
    """While the first alpha flow is on."""
    return run.scenario.on_span_s("TCP1")
