"""The exact sliding window: the most bytes a flow carried in any window, and the bytes of all windows above H.

A record's bytes are spread evenly over its [start, last]. The bytes of the window ending at e are then piecewise linear
in e, with corners only where e, or e minus the window, is an edge of a record. Each corner costs two look-ups in the
sums of etl/detect/spread.py, which says how exact they are: n records take time that grows with n log n, also if all of
them overlap.

Only windows that end while the flow is sending are looked at. Sliding any other window back to the last moment the flow
sent loses nothing, so the maximum is the same, and a flow that ended before midnight is not seen again the day after.

A flow of more than MAX_EXACT_RECORDS records is tried once a second only (`Flow.is_coarse`): its peak is then that of a
real window, and less than the fullest window by at most what the flow sent in one second.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from hntes.etl.detect.spread import Span, Spread

__all__ = ["MAX_EXACT_RECORDS", "Flow", "OneRecord", "Peak", "Span", "flow_of"]

MAX_EXACT_RECORDS = 100_000

_Point = int | Fraction


@dataclass(frozen=True)
class Peak:
    """The window with the most bytes; `end_ms` is its end. The error is one standard deviation, in bytes."""

    end_ms: int
    bytes: Fraction
    sd_bytes: float | None


class OneRecord:
    """A flow of one record that lies within the day and lasts no longer than the window.

    Most flows above the threshold are such. What `Flow` looks up in sums is then the record itself.
    """

    is_coarse = False

    def __init__(self, span: Span) -> None:
        self.spans = [span]

    def peak_window(self, window_ms: int, from_ms: int, to_ms: int) -> Peak:  # noqa: ARG002 - as of Flow
        """The window that ends with the record."""
        span = self.spans[0]
        variance = span.variance(1, 1)
        return Peak(span.last_ms, Fraction(span.bytes), None if variance is None else math.sqrt(variance))

    def burst_bytes(self, window_ms: int, threshold_bytes: int, from_ms: int, to_ms: int) -> int:  # noqa: ARG002
        """All of its bytes, or none."""
        return self.spans[0].bytes if self.spans[0].bytes > threshold_bytes else 0

    def flow_bytes(self, from_ms: int, to_ms: int) -> int:  # noqa: ARG002
        """All of its bytes."""
        return self.spans[0].bytes


def flow_of(spans: Iterable[Span], window_ms: int, from_ms: int, to_ms: int) -> "Flow | OneRecord":
    """The flow of these records, for windows of that length that end in (from_ms, to_ms]."""
    listed = list(spans)
    if len(listed) == 1 and listed[0].bytes:
        span = listed[0]
        if from_ms < span.start_ms and span.last_ms <= to_ms and span.last_ms - span.start_ms <= window_ms:
            return OneRecord(span)
    return Flow(listed)


class Flow:
    """A flow's records in order of their start."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(spans, key=lambda span: (span.start_ms, span.last_ms))
        self.is_coarse = len(self.spans) > MAX_EXACT_RECORDS
        self._sent = Spread(self.spans)

    def peak_window(self, window_ms: int, from_ms: int, to_ms: int) -> Peak | None:
        """The window with the most bytes among those ending in (from_ms, to_ms]; the earliest of equals.

        None if the flow sent nothing in that time.
        """
        corners = self._corners(window_ms, from_ms, to_ms)
        if not corners:
            return None
        units = [self._sent.between(end - window_ms, end) for end in corners]
        error = self._sent.error_units
        most = max(units) - error
        end, found = next((end, value) for end, value in zip(corners, units, strict=True) if value >= most)
        return Peak(end, self._sent.bytes_of(found, error), self._standard_deviation(end - window_ms, end))

    def burst_bytes(self, window_ms: int, threshold_bytes: int, from_ms: int, to_ms: int) -> int:
        """Bytes inside the union of all windows above the threshold that end in (from_ms, to_ms], rounded down."""
        sent, limit = self._sent, threshold_bytes * self._sent.unit + self._sent.error_units
        covered: list[tuple[_Point, _Point]] = []
        former: int | None = None
        for end in self._corners(window_ms, from_ms, to_ms):
            if former is not None and not self.is_coarse and sent.sends_throughout(former, end):
                after_former = sent.until(former) - sent.until(former - window_ms)
                before_end = sent.before(end) - sent.before(end - window_ms)
                above = _above(former, after_former, end, before_end, limit)
                if above:
                    _join(covered, above[0] - window_ms, above[1])
            if sent.between(end - window_ms, end) > limit:
                _join(covered, end - window_ms, end)
            former = end
        # Where the threshold is crossed is wrong by the error of a sum over the slope of the window, and what lies
        # there by that times the rate: rate over slope, of counters below 2^63 over milliseconds, is less than 2^128.
        error = ((sent.error_units + 1) * 2 * len(covered)) << 128
        return int(sent.bytes_of(sum(sent.between(a, b) for a, b in covered), error))

    def flow_bytes(self, from_ms: int, to_ms: int) -> int:
        """Bytes in (from_ms, to_ms], rounded down: an instant at midnight belongs to the day that ends there."""
        return int(self._sent.bytes_of(self._sent.until(to_ms) - self._sent.until(from_ms), self._sent.error_units))

    def _corners(self, window_ms: int, from_ms: int, to_ms: int) -> list[int]:
        """Window ends at which the sum can have a corner, while the flow is sending, within (from_ms, to_ms]."""
        if self.is_coarse:
            return self._seconds(from_ms, to_ms)
        wanted = {from_ms + 1, to_ms}
        for span in self.spans:
            wanted |= {span.start_ms, span.last_ms, span.start_ms + window_ms, span.last_ms + window_ms}
        return sorted(end for end in wanted if from_ms < end <= to_ms and self._sent.sends_at(end))

    def _seconds(self, from_ms: int, to_ms: int) -> list[int]:
        """The last moment at which the flow was sending, as of each whole second, within (from_ms, to_ms].

        Moving a window's end on to the next of these adds less than a second at its end, and so loses less than that at
        its begin.
        """
        lasts = self._sent.lasts
        first, past = max(from_ms, self._sent.starts[0] - 1), min(to_ms, lasts[-1])
        found = set()
        for second in range(first + 1000, past + 1000, 1000):
            end = min(second, past)
            if not self._sent.sends_at(end):
                place = bisect_right(lasts, end) - 1
                end = lasts[place] if place >= 0 else from_ms
            if end > from_ms:
                found.add(end)
        return sorted(found)

    def _standard_deviation(self, a: int, b: int) -> float | None:
        """Of the estimated bytes in [a, b]."""
        variance = 0.0
        for span in self.spans:
            added = span.variance(*span.share(a, b))
            if added is None:
                return None
            variance += added
        return math.sqrt(variance)


def _above(x0: int, y0: int, x1: int, y1: int, limit: int) -> tuple[_Point, _Point] | None:
    """The part of [x0, x1] where the line from (x0, y0) to (x1, y1) is above the limit."""
    if max(y0, y1) <= limit:
        return None
    if min(y0, y1) > limit:
        return x0, x1
    crossing = x0 + Fraction((x1 - x0) * (limit - y0), y1 - y0)
    return (crossing, x1) if y1 > y0 else (x0, crossing)


def _join(covered: list[tuple[_Point, _Point]], a: _Point, b: _Point) -> None:
    """Adds an interval to disjoint ones in rising order, none of which begins after it."""
    if covered and a <= covered[-1][1]:
        covered[-1] = (covered[-1][0], max(b, covered[-1][1]))
    else:
        covered.append((a, b))
