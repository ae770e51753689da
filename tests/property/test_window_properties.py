"""The exact window against a plain reading of its definition, and detection in SQL against the same."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from etl.detect.window import Flow, Span

WINDOW_MS = 60


def spans(max_time: int = 400) -> st.SearchStrategy[list[Span]]:
    one = st.builds(
        lambda start, duration, octets: Span(start, start + duration, octets, Fraction(1), 1),
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


@given(spans())
def test_no_window_anywhere_holds_more_than_the_peak(flow: list[Span]) -> None:
    peak = Flow(flow).peak_window(WINDOW_MS, -1000, 10_000)
    assert peak is not None
    assert peak.bytes == bytes_in(flow, Fraction(peak.end_ms - WINDOW_MS), Fraction(peak.end_ms))
    moments = [Fraction(quarter, 4) for quarter in range(-4 * WINDOW_MS, 4 * 700)]
    assert max(bytes_in(flow, end - WINDOW_MS, end) for end in moments) <= peak.bytes


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
    windows = []
    for quarter in range(-4 * WINDOW_MS, 4 * 700):
        end = Fraction(quarter, 4)
        sending = any(span.start_ms <= end <= span.last_ms for span in flow)
        if sending and bytes_in(flow, end - WINDOW_MS, end) > threshold:
            windows.append((end - WINDOW_MS, end))
    return windows


def bytes_in_union(flow: list[Span], windows: list[tuple[Fraction, Fraction]]) -> Fraction:
    merged: list[list[Fraction]] = []
    for a, b in sorted(windows):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(b, merged[-1][1])
        else:
            merged.append([a, b])
    return sum((bytes_in(flow, a, b) for a, b in merged), Fraction(0))
