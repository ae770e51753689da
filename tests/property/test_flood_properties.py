"""A flood that is thinned out by columns: what is left is judged as if nothing had been taken out, or doubted."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hntes.etl.detect.column_peaks import MOST_RECORDS, column_peaks
from hntes.etl.detect.flood import LONGEST_MS, Hosts, without_flood
from hntes.etl.detect.peak_window import BIN_MS, PeakWindow
from hntes.etl.detect.port_capacity import implausible_flows
from hntes.etl.detect.window import Flow, Span

GB = 10**9
THRESHOLD_BYTES, WINDOW_MS = GB, 60_000
DAY = (1_000_000, 1_000_000 + 86_400_000)
# 0.8125 and 8.125 GB in a bin of five seconds, with the tolerance; port 3 has no rate
RATES = {1: 1_000_000_000, 2: 10_000_000_000}
UNUSED = (
    "key_exporter_hi", "key_exporter_lo", "direction", "exporter_hi", "exporter_lo", "exporter_domain", "src_port",
    "dst_port", "protocol",
)  # fmt: skip


@dataclass(frozen=True)
class Sent:
    """A flow out of one port; `twice`: so many records were exported twice; `is_split`: if there are several, the last
    came in elsewhere."""

    port: int
    spans: tuple[Span, ...]
    twice: int
    is_split: bool

    @property
    def is_of_two_meters(self) -> bool:
        return self.is_split and len(self.spans) > 1

    def window(self, number: int, window_ms: int | None) -> PeakWindow | None:
        length_ms = self.length_ms(window_ms)
        flow = Flow(self.spans)
        peak = flow.peak_window(length_ms, *DAY)
        if peak is None:
            return None
        first = self.first_ms(peak.end_ms, length_ms)
        return PeakWindow(f"{number}", self.port, first, peak.end_ms, int(peak.bytes), round(peak.sd_bytes or 0))

    def length_ms(self, window_ms: int | None) -> int:
        longest = max(span.last_ms - span.start_ms for span in self.spans)
        return max(longest, 1) if window_ms is None else window_ms

    def first_ms(self, end_ms: int, length_ms: int) -> int:
        """The first moment of that window at which the flow sent."""
        begin = end_ms - length_ms
        inside = [span for span in self.spans if span.last_ms >= begin and span.start_ms <= end_ms]
        return max(begin, min(span.start_ms for span in inside))

    def bytes_in(self, end_ms: int, length_ms: int) -> Fraction:
        return sum((span.bytes * Fraction(*span.share(end_ms - length_ms, end_ms)) for span in self.spans), Fraction(0))

    def takes_part(self, number: int) -> bool:
        window = self.window(number, WINDOW_MS)
        is_fit = len(self.spans) <= MOST_RECORDS and not self.is_of_two_meters and self.port in RATES
        return is_fit and window is not None and window.bytes > THRESHOLD_BYTES


LASTS_MS = st.one_of(st.sampled_from([0, 1, BIN_MS, 10_000, LONGEST_MS, LONGEST_MS + 1]), st.integers(0, 200_000))
STARTS_MS = st.one_of(st.integers(DAY[0] - 70_000, DAY[0] + 30_000), st.integers(DAY[1] - 40_000, DAY[1]))


@st.composite
def flows(draw: st.DrawFn) -> Sent:
    begin = draw(STARTS_MS)
    spans = {}
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3, MOST_RECORDS, MOST_RECORDS + 1]))):
        start = begin + draw(st.sampled_from([0, 0, 1, 5000, 20_000, 90_000]))
        byte_count = draw(st.integers(1, 3 * GB))
        packets, factor = draw(st.sampled_from([0, 16_384, 1_638_400])), draw(st.sampled_from([0, 1, 1, 1, 16_384]))
        span = Span(start, start + draw(LASTS_MS), byte_count, packets, factor)
        spans[span.start_ms, span.last_ms, byte_count, packets] = span
    listed = sorted(spans.values(), key=lambda span: (span.start_ms, span.last_ms, span.bytes, span.packets))
    return Sent(draw(st.sampled_from([1, 2, 2, 2, 3])), tuple(listed), draw(st.integers(0, 2)), draw(st.booleans()))


DAYS = st.lists(flows(), max_size=30)
# One record cannot be of two meters, whatever the flow says.
ONE_RECORD = [Sent(1, (Span(DAY[1] - 40_000, DAY[1] - 40_000, GB + 1, 0, 0),), 0, True)]


def hosts(number: int) -> Hosts:
    return 0, number, 0, 7


def table(sent: list[Sent]) -> pa.Table:
    rows = []
    for number, flow in enumerate(sent):
        for place, span in enumerate(flow.spans):
            # of an instant each copy counts
            copies = 2 if place < flow.twice and span.last_ms > span.start_ms else 1
            interface = 9 if flow.is_of_two_meters and place == len(flow.spans) - 1 else 1
            rows += [(number, flow.port, interface, span)] * copies
    return pa.table(
        {
            "ip_version": [4] * len(rows),
            "src_hi": [0] * len(rows),
            "src_lo": [number for number, *_ in rows],
            "dst_hi": [0] * len(rows),
            "dst_lo": [7] * len(rows),
            "key_src_port": [-1] * len(rows),
            "key_dst_port": [-1] * len(rows),
            "key_protocol": [-1] * len(rows),
            **{name: [0] * len(rows) for name in UNUSED},
            "input_interface": [interface for *_, interface, _ in rows],
            "output_interface": [port for _, port, *_ in rows],
            "first_ms": [span.start_ms for *_, span in rows],
            "start_ms": [span.start_ms for *_, span in rows],
            "last_ms": [span.last_ms for *_, span in rows],
            "bytes": [span.bytes for *_, span in rows],
            "packets": [span.packets for *_, span in rows],
            "sampling_factor": [span.sampling_factor for *_, span in rows],
        }
    )


def left(rows: pa.Table) -> set[int]:
    return set(rows.column("src_lo").to_pylist())


@given(st.lists(flows(), min_size=1, max_size=10), st.sampled_from([None, WINDOW_MS, 5000]))
@example([Sent(1, (Span(940_001, 940_001, 16_666_017, 0, 0), Span(940_001, 1_000_002, 1, 0, 0)), 0, False)], None)
def test_peaks_by_columns_are_those_found_one_by_one(sent: list[Sent], window_ms: int | None) -> None:
    rows = table(sent)
    peaks = column_peaks(rows, window_ms, DAY)
    numbers = rows.column("src_lo").to_numpy()
    found = dict(zip(numbers[peaks.row].tolist(), range(len(peaks.row)), strict=True))
    of_two_meters = {number for number, flow in enumerate(sent) if flow.is_of_two_meters}
    assert found.keys() == {n for n, flow in enumerate(sent) if len(flow.spans) <= MOST_RECORDS} - of_two_meters
    for number, place in found.items():
        assert numbers.tolist().count(number) == peaks.rows[place]
        window = sent[number].window(number, window_ms)
        if window is None:
            assert peaks.bytes[place] < 0
            continue
        # Of windows that are equally full but for what floating point leaves, it is the earliest.
        length_ms, end_ms = sent[number].length_ms(window_ms), int(peaks.end_ms[place])
        fullest = sent[number].bytes_in(window.end_ms, length_ms)
        assert end_ms <= window.end_ms
        assert fullest - sent[number].bytes_in(end_ms, length_ms) <= fullest * Fraction(2, 10**12)
        assert int(peaks.start_ms[place]) == sent[number].first_ms(end_ms, length_ms)
        assert peaks.port[place] == window.port_index
        assert peaks.bytes[place] == pytest.approx(window.bytes, abs=2)
        assert np.rint(peaks.sd_bytes[place]) == pytest.approx(window.sd_bytes, abs=2)


@given(DAYS, st.integers(0, 5), st.sets(st.integers(0, 29), max_size=5))
@example(ONE_RECORD, 0, set())
def test_what_is_left_is_believed_as_among_all_or_less(sent: list[Sent], listed_flows: int, known: set[int]) -> None:
    believed = frozenset(map(hosts, known))
    rows = table(sent)
    thinned = without_flood(rows, THRESHOLD_BYTES, WINDOW_MS, DAY, RATES, lambda: believed, listed_flows)
    here = left(thinned.rows)
    gone = set(range(len(sent))) - here
    assert len(gone) == thinned.unlisted_flows
    numbers = rows.column("src_lo").to_pylist()
    assert thinned.rows.num_rows == sum(number in here for number in numbers)
    # flows that do not take part say nothing about others here
    windows = {n: flow.window(n, WINDOW_MS) for n, flow in enumerate(sent) if flow.takes_part(n)}
    implausible = implausible_flows(filter(None, windows.values()), THRESHOLD_BYTES, RATES)
    of_rest = [window for number, window in windows.items() if window is not None and number in here]
    found = implausible_flows(of_rest, THRESHOLD_BYTES, RATES, thinned.sent)
    assert found >= implausible & set(map(str, here))
    assert set(map(str, gone)) <= implausible
    # those that are doubted besides have something that was taken out, and is no larger, in a bin of theirs
    for number in map(int, found - implausible):
        window = windows[number]
        assert window is not None
        bins = range(window.start_ms // BIN_MS - 1, window.end_ms // BIN_MS + 2)
        least = [thinned.sent[window.port_index, each][2] for each in bins if (window.port_index, each) in thinned.sent]
        assert min(least) <= window.size_bytes * (1 + 1e-9) + 1


@given(DAYS, st.integers(0, 5), st.sets(st.integers(0, 29), max_size=5))
@example(ONE_RECORD, 0, set())
def test_the_largest_and_those_of_known_hosts_stay(sent: list[Sent], listed_flows: int, known: set[int]) -> None:
    believed = frozenset(map(hosts, known))
    thinned = without_flood(table(sent), THRESHOLD_BYTES, WINDOW_MS, DAY, RATES, lambda: believed, listed_flows)
    gone = set(range(len(sent))) - left(thinned.rows)
    assert not gone & known
    windows = {n: flow.window(n, WINDOW_MS) for n, flow in enumerate(sent) if flow.takes_part(n)}
    forged = {int(name) for name in implausible_flows(filter(None, windows.values()), THRESHOLD_BYTES, RATES)}
    assert gone <= forged
    sizes = {number: window.bytes for number, window in windows.items() if window is not None and number in forged}
    for number in gone:
        no_smaller = [each for each in forged - gone if sizes[each] >= sizes[number] - 1]
        assert len(no_smaller) >= listed_flows
