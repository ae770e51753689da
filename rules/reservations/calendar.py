"""Reserved rates of one port over time: a step function in whole bits per second and whole seconds."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from hntes.rules.reservations.reservation import Port, Reservation


@dataclass(frozen=True)
class Segment:
    """From `start_s` until before `end_s` (None: forever) `level_bps` is reserved."""

    start_s: int
    end_s: int | None
    level_bps: int


@dataclass(frozen=True)
class Calendar:
    """`levels_bps[i]` holds from `edges_s[i]` until the next edge; before the first edge and after the last it is 0."""

    edges_s: tuple[int, ...]
    levels_bps: tuple[int, ...]

    def at(self, moment_s: int) -> int:
        """The rate reserved at that instant, bit/s."""
        index = bisect_right(self.edges_s, moment_s) - 1
        return self.levels_bps[index] if index >= 0 else 0

    def segments(self, start_s: int) -> Iterator[Segment]:
        """The periods between edges from an instant on, in order; the last one has no end."""
        index = bisect_right(self.edges_s, start_s)
        begins, level = start_s, self.at(start_s)
        for edge, next_level in zip(self.edges_s[index:], self.levels_bps[index:], strict=True):
            yield Segment(begins, edge, level)
            begins, level = edge, next_level
        yield Segment(begins, None, level)


def calendar(reservations: Iterable[Reservation], port: Port) -> Calendar:
    """The rates of these reservations on a port, or on all ports of a router."""
    changes: Counter[int] = Counter()
    for each in reservations:
        if each.crosses(port):
            changes[each.start_s] += each.promised_bps
            changes[each.end_s] -= each.promised_bps
    edges = sorted(moment for moment, change in changes.items() if change)
    return Calendar(tuple(edges), tuple(accumulate(changes[edge] for edge in edges)))
