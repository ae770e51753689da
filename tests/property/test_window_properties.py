"""The exact window against a plain reading of its definition, and detection in SQL against the same."""

from fractions import Fraction
from math import lcm
from unittest.mock import patch

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hntes.etl.detect import spread
from hntes.etl.detect.window import Flow, OneRecord, Span, flow_of
from tests.support.examples import examples

WINDOW_MS = 60


def spans(max_time: int = 400) -> st.SearchStrategy[list[Span]]:
    one = st.builds(
        lambda start, duration, byte_count: Span(start, start + duration, byte_count, 1, 1),
        st.integers(0, max_time),
        st.one_of(st.just(0), st.integers(1, 150)),
        st.integers(0, 1000),
    )
    return st.lists(one, min_size=1, max_size=8)


def bytes_in(spans: list[Span], a: Fraction, b: Fraction) -> Fraction:
    """By the definition: a record's bytes spread evenly over its time, an instant's bytes all there."""
    total = Fraction(0)
    for span in spans:
        if span.start_ms == span.last_ms:
            total += span.bytes if a <= span.start_ms <= b else 0
        else:
            overlap = min(b, Fraction(span.last_ms)) - max(a, Fraction(span.start_ms))
            total += span.bytes * max(overlap, Fraction(0)) / (span.last_ms - span.start_ms)
    return total


GRID = range(-4 * WINDOW_MS, 4 * 700)  # ends of windows, in quarters of a millisecond


def on_grid(spans: list[Span]) -> tuple[list[int], int]:
    """The bytes of each window that ends on GRID, in whole numbers of the returned part of a byte."""
    lasting = [span for span in spans if span.last_ms > span.start_ms]
    parts = 4 * lcm(*(span.last_ms - span.start_ms for span in lasting))
    ends, found = np.array(GRID, object), np.zeros(len(GRID), object)
    for span in lasting:
        inside = np.minimum(ends, 4 * span.last_ms) - np.maximum(ends - 4 * WINDOW_MS, 4 * span.start_ms)
        found += np.maximum(inside, 0) * (span.bytes * parts // (4 * (span.last_ms - span.start_ms)))
    for span in spans:
        if span.last_ms == span.start_ms:
            found += (abs(2 * ends - 4 * WINDOW_MS - 8 * span.start_ms) <= 4 * WINDOW_MS) * (span.bytes * parts)
    return list(found), parts


@examples(0.5)
@given(spans(), st.lists(st.sampled_from(GRID), min_size=5, max_size=5))
def test_windows_on_the_grid_hold_what_the_definition_says(flow: list[Span], quarters: list[int]) -> None:
    found, parts = on_grid(flow)
    for quarter in quarters:
        end = Fraction(quarter, 4)
        assert Fraction(found[GRID.index(quarter)], parts) == bytes_in(flow, end - WINDOW_MS, end)


@given(spans())
def test_no_window_anywhere_holds_more_than_the_peak(flow: list[Span]) -> None:
    peak = Flow(flow).peak_window(WINDOW_MS, -1000, 10_000)
    assert peak is not None
    assert peak.bytes == bytes_in(flow, Fraction(peak.end_ms - WINDOW_MS), Fraction(peak.end_ms))
    found, parts = on_grid(flow)
    assert max(found) <= peak.bytes * parts


# The window gains and loses at nearly the same rate, so that a little of an error moves a crossing by much.
@example([Span(0, 76, 92, 1, 1), Span(77, 79, 2, 1, 1)], 0, 1)
@given(spans(), st.integers(0, 2000), st.sampled_from([1, 8, 64]))
def test_a_unit_that_divides_not_all_rates_changes_no_whole_byte(flow: list[Span], threshold: int, bits: int) -> None:
    exact = Flow(flow)
    with patch.object(spread, "EXACT_BITS", bits):
        rounded = Flow(flow)
    want, got = exact.peak_window(WINDOW_MS, -1000, 10_000), rounded.peak_window(WINDOW_MS, -1000, 10_000)
    assert want is not None
    assert got is not None
    assert (got.end_ms, int(got.bytes), got.bytes > threshold) == (want.end_ms, int(want.bytes), want.bytes > threshold)
    for limit in (threshold, int(want.bytes), int(want.bytes) - 1):
        bursts = [one.burst_bytes(WINDOW_MS, limit, -1000, 10_000) for one in (exact, rounded)]
        assert bursts[0] == bursts[1]
    assert exact.flow_bytes(100, 300) == rounded.flow_bytes(100, 300)


@given(spans(), st.integers(1, 600))
def test_days_share_out_a_flows_windows(flow: list[Span], midnight: int) -> None:
    whole = Flow(flow).peak_window(WINDOW_MS, -1000, 10_000)
    days = [Flow(flow).peak_window(WINDOW_MS, *bounds) for bounds in ((-1000, midnight), (midnight, 10_000))]
    assert whole is not None
    assert max(day.bytes for day in days if day) == whole.bytes
    if all(span.last_ms <= midnight for span in flow):
        assert days[1] is None, "a flow that ended before midnight must not be seen the day after"


@given(spans(), st.integers(0, 2000))
def test_burst_bytes_are_what_lies_in_windows_above_the_threshold(flow: list[Span], threshold: int) -> None:
    found = Flow(flow).burst_bytes(WINDOW_MS, threshold, -1000, 10_000)
    peak = Flow(flow).peak_window(WINDOW_MS, -1000, 10_000)
    assert peak is not None
    assert (found > 0) <= (peak.bytes > threshold)
    if peak.bytes > threshold:
        assert int(peak.bytes) <= found <= sum(span.bytes for span in flow)
    # a grid of quarter milliseconds sees a part of the windows, so never more than there is
    seen = _union_on_grid(flow, threshold)
    assert int(bytes_in_union(flow, seen)) <= found


def _union_on_grid(flow: list[Span], threshold: int) -> list[tuple[Fraction, Fraction]]:
    found, parts = on_grid(flow)
    above = (Fraction(quarter, 4) for quarter, size in zip(GRID, found, strict=True) if size > threshold * parts)
    return [(end - WINDOW_MS, end) for end in above if any(span.start_ms <= end <= span.last_ms for span in flow)]


def bytes_in_union(flow: list[Span], windows: list[tuple[Fraction, Fraction]]) -> Fraction:
    merged: list[list[Fraction]] = []
    for a, b in sorted(windows):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(b, merged[-1][1])
        else:
            merged.append([a, b])
    return sum((bytes_in(flow, a, b) for a, b in merged), Fraction(0))


@given(
    st.builds(
        lambda start, duration, byte_count, packets, factor: Span(start, start + duration, byte_count, packets, factor),
        st.integers(0, 400), st.integers(0, 2 * WINDOW_MS), st.integers(0, 2000), st.integers(0, 9),
        st.sampled_from([0, 1, 1, 10]),
    ),
    st.integers(-5, 200), st.integers(100, 600), st.integers(0, 1500),
)  # fmt: skip
def test_a_flow_of_one_record_needs_no_sums(span: Span, from_ms: int, to_ms: int, threshold: int) -> None:
    short, general = flow_of([span], WINDOW_MS, from_ms, to_ms), Flow([span])
    bounds = from_ms, to_ms
    assert short.peak_window(WINDOW_MS, *bounds) == general.peak_window(WINDOW_MS, *bounds)
    assert short.burst_bytes(WINDOW_MS, threshold, *bounds) == general.burst_bytes(WINDOW_MS, threshold, *bounds)
    assert short.flow_bytes(*bounds) == general.flow_bytes(*bounds)
    lies_within = from_ms < span.start_ms and span.last_ms <= to_ms and span.last_ms <= span.start_ms + WINDOW_MS
    assert isinstance(short, OneRecord) == (lies_within and span.bytes > 0)
