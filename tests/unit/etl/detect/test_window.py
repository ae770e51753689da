"""The sliding window's cost, its two kinds of unit, and what it does with a flow of too many records."""

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from hntes.etl.detect import spread, window
from hntes.etl.detect.window import Flow, Span

DAY_MS = 86_400_000


@dataclass(frozen=True)
class CountingSpan(Span):
    """A record that counts how often its bytes are looked at."""

    looked_at: ClassVar[Counter[str]] = Counter()

    def __getattribute__(self, name: str) -> object:
        if name == "bytes":
            CountingSpan.looked_at["bytes"] += 1
        return super().__getattribute__(name)


@pytest.mark.parametrize("count", [50, 200])
def test_overlapping_records_are_looked_at_a_few_times_each(count: int) -> None:
    """Every window sees all of them; adding them up for each window would look at count x count."""
    flow = Flow(CountingSpan(number, 30_000 + number, 1000, 1, 1) for number in range(count))
    CountingSpan.looked_at.clear()
    peak = flow.peak_window(60_000, 0, DAY_MS)
    assert flow.burst_bytes(60_000, 900 * count, 0, DAY_MS) == 1000 * count
    assert peak is not None
    assert peak.bytes == 1000 * count
    assert CountingSpan.looked_at["bytes"] <= 10 * count


def test_thousands_of_equal_records_have_few_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    sends_at = spread.Spread.sends_at

    def counted(self: spread.Spread, moment: int) -> bool:
        asked.append(moment)
        return sends_at(self, moment)

    monkeypatch.setattr(spread.Spread, "sends_at", counted)
    peak = Flow([Span(0, 30_000, 7, 1, 1)] * 3000).peak_window(60_000, -1, DAY_MS)
    assert peak is not None
    assert peak.bytes == 21_000
    assert len(asked) <= 6


def test_a_unit_that_does_not_divide_all_rates_gives_the_same_whole_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    starts = [chance.randrange(400) for _ in range(40)]
    spans = [Span(start, start + chance.randrange(150), chance.randrange(10**6), 1, 1) for start in starts]
    exact = Flow(spans)
    monkeypatch.setattr(spread, "EXACT_BITS", 16)
    rounded = Flow(spans)
    for begin in range(0, 400, 60):
        want, got = exact.peak_window(60, begin, begin + 90), rounded.peak_window(60, begin, begin + 90)
        assert want is not None
        assert got is not None
        assert (got.end_ms, int(got.bytes)) == (want.end_ms, int(want.bytes))
        assert abs(got.bytes - want.bytes) < Fraction(1, 2**200)
        for threshold in (int(want.bytes), int(want.bytes) - 1, int(want.bytes) // 2):
            burst = exact.burst_bytes(60, threshold, begin, begin + 90)
            assert rounded.burst_bytes(60, threshold, begin, begin + 90) == burst


def test_an_exact_tie_is_one_with_either_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two records of a third and two thirds of the rate: every full window holds the same, a whole number of bytes."""
    spans = [Span(0, 90, 30, 1, 1), Span(0, 90, 60, 1, 1)]
    for bits in (1024, 4):
        monkeypatch.setattr(spread, "EXACT_BITS", bits)
        peak = Flow(spans).peak_window(60, -1, 1000)
        assert peak is not None
        assert (peak.end_ms, peak.bytes) == (60, Fraction(60))
        assert Flow(spans).burst_bytes(60, 60, -1, 1000) == 0
        assert Flow(spans).burst_bytes(60, 59, -1, 1000) == 90


def test_a_flow_of_too_many_records_loses_at_most_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)
    starts = [chance.randrange(90_000) for _ in range(60)]
    spans = [Span(start, start + chance.randrange(4000), chance.randrange(10**6), 1, 1) for start in starts]
    exact = Flow(spans)
    monkeypatch.setattr(window, "MAX_EXACT_RECORDS", 59)
    coarse = Flow(spans)
    assert (exact.is_coarse, coarse.is_coarse) == (False, True)
    want, got = exact.peak_window(60_000, -1, DAY_MS), coarse.peak_window(60_000, -1, DAY_MS)
    fullest_second = exact.peak_window(1000, -1, DAY_MS)
    assert want is not None
    assert got is not None
    assert fullest_second is not None
    assert want.bytes - fullest_second.bytes <= got.bytes < want.bytes
    assert int(got.bytes) <= coarse.burst_bytes(60_000, int(got.bytes) - 1, -1, DAY_MS)


def test_a_flow_of_too_many_records_that_rests_is_tried_where_it_last_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "MAX_EXACT_RECORDS", 1)
    flow = Flow([Span(10_300, 10_400, 5, 1, 1), Span(10_700, 10_800, 7, 1, 1)])
    peak = flow.peak_window(60_000, 0, DAY_MS)
    assert peak is not None
    assert (peak.end_ms, peak.bytes) == (10_800, Fraction(12))
    assert flow.peak_window(60_000, 10_800, DAY_MS) is None


def test_a_burst_begins_and_ends_where_a_window_crosses_the_threshold() -> None:
    """1 byte per ms, then 10 for 100 ms, then 1 again: a window of 60 ms holds 300 bytes 26 2/3 ms after each change.

    At the begin it has lost 60 - 26 2/3 ms of what was before; at the end 300 = 600 - 9 x, so x = 33 1/3 ms.
    """
    flow = Flow([Span(0, 200, 200, 1, 1), Span(200, 300, 1000, 1, 1), Span(300, 500, 200, 1, 1)])
    assert flow.burst_bytes(60, 300, -1, 1000) == 33 + 1000 + 33  # and twice a third, rounded down


def test_what_lies_between_two_bursts_is_in_none() -> None:
    flow = Flow([Span(0, 100, 1000, 1, 1), Span(100, 1000, 900, 1, 1), Span(1000, 1100, 1000, 1, 1)])
    assert flow.burst_bytes(60, 300, -1, 2000) == 1000 + 33 + 33 + 1000


def test_the_first_window_of_a_day_reaches_back_over_midnight() -> None:
    """Midnight at 100: 41 to 100 at 10 bytes per ms, and one ms at 1."""
    flow = Flow([Span(0, 100, 1000, 1, 1), Span(100, 500, 400, 1, 1)])
    peak = flow.peak_window(60, 100, 1000)
    assert peak is not None
    assert (peak.end_ms, peak.bytes) == (101, Fraction(591))


def test_the_error_is_that_of_the_records_within_the_window() -> None:
    """10 packets of 1 in 10 are left: 10,000 bytes x sqrt((1 - 1/10) / 10), and nothing of the earlier record."""
    flow = Flow([Span(0, 60, 1000, 10, 10), Span(1000, 1060, 10_000, 100, 10)])
    peak = flow.peak_window(60, -1, 2000)
    assert peak is not None
    assert (peak.end_ms, peak.bytes) == (1060, Fraction(10_000))
    assert peak.sd_bytes == pytest.approx(3000)


def test_a_flow_of_too_many_records_is_tried_at_its_only_moment_and_before_each_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(window, "MAX_EXACT_RECORDS", 1)
    for moment in (10_000, 10_001):
        peak = Flow([Span(moment, moment, 5, 1, 1)] * 2).peak_window(500, 0, DAY_MS)
        assert peak is not None
        assert (peak.end_ms, peak.bytes) == (moment, Fraction(10))
    rests = Flow([Span(1000, 1100, 5, 1, 1), Span(1200, 1300, 7, 1, 1), Span(5000, 5000, 1, 1, 1)])
    peak = rests.peak_window(500, 0, DAY_MS)
    assert peak is not None
    assert (peak.end_ms, peak.bytes) == (1300, Fraction(12))
