"""What transfers of a reserved pair carried, as rates over time: each flow's bytes spread evenly over its duration."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Carried:
    """A flow from `start_ms` until `end_ms` (ms since 1970) with its bytes; without duration all are at its start."""

    start_ms: int
    end_ms: int
    carried_bytes: int

    def within(self, start_ms: int, end_ms: int) -> float:
        """The bytes from an instant until before another.

        Example:
            >>> Carried(0, 4000, 100).within(1000, 2000), Carried(5, 5, 100).within(5, 6)
            (25.0, 100.0)
        """
        length_ms = self.end_ms - self.start_ms
        if length_ms <= 0:
            return float(self.carried_bytes) if start_ms <= self.start_ms < end_ms else 0.0
        inside_ms = min(self.end_ms, end_ms) - max(self.start_ms, start_ms)
        return self.carried_bytes * max(inside_ms, 0) / length_ms


def mean_bps(flows: Iterable[Carried], start_s: int, end_s: int) -> float:
    """The mean rate of flows from an instant until before a later one, bit/s."""
    return 8 * sum(each.within(1000 * start_s, 1000 * end_s) for each in flows) / (end_s - start_s)


def binned_bps(flows: Iterable[Carried], start_s: int, bin_s: int, count: int) -> list[float]:
    """The mean rate in each of `count` bins of `bin_s` seconds, bit/s."""
    sums = [0.0] * count
    for each in flows:
        first = max((each.start_ms // 1000 - start_s) // bin_s, 0)
        last = min((each.end_ms // 1000 - start_s) // bin_s, count - 1)
        for number in range(first, last + 1):
            begins_ms = 1000 * (start_s + number * bin_s)
            sums[number] += each.within(begins_ms, begins_ms + 1000 * bin_s)
    return [8 * each / bin_s for each in sums]
