"""Octets between polls, whatever the counter does, against a simulated port that knows what it carried."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.counters.arithmetic import octets_of_readings
from hntes.etl.counters.polled import Polled

SIZE = 2**64
# What a port of 400 Gb/s carries in a second.
MOST_OCTETS_S = 50_000_000_000
MAX_INTERVAL_S = 900


@dataclass(frozen=True)
class Port:
    """Octets of each second, the counter at the start, and the seconds in which it was set to 0."""

    octets: list[int]
    start: int
    resets: frozenset[int]

    def counter(self, second: int) -> int:
        """Modulo 2^64, one second at a time."""
        value = self.start
        for now in range(second):
            value = 0 if now in self.resets else value
            value = (value + self.octets[now]) % SIZE
        return value

    def is_reset_between(self, start: int, end: int) -> bool:
        return any(start <= reset < end for reset in self.resets)


@st.composite
def ports(draw: st.DrawFn) -> tuple[Port, list[int]]:
    length = draw(st.integers(2, 40))
    octets = draw(st.lists(st.integers(0, MOST_OCTETS_S), min_size=length, max_size=length))
    near = st.integers(SIZE - 10**12, SIZE - 1)
    start = draw(st.one_of(st.integers(0, 2**60), near))
    resets = draw(st.frozensets(st.integers(0, length - 1), max_size=2))
    polls = draw(st.lists(st.integers(0, length), min_size=2, max_size=length, unique=True))
    return Port(octets, start, resets), sorted(polls)


@given(ports(), st.randoms(use_true_random=False), st.integers(1, 40))
def test_each_interval_has_what_the_port_carried_or_is_a_gap(
    drawn: tuple[Port, list[int]], chance: Random, most: int
) -> None:
    port, polls = drawn
    readings = [(second * 1000, port.counter(second)) for second in polls]
    readings += readings[: len(readings) // 2]  # some are stored twice
    chance.shuffle(readings)
    found = {each.start_ms // 1000: each for each in octets_of_readings("1", "in", readings, most * 1000)}
    for start, end in pairwise(polls):
        true = sum(port.octets[start:end])
        if end - start > most:
            assert start not in found
        elif not port.is_reset_between(start, end):
            assert (found[start].end_ms, found[start].octets) == (end * 1000, true)
        elif start in found:
            # a reset that no reading shows: never more than a port of 1.6 Tb/s carries in that time
            assert found[start].octets <= 300_000_000_000 * (end - start)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, SIZE - 1)), max_size=12))
def test_readings_of_one_time_that_disagree_are_a_gap(readings: list[tuple[int, int]]) -> None:
    values: dict[int, set[int]] = {}
    for second, value in readings:
        values.setdefault(second * 1000, set()).add(value)
    odd = {time_ms for time_ms, of_time in values.items() if len(of_time) > 1}
    found = octets_of_readings("1", "in", [(second * 1000, value) for second, value in readings], 10**6)
    assert all(each.start_ms not in odd and each.end_ms not in odd for each in found)


@given(ports(), st.integers(0, 39), st.integers(1, 20))
def test_polled_octets_over_any_time_are_the_sum_of_what_is_known(
    drawn: tuple[Port, list[int]], begin: int, length: int
) -> None:
    port, polls = drawn
    readings = [(second * 1000, port.counter(second)) for second in polls]
    intervals = list(octets_of_readings("1", "in", readings, MAX_INTERVAL_S * 1000))
    polled, a, b = Polled(intervals), begin * 1000, (begin + length) * 1000
    known = [(max(each.start_ms, a), min(each.end_ms, b), each) for each in intervals]
    share = sum(each.octets * max(e - s, 0) / (each.end_ms - each.start_ms) for s, e, each in known)

    edges = np.array([a, b], float)
    assert abs(polled.octets(edges)[0] - share) <= 1e-9 * (share + sum(each.octets for each in intervals)) + 1e-3
    assert abs(polled.covered_ms(edges)[0] - sum(max(e - s, 0) for s, e, _ in known)) < 1e-3
    window = polled.window(a, b)
    starts, ends = [each.start_ms for each in intervals], [each.end_ms for each in intervals]
    first = bisect_right(starts, a) - 1
    if window is None:
        has_gap = first < 0 or not any(end >= b for end in ends)
        last = next((n for n, end in enumerate(ends) if end >= b), 0)
        assert has_gap or any(ends[n] != starts[n + 1] for n in range(first, last))
    else:
        assert window[0] in starts
        assert window[1] in ends
        assert window[0] <= a
        assert window[1] >= b
