"""The paper's measures: transfers, throughput beside congestion, round trips, how long a burst waits, reservations."""

from collections.abc import Callable

import numpy as np

from hntes.papers.gara import manager
from hntes.papers.gara.cases import BURST_FROM_S, GaraCase
from hntes.papers.gara.setup import setup
from hntes.simulator.measures import goodput_bps, in_span, mean_goodput_bps, round_trips_ms
from hntes.simulator.results import RunResult

# Before best effort comes slow start is over, and after it came the queue has filled.
BEFORE_S, DURING_S = (1.0, 4.0), (6.0, 20.0)
_PACKET_BYTES = 500
# After an edge of the manager's calendar; then windows are open and old packets gone.
SETTLED_S = 1.0
_EXPLAINED = {
    "transfer_kbytes_s": "payload of the transfer over the time from its start to its last acknowledgement, in kB/s",
    "tcp_mbytes_s_during": "payload of TCP that arrived while best effort sends, in MB/s",
    "tcp_share_kept": "the same over what arrived before best effort came",
    "largest_rtt_ms": "longest round-trip time beside TCP, in ms",
    "largest_window_kbytes": "largest congestion window while best effort sends, in kB",
    "foreground1_share": "what the first foreground reservation gets of its rate (IP bytes), after its first second",
    "foreground2_share": "the same of the second",
    "foreground3_share": "the same of the third",
    "background_least_share": "what the background transfer gets of its part (IP bytes), the worst from edge to edge",
    "background_mbps": "what the background transfer gets over the whole run, Mb/s of IP bytes",
    "busy_ms": "time until the queue of a policed burst is empty again, in ms",
}


def measure(name: str, case: GaraCase, result: RunResult) -> float:
    """The value of a measure; raises KeyError for a name there is not."""
    return _MEASURES[name](case, result)


def explain(name: str) -> str:
    """A measure in words; nothing for one there is not."""
    return _EXPLAINED.get(name, "")


def _transfer_kbytes_s(_: GaraCase, result: RunResult) -> float:
    transfers = result.flows["tcp"].transfers
    if not transfers:
        return 0.0
    return float(setup().car.transfer_bytes / 1e3 / (transfers[0].completed_s - transfers[0].started_s))


def _mbytes_s(result: RunResult, span: tuple[float, float]) -> float:
    return float(in_span(result, goodput_bps(result, "tcp"), span).mean() / 8e6)


def _largest_window_kbytes(_: GaraCase, result: RunResult) -> float:
    pkts = in_span(result, result.of_flow("tcp", "cwnd_pkts"), DURING_S).max()
    return float(pkts * setup().segment_data_bytes / 1e3)


def _busy_ms(_: GaraCase, result: RunResult) -> float:
    """Until a packet at most is left; sampled at the ends of intervals."""
    queues = result.of_queues("backlog_bytes")
    (backlog,) = (values for name, values in queues.items() if name.endswith("premium"))
    begin = round(BURST_FROM_S / result.interval_s)
    filled = begin + int(np.argmax(backlog[begin:] > _PACKET_BYTES))
    emptied = filled + int(np.argmax(backlog[filled:] <= _PACKET_BYTES))
    return (emptied - begin) * result.interval_s * 1e3


def _ip_bps(result: RunResult, flow: str, start_s: float, end_s: float) -> float:
    """Mean from a second after a start to an end."""
    payload_bps = mean_goodput_bps(result, flow, (start_s + SETTLED_S, end_s))
    return float(payload_bps * setup().packet_bytes / setup().segment_data_bytes)


def _foreground_share(number: int) -> Callable[[GaraCase, RunResult], float]:
    def share(_: GaraCase, result: RunResult) -> float:
        name = manager.FOREGROUND[number - 1]
        asked = manager.requests(setup().assumed)[name]
        return _ip_bps(result, name, asked.start_s, asked.end_s) / asked.rate_bps

    return share


def _background_least_share(_: GaraCase, result: RunResult) -> float:
    return min(
        _ip_bps(result, manager.BACKGROUND, step.start_s, step.end_s) / step.background_bps
        for step in manager.granted().steps
    )


def _background_mbps(_: GaraCase, result: RunResult) -> float:
    return _ip_bps(result, manager.BACKGROUND, 0, result.duration_s) / 1e6


_MEASURES: dict[str, Callable[[GaraCase, RunResult], float]] = {
    "transfer_kbytes_s": _transfer_kbytes_s,
    "tcp_mbytes_s_during": lambda _, result: _mbytes_s(result, DURING_S),
    "tcp_share_kept": lambda _, result: _mbytes_s(result, DURING_S) / _mbytes_s(result, BEFORE_S),
    "largest_rtt_ms": lambda _, result: float(round_trips_ms(result, "ping", DURING_S).max()),
    "largest_window_kbytes": _largest_window_kbytes,
    "foreground1_share": _foreground_share(1),
    "foreground2_share": _foreground_share(2),
    "foreground3_share": _foreground_share(3),
    "background_least_share": _background_least_share,
    "background_mbps": _background_mbps,
    "busy_ms": _busy_ms,
}
