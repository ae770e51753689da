"""The paper's measures: transfer rate, throughput before and during congestion, round trips, how long a burst waits."""

from collections.abc import Callable

import numpy as np

from simulator.measures import goodput_bps, in_span, round_trips_ms
from simulator.papers.gara.cases import BURST_FROM_S, GaraCase, setup
from simulator.results import RunResult

# Before best effort comes slow start is over, and after it came the queue has filled.
BEFORE_S, DURING_S = (1.0, 4.0), (6.0, 20.0)
_PACKET_BYTES = 500
_EXPLAINED = {
    "transfer_kbytes_s": "payload of the transfer over the time from its start to its last acknowledgement, in kB/s",
    "tcp_mbytes_s_during": "payload of TCP that arrived while best effort sends, in MB/s",
    "tcp_share_kept": "the same over what arrived before best effort came",
    "largest_rtt_ms": "longest round-trip time beside TCP, in ms",
    "largest_window_kbytes": "largest congestion window while best effort sends, in kB",
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
    return float(setup()["car"]["transfer_bytes"] / 1e3 / (transfers[0].completed_s - transfers[0].started_s))


def _mbytes_s(result: RunResult, span: tuple[float, float]) -> float:
    return float(in_span(result, goodput_bps(result, "tcp"), span).mean() / 8e6)


def _largest_window_kbytes(_: GaraCase, result: RunResult) -> float:
    pkts = in_span(result, result.of_flow("tcp", "cwnd_pkts"), DURING_S).max()
    return float(pkts * setup()["segment_data_bytes"] / 1e3)


def _busy_ms(_: GaraCase, result: RunResult) -> float:
    """Until a packet at most is left; sampled at the ends of intervals."""
    queues = result.of_queues("backlog_bytes")
    (backlog,) = (values for name, values in queues.items() if name.endswith("premium"))
    begin = round(BURST_FROM_S / result.interval_s)
    filled = begin + int(np.argmax(backlog[begin:] > _PACKET_BYTES))
    emptied = filled + int(np.argmax(backlog[filled:] <= _PACKET_BYTES))
    return (emptied - begin) * result.interval_s * 1e3


_MEASURES: dict[str, Callable[[GaraCase, RunResult], float]] = {
    "transfer_kbytes_s": _transfer_kbytes_s,
    "tcp_mbytes_s_during": lambda _, result: _mbytes_s(result, DURING_S),
    "tcp_share_kept": lambda _, result: _mbytes_s(result, DURING_S) / _mbytes_s(result, BEFORE_S),
    "largest_rtt_ms": lambda _, result: float(round_trips_ms(result, "ping", DURING_S).max()),
    "largest_window_kbytes": _largest_window_kbytes,
    "busy_ms": _busy_ms,
}
