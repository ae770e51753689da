"""Measures of a run: throughput, round-trip times, loss, fairness; for the gate, reproductions and figures alike. Pure.

A span is a pair of seconds, start and end; of values per interval it takes the intervals that lie in it as a whole.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from hntes.simulator.results import Floats, FlowTotals, RunResult

Span = tuple[float, float]
ALWAYS: Span = (0.0, float("inf"))


def interval_starts_s(run: RunResult, count: int) -> Floats:
    """The start times of the first `count` intervals, in seconds."""
    return np.arange(count, dtype=np.float64) * run.interval_s


def in_span(run: RunResult, values: Floats, span: Span) -> Floats:
    """Those of values per interval whose interval lies in the span as a whole."""
    starts_s = interval_starts_s(run, len(values))
    return values[(starts_s >= span[0]) & (starts_s + run.interval_s <= span[1])]


def goodput_bps(run: RunResult, flow: str) -> Floats:
    """Payload of a flow that arrived, in bit/s, one value per interval."""
    return run.of_flow(flow, "goodput_bytes") * 8 / run.interval_s


def mean_goodput_bps(run: RunResult, flow: str, span: Span) -> float:
    """Mean goodput over a span in bit/s; 0 if the span holds no whole interval."""
    return _mean_bps(run, run.of_flow(flow, "goodput_bytes"), span)


def total_goodput_bps(run: RunResult, flows: Iterable[str]) -> float:
    """Goodput of several flows together over the whole run, in bit/s."""
    return sum(run.flows[name].goodput_bytes for name in flows) * 8 / run.duration_s


def round_trips_ms(run: RunResult, ping: str, span: Span = ALWAYS) -> Floats:
    """Round-trip times of those requests of a ping that were sent in the span (its end excluded), in ms."""
    sent_at_s = run.of_ping(ping, "sent_at_s")
    return run.of_ping(ping, "rtt_ms")[(sent_at_s >= span[0]) & (sent_at_s < span[1])]


def udp_loss_pct(run: RunResult, flow: str, spans: Sequence[Span]) -> float:
    """Payload of datagrams lost during spans, in per cent of what was sent; exactly 0 if no packet of it was dropped.

    A datagram counts where it was sent and where it arrives: of many thousands, a few under way at the end of a span
    count in another one.
    """
    dropped, sent, received = (
        np.concatenate([in_span(run, values, span) for span in spans])
        for values in (
            run.of_flow(flow, "dropped_pkts"), run.of_flow(flow, "sent_bytes"), run.of_flow(flow, "goodput_bytes"),
        )
    )  # fmt: skip
    if not dropped.any():
        return 0.0
    return max(0.0, float(100 * (1 - received.sum() / sent.sum())))


def lost_share(flows: Sequence[FlowTotals]) -> float:
    """Packets of several flows that were dropped, as a share of those sent; 0 if none was sent."""
    sent_pkts = sum(flow.sent_pkts for flow in flows)
    return dropped_pkts(flows) / sent_pkts if sent_pkts else 0.0


def dropped_pkts(flows: Iterable[FlowTotals]) -> int:
    """Packets of several flows that were dropped, whatever the cause."""
    return sum(chain.from_iterable(flow.dropped_pkts.values() for flow in flows))


def deliberate_drops_pkts(run: RunResult) -> Floats:
    """Packets that policers and early drops discarded, of all queues together, one value per interval."""
    counted = [*run.of_queues("dropped_early_pkts").values(), *run.of_queues("dropped_policer_pkts").values()]
    return np.sum(counted, axis=0, dtype=np.float64) if counted else np.zeros(0)


def green_drops_pkts(run: RunResult) -> Floats:
    """Those of them that were green, behind a marker, one value per interval.

    Raises:
        KeyError: no marker distinguished packets by colour.
    """
    early, policer = run.of_queues("dropped_green_early_pkts"), run.of_queues("dropped_green_policer_pkts")
    if not early or not policer:
        raise KeyError("drops of green packets were not recorded")
    counted: Floats = np.sum([*early.values(), *policer.values()], axis=0, dtype=np.float64)
    return counted


def mean_green_bps(run: RunResult, flow: str, span: Span) -> float:
    """Mean rate over a span in which a flow's packets arrived green, in bit/s of IP bytes.

    Raises:
        KeyError: no marker distinguished the flow's packets by colour.
    """
    return _mean_bps(run, run.of_flow(flow, "received_green_ip_bytes"), span)


def mean_excess_bps(run: RunResult, flow: str, span: Span) -> float:
    """The same of yellow and red packets together."""
    yellow, red = run.of_flow(flow, "received_yellow_ip_bytes"), run.of_flow(flow, "received_red_ip_bytes")
    return _mean_bps(run, yellow + red, span)


def jain_index(rates: Sequence[float]) -> float:
    """Jain's fairness index of rates: 1 if all are equal, 1/n if one has all; 0 if all are 0.

    Source:
        R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and Discrimination, DEC-TR-301, 1984.

    Example:
        >>> jain_index([1.0, 1.0]), jain_index([1.0, 0.0])
        (1.0, 0.5)
    """
    values = np.asarray(rates, dtype=np.float64)
    return float(values.sum() ** 2 / (len(values) * (values**2).sum())) if values.any() else 0.0


def _mean_bps(run: RunResult, byte_count: Floats, span: Span) -> float:
    """Of bytes per interval over a span; 0 if the span holds no whole interval."""
    chosen = in_span(run, byte_count * 8 / run.interval_s, span)
    return float(chosen.mean()) if len(chosen) else 0.0
