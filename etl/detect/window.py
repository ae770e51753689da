"""The exact sliding window: the most bytes a flow carried in any window, and the bytes of all windows above H.

A record's bytes are spread evenly over its [start, last]. The bytes of the window ending at e are then piecewise linear
in e, with corners only where e, or e minus the window, is an edge of a record; sums are exact (rational numbers).

Only windows that end while the flow is sending are looked at. Sliding any other window back to the last moment the flow
sent loses nothing, so the maximum is the same, and a flow that ended before midnight is not seen again the day after.
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Span:
    """One record's share of a flow: bytes and sampled packets, spread over [start_ms, last_ms] (epoch ms)."""

    start_ms: int
    last_ms: int
    bytes: int
    sampled_packets: Fraction | None  # None: the sampling rate is unknown
    sampling_factor: int


@dataclass(frozen=True)
class Peak:
    """The window with the most bytes; `end_ms` is its end. The error is one standard deviation, in bytes."""

    end_ms: int
    bytes: Fraction
    sd_bytes: float | None


class Flow:
    """A flow's records in order of their start."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(spans, key=lambda span: (span.start_ms, span.last_ms))
        self._starts = [span.start_ms for span in self.spans]
        # the latest end of all records up to each one: those before the first that reaches a moment are over by then
        self._reach = list(itertools.accumulate((span.last_ms for span in self.spans), max))

    def peak_window(self, window_ms: int, from_ms: int, to_ms: int) -> Peak | None:
        """The window with the most bytes among those ending in (from_ms, to_ms]; the earliest of equals.

        None if the flow sent nothing in that time.
        """
        best: tuple[Fraction, int] | None = None
        for end in self._corners(window_ms, from_ms, to_ms):
            total = self._bytes_between(end - window_ms, end)
            if best is None or total > best[0]:
                best = (total, end)
        if best is None:
            return None
        return Peak(best[1], best[0], self._standard_deviation(best[1] - window_ms, best[1]))

    def burst_bytes(self, window_ms: int, threshold_bytes: int, from_ms: int, to_ms: int) -> int:
        """Bytes inside the union of all windows above the threshold that end in (from_ms, to_ms], rounded down."""
        corners = self._corners(window_ms, from_ms, to_ms)
        values = [self._bytes_between(end - window_ms, end) for end in corners]
        covered: list[tuple[Fraction, Fraction]] = []
        for number, (end, value) in enumerate(zip(corners, values, strict=True)):
            if value > threshold_bytes:
                covered.append((Fraction(end - window_ms), Fraction(end)))
            if number and self._sends_throughout(corners[number - 1], end):
                begin = corners[number - 1]
                after_begin = values[number - 1] - self._instant_bytes(begin - window_ms)
                before_end = value - self._instant_bytes(end)
                above = _above(begin, after_begin, end, before_end, threshold_bytes)
                covered += [(above[0] - window_ms, above[1])] if above else []
        return int(sum((self._bytes_between(a, b) for a, b in _union(covered)), Fraction(0)))

    def flow_bytes(self, from_ms: int, to_ms: int) -> int:
        """Bytes in (from_ms, to_ms], rounded down: an instant at midnight belongs to the day that ends there."""
        return int(self._bytes_between(from_ms, to_ms) - self._instant_bytes(from_ms))

    def _corners(self, window_ms: int, from_ms: int, to_ms: int) -> list[int]:
        """Window ends at which the sum can have a corner, while the flow is sending, within (from_ms, to_ms]."""
        wanted = {from_ms + 1, to_ms}
        for span in self.spans:
            wanted |= {span.start_ms, span.last_ms, span.start_ms + window_ms, span.last_ms + window_ms}
        return sorted(end for end in wanted if from_ms < end <= to_ms and any(True for _ in self._between(end, end)))

    def _between(self, a: Fraction | int, b: Fraction | int) -> Iterator[Span]:
        """The records that touch the closed interval [a, b]."""
        for span in self.spans[bisect_left(self._reach, a) : bisect_right(self._starts, b)]:
            if span.last_ms >= a:
                yield span

    def _bytes_between(self, a: Fraction | int, b: Fraction | int) -> Fraction:
        return sum((span.bytes * _fraction_inside(span, a, b) for span in self._between(a, b)), Fraction(0))

    def _instant_bytes(self, moment: int) -> int:
        """Bytes of records without a duration at that very moment, where the sum jumps."""
        return sum(span.bytes for span in self._between(moment, moment) if span.start_ms == span.last_ms)

    def _standard_deviation(self, a: int, b: int) -> float | None:
        """Of the estimated bytes in [a, b]: n sampled packets stand for n x factor, and n is random.

        Relative standard deviation sqrt((1 - 1/factor) / n): a binomial thinning of the packets.
        """
        variance = 0.0
        for span in self._between(a, b):
            inside = _fraction_inside(span, a, b)
            if span.sampling_factor == 1:
                continue
            if span.sampled_packets is None:
                return None
            if packets := float(span.sampled_packets * inside):
                variance += float(span.bytes * inside) ** 2 * (1 - 1 / span.sampling_factor) / packets
        return math.sqrt(variance)

    def _sends_throughout(self, a: int, b: int) -> bool:
        reach = a
        for span in self._between(a, b):
            if span.start_ms > reach:
                return False
            reach = max(reach, span.last_ms)
        return reach >= b


def _fraction_inside(span: Span, a: Fraction | int, b: Fraction | int) -> Fraction:
    if span.last_ms < a or span.start_ms > b:
        return Fraction(0)
    if span.last_ms == span.start_ms:
        return Fraction(1)
    return Fraction(min(b, span.last_ms) - max(a, span.start_ms)) / (span.last_ms - span.start_ms)


def _above(x0: int, y0: Fraction, x1: int, y1: Fraction, limit: int) -> tuple[Fraction, Fraction] | None:
    """The part of [x0, x1] where the line from (x0, y0) to (x1, y1) is above the limit."""
    if max(y0, y1) <= limit:
        return None
    if min(y0, y1) > limit:
        return Fraction(x0), Fraction(x1)
    crossing = x0 + (x1 - x0) * (limit - y0) / (y1 - y0)
    return (Fraction(crossing), Fraction(x1)) if y1 > y0 else (Fraction(x0), Fraction(crossing))


def _union(intervals: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    merged: list[tuple[Fraction, Fraction]] = []
    for a, b in sorted(intervals):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged
