"""Cumulative bytes of a flow over time: a step and a slope per record, summed once, in integers.

A record's bytes are spread evenly over its [start, last], so the sum over all records is piecewise linear in time, with
edges where records start and end. Sums are whole numbers of a unit, a part of a byte:

- As long as the durations' common denominator has at most EXACT_BITS bits, the unit divides every record's bytes per
  millisecond, and sums at whole milliseconds are exact.
- Beyond it the unit is 2^-EXACT_BITS of a byte. A record's rate is rounded down to whole units per millisecond, and
  what is missing is added at its end: a sum is wrong by less than one unit per millisecond of the records that are
  sending, at most 2^-900 of a byte for all that a day can hold. Sums that differ by no more are taken as equal, and
  one that close to a whole number of bytes as that number.

Time and memory grow with n log n, whatever the records are: a common denominator without bound would not do.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

EXACT_BITS = 1024
# Below the exact part of a unit: room for moments between milliseconds, where sums are rounded down to units.
GUARD_BITS = 256


@dataclass(frozen=True, slots=True)
class Span:
    """One record's share of a flow, spread over [start_ms, last_ms] (epoch ms).

    `bytes` and `packets` are estimates after sampling at 1 in `sampling_factor` (0: multiplied at an unknown rate).
    """

    start_ms: int
    last_ms: int
    bytes: int
    packets: int
    sampling_factor: int

    def share(self, a: int, b: int) -> tuple[int, int]:
        """The part of it inside [a, b], as a numerator and a denominator; an instant is inside or not."""
        if self.last_ms < a or self.start_ms > b:
            return 0, 1
        if self.last_ms == self.start_ms:
            return 1, 1
        return min(b, self.last_ms) - max(a, self.start_ms), self.last_ms - self.start_ms

    def variance(self, inside: int, whole: int) -> float | None:
        """Of the estimated bytes of inside/whole of it, due to sampling; None where the factor is not known.

        n sampled packets stand for n x factor, and n is random: relative standard deviation sqrt((1 - 1/factor) / n), a
        binomial thinning of the packets.
        """
        if self.sampling_factor == 1 or not inside:
            return 0.0
        if not self.sampling_factor:
            return None
        sampled = self.packets * inside / (self.sampling_factor * whole)
        return (self.bytes * inside / whole) ** 2 * (1 - 1 / self.sampling_factor) / sampled if sampled else 0.0


class Spread:
    """Bytes sent by a moment, in units of 1/`unit` of a byte."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.unit, self._is_exact = _unit(spans)
        self.starts = sorted(span.start_ms for span in spans)
        self.lasts = sorted(span.last_ms for span in spans)
        # units by which the difference of any two sums may be wrong: each is short of less than this
        self.error_units = 0 if self._is_exact else sum(span.last_ms - span.start_ms for span in spans)
        self._add_up(spans)

    def _add_up(self, spans: Sequence[Span]) -> None:
        steps: defaultdict[int, int] = defaultdict(int)
        rates: defaultdict[int, int] = defaultdict(int)
        rests: defaultdict[int, int] = defaultdict(int)
        for span in spans:
            units, duration_ms = span.bytes * self.unit, span.last_ms - span.start_ms
            if not duration_ms:
                steps[span.start_ms] += units
                continue
            rate, rest = divmod(units, duration_ms)
            rates[span.start_ms] += rate
            rates[span.last_ms] -= rate
            rests[span.last_ms] += rest
        self._edges = sorted(steps.keys() | rates.keys())
        self._before: list[int] = []
        self._after: list[int] = []
        self._rates: list[int] = []
        sent = rate = 0
        former = self._edges[0] if self._edges else 0
        for edge in self._edges:
            sent += rate * (edge - former) + rests.get(edge, 0)
            self._before.append(sent)
            sent += steps.get(edge, 0)
            self._after.append(sent)
            rate += rates.get(edge, 0)
            self._rates.append(rate)
            former = edge

    def until(self, moment: int | Fraction) -> int:
        """Units sent up to a moment, what was sent in that very instant included; rounded down between milliseconds."""
        place = bisect_right(self._edges, moment) - 1
        if place < 0:
            return 0
        return self._after[place] + math.floor(self._rates[place] * (moment - self._edges[place]))

    def before(self, moment: int | Fraction) -> int:
        """Units sent before a moment, without that very instant."""
        place = bisect_left(self._edges, moment)
        if place < len(self._edges) and self._edges[place] == moment:
            return self._before[place]
        return self.until(moment)

    def between(self, a: int | Fraction, b: int | Fraction) -> int:
        """Units sent in the closed interval [a, b]."""
        return self.until(b) - self.before(a)

    def instant(self, moment: int) -> int:
        """Units of records without a duration at that very moment, where the sum jumps."""
        return self.until(moment) - self.before(moment)

    def sends_at(self, moment: int) -> bool:
        """Whether some record lasts at that moment, its ends included."""
        return bisect_right(self.starts, moment) > bisect_left(self.lasts, moment)

    def sends_throughout(self, a: int, b: int) -> bool:
        """Whether some record lasts from a to b, between which no record starts or ends."""
        return bisect_right(self.starts, a) > bisect_left(self.lasts, b)

    def bytes_of(self, units: int, tolerance_units: int) -> Fraction:
        """Units in bytes; what is that close to a whole number of bytes is that number."""
        whole = (2 * units + self.unit) // (2 * self.unit)
        if abs(units - whole * self.unit) <= tolerance_units:
            return Fraction(whole)
        return Fraction(units, self.unit)


def _unit(spans: Sequence[Span]) -> tuple[int, bool]:
    common = 1
    for duration_ms in {span.last_ms - span.start_ms or 1 for span in spans}:
        common = math.lcm(common, duration_ms)
        if common.bit_length() > EXACT_BITS:
            return 1 << (EXACT_BITS + GUARD_BITS), False
    return common << GUARD_BITS, True
