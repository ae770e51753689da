"""Octets between polls from readings of monotonic 64-bit counters, with wraps, resets and gaps."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from hntes.etl.counters.source import Direction, IntervalOctets

COUNTER_SIZE = 1 << 64
# Ethernet of 1.6 Tb/s (IEEE P802.3dj), and half as much for polls whose times are somewhat off.
_MOST_OCTETS_PER_MS = 1_600_000_000_000 // 8000 * 3 // 2

Reading = tuple[int, int]
"""Epoch ms, and the counter."""


def octets_of_readings(
    interface: str, direction: Direction, readings: Iterable[Reading], max_interval_ms: int
) -> Iterator[IntervalOctets]:
    """The intervals between readings, in any order, of which the octets are known."""
    for (start_ms, before), (end_ms, after) in pairwise(_by_time(readings)):
        octets = None if before is None or after is None else increase(before, after, end_ms - start_ms)
        if octets is not None and end_ms - start_ms <= max_interval_ms:
            yield IntervalOctets(interface, direction, start_ms, end_ms, octets)


def octets_of_deltas(
    interface: str, direction: Direction, readings: Iterable[Reading], max_interval_ms: int
) -> Iterator[IntervalOctets]:
    """The same of octets since the reading before."""
    for (start_ms, _), (end_ms, octets) in pairwise(_by_time(readings)):
        is_possible = octets is not None and octets <= _MOST_OCTETS_PER_MS * (end_ms - start_ms)
        if octets is not None and is_possible and end_ms - start_ms <= max_interval_ms:
            yield IntervalOctets(interface, direction, start_ms, end_ms, octets)


def increase(before: int, after: int, duration_ms: int) -> int | None:
    """By how much a counter rose; None if it was reset in between, or no port is that fast.

    Example:
        >>> increase(100, 250, 1000), increase(2**64 - 100, 50, 1000), increase(10**12, 50, 1000)
        (150, 150, None)
    """
    octets = (after - before) % COUNTER_SIZE
    return octets if octets <= _MOST_OCTETS_PER_MS * duration_ms else None


def _by_time(readings: Iterable[Reading]) -> Sequence[tuple[int, int | None]]:
    """One value per time; None where readings of the same time disagree."""
    found = []
    for time_ms, same in groupby(sorted(set(readings)), key=lambda reading: reading[0]):
        values = [value for _, value in same]
        found.append((time_ms, values[0] if len(values) == 1 else None))
    return found
