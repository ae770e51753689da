"""Implausible alpha flows: together they exceed the rate of their port.

One forged record of 1.1 GB in ten seconds is plausible on a port of 10 Gb/s, two thousand at the same time are not,
and the true ones cannot be identified. So bytes in such seconds do not count, and a flow that is below the threshold
without them is marked; marked flows make no new rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hntes.etl.measure.plausible import SAMPLING_SD

NO_RATES: Mapping[int, int] = MappingProxyType({})
# Length of a bin. Exporters' clocks tick in up to a second, which moves a fifth of a bin's bytes to its
# neighbours, and rates are a few per cent off.
BIN_MS = 5000
TOLERANCE_PCT = 30
# Ethernet of 1.6 Tb/s (IEEE P802.3dj), the fastest there is. A port that the settings do not name may be faster than
# all that they name, and the streams between two hosts together faster than any record of one.
_FASTEST_BPS = 1_600_000_000_000


@dataclass(frozen=True, slots=True)
class PeakWindow:
    """A flow's fullest window: `bytes`, spread evenly over [start_ms, end_ms], out of the port of that SNMP index.

    `sd_bytes` is one standard deviation due to sampling; 0 where none is known.
    """

    flow_id: str
    port_index: int
    start_ms: int
    end_ms: int
    bytes: int
    sd_bytes: int

    def shares(self) -> Iterator[tuple[int, float]]:
        """The bins in which it lies, by number, and which part of it lies in each; an instant lies in one."""
        length = self.end_ms - self.start_ms
        first, last = self.start_ms // BIN_MS, max(self.end_ms - 1, self.start_ms) // BIN_MS
        for number in range(first, last + 1):
            inside = min(self.end_ms, (number + 1) * BIN_MS) - max(self.start_ms, number * BIN_MS)
            yield number, inside / length if length else 1.0


PortTimes = Mapping[tuple[int, int], tuple[float, float]]
"""Bytes and their variance by port (SNMP index) and number of the bin."""


def capacity_bytes(rate_bps: int) -> float:
    """The maximum plausible bytes of a port in one bin."""
    return rate_bps * BIN_MS / 8000 * (100 + TOLERANCE_PCT) / 100


def implausible_flows(
    windows: Iterable[PeakWindow],
    threshold_bytes: int,
    rates_bps: Mapping[int, int] = NO_RATES,
    more_sent: PortTimes = MappingProxyType({}),
) -> frozenset[str]:
    """The flows that exceed the threshold only with what they sent while their port was overfilled, by flow id.

    `rates_bps` by SNMP index. A flow of another port is judged alone, by the fastest port there is: what such ports
    carry is not known, and many may share one index. Sums are of fullest windows alone, and so below what the port
    would have sent; the error of sampling is granted. `more_sent` is of flows that are not judged here.
    """
    windows = list(windows)
    others = (window for window in windows if window.port_index not in rates_bps)
    alone = frozenset(window.flow_id for window in others if _is_too_fast(window))
    judged = [window for window in windows if window.port_index in rates_bps]
    sums: defaultdict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for place, (sent, variance) in more_sent.items():
        sums[place] = [sent, variance]
    for window in judged:
        for number, share in window.shares():
            total = sums[window.port_index, number]
            total[0] += share * window.bytes
            total[1] += (share * window.sd_bytes) ** 2
    overfilled = {
        (index, number)
        for (index, number), (sent, variance) in sums.items()
        if sent - SAMPLING_SD * variance**0.5 > capacity_bytes(rates_bps[index])
    }
    if not overfilled:
        return alone
    together = (window.flow_id for window in judged if _believed_bytes(window, overfilled) <= threshold_bytes)
    return alone.union(together)


def _is_too_fast(window: PeakWindow) -> bool:
    """Whether no port carries it in its time and a bin, which covers the clocks of both ends."""
    bins = (window.end_ms - window.start_ms) / BIN_MS + 1
    return window.bytes - SAMPLING_SD * window.sd_bytes > bins * capacity_bytes(_FASTEST_BPS)


def _believed_bytes(window: PeakWindow, overfilled: set[tuple[int, int]]) -> float:
    doubted = sum(share for number, share in window.shares() if (window.port_index, number) in overfilled)
    return window.bytes * (1 - doubted) if doubted else float("inf")
