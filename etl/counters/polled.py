"""Counter octets of one interface and direction over time."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hntes.etl.counters.source import IntervalOctets

Floats = npt.NDArray[np.float64]
Window = tuple[int, int]
"""[from, to), epoch ms."""


class Polled:
    """Intervals from poll to poll; between them there may be gaps."""

    def __init__(self, intervals: Iterable[IntervalOctets]) -> None:
        kept: list[IntervalOctets] = []
        for interval in sorted(intervals, key=lambda each: each.start_ms):
            if not kept or interval.start_ms >= kept[-1].end_ms:
                kept.append(interval)
        self._start = np.array([each.start_ms for each in kept], np.int64)
        self._end = np.array([each.end_ms for each in kept], np.int64)
        octets = np.array([each.octets for each in kept], np.float64)
        # sums up to each start and end, in turn: flat across gaps
        self._edges = np.column_stack([self._start, self._end]).ravel().astype(np.float64)
        self._octets = _steps(octets)
        self._covered_ms = _steps((self._end - self._start).astype(np.float64))

    def window(self, from_ms: int, to_ms: int) -> Window | None:
        """The shortest time between two polls that covers [from_ms, to_ms); None across a gap."""
        first = int(np.searchsorted(self._start, from_ms, side="right")) - 1
        last = int(np.searchsorted(self._end, to_ms, side="left"))
        if first < 0 or last >= len(self._end):
            return None
        has_gap = (self._start[first + 1 : last + 1] != self._end[first:last]).any()
        return None if has_gap else (int(self._start[first]), int(self._end[last]))

    def octets(self, edges_ms: Floats) -> Floats:
        """The octets between each two adjacent moments, an interval's spread evenly over it."""
        return self._between(self._octets, edges_ms)

    def covered_ms(self, edges_ms: Floats) -> Floats:
        """The time between each two adjacent moments of which octets are known."""
        return self._between(self._covered_ms, edges_ms)

    def _between(self, sums: Floats, edges_ms: Floats) -> Floats:
        if not len(self._edges):
            return np.zeros(len(edges_ms) - 1)
        found: Floats = np.diff(np.interp(edges_ms, self._edges, sums))
        return found


def _steps(values: Floats) -> Floats:
    until = np.cumsum(values)
    return np.column_stack([until - values, until]).ravel()
