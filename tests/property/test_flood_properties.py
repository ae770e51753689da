"""A flood that is thinned out by columns: what is left is judged as if nothing had been taken out."""

from dataclasses import dataclass

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from etl.detect.flood import LONGEST_MS, Hosts, without_flood
from etl.detect.port_capacity import BIN_MS, PeakWindow, implausible_flows
from etl.detect.window import Span

GB = 10**9
THRESHOLD_BYTES, WINDOW_MS = GB, 60_000
DAY = (1_000_000, 1_000_000 + 86_400_000)
# 0.8125 and 8.125 GB in a bin of five seconds, with the tolerance; port 3 has no rate
RATES = {1: 1_000_000_000, 2: 10_000_000_000}


@dataclass(frozen=True)
class Row:
    """A flow's only record, or the first of `records` equal ones."""

    port: int
    start_ms: int
    lasts_ms: int
    bytes: int
    packets: int
    factor: int
    records: int = 1

    @property
    def last_ms(self) -> int:
        return self.start_ms + self.lasts_ms

    def takes_part(self) -> bool:
        inside = self.start_ms > DAY[0] and self.last_ms <= DAY[1]
        short = self.lasts_ms <= min(WINDOW_MS, LONGEST_MS)
        return self.records == 1 and inside and short and self.bytes > THRESHOLD_BYTES and self.port in RATES

    def window(self, number: int) -> PeakWindow:
        variance = Span(self.start_ms, self.last_ms, self.bytes, self.packets, self.factor).variance(1, 1)
        sd_bytes = round((variance or 0.0) ** 0.5)
        return PeakWindow(f"{number}", self.port, self.start_ms, self.last_ms, self.bytes, sd_bytes)


ROWS = st.lists(
    st.builds(
        Row,
        port=st.sampled_from([1, 2, 2, 2, 3]),
        start_ms=st.one_of(
            st.integers(DAY[0] - 3000, DAY[0] + 30_000), st.integers(DAY[1] - 30_000, DAY[1]),
        ),
        lasts_ms=st.one_of(st.sampled_from([0, 1, BIN_MS, 10_000, LONGEST_MS, LONGEST_MS + 1]), st.integers(0, 70_000)),
        bytes=st.integers(THRESHOLD_BYTES - 1, 3 * GB),
        packets=st.sampled_from([0, 16_384, 1_638_400]),
        factor=st.sampled_from([0, 1, 1, 1, 16_384]),
        records=st.sampled_from([1, 1, 1, 1, 2]),
    ),
    max_size=40,
)  # fmt: skip


def hosts(number: int) -> Hosts:
    return 0, number, 0, 7


def table(rows: list[Row]) -> pa.Table:
    listed = [(number, row) for number, row in enumerate(rows) for _ in range(row.records)]
    return pa.table(
        {
            "ip_version": pa.array([4] * len(listed), pa.int8()),
            "src_hi": [0] * len(listed),
            "src_lo": [number for number, _ in listed],
            "dst_hi": [0] * len(listed),
            "dst_lo": [7] * len(listed),
            "key_src_port": [-1] * len(listed),
            "key_dst_port": [-1] * len(listed),
            "key_protocol": [-1] * len(listed),
            "start_ms": [row.start_ms for _, row in listed],
            "last_ms": [row.last_ms for _, row in listed],
            "bytes": [row.bytes for _, row in listed],
            "packets": [row.packets for _, row in listed],
            "sampling_factor": [row.factor for _, row in listed],
            "output_interface": [row.port for _, row in listed],
        }
    )


def left(rows: pa.Table) -> set[int]:
    return set(rows.column("src_lo").to_pylist())


@given(ROWS, st.integers(0, 5), st.sets(st.integers(0, 39), max_size=5))
def test_what_is_left_is_judged_as_if_all_were(rows: list[Row], listed_flows: int, known: set[int]) -> None:
    believed = frozenset(map(hosts, known))
    thinned = without_flood(table(rows), THRESHOLD_BYTES, WINDOW_MS, DAY, RATES, lambda: believed, listed_flows)
    here = left(thinned.rows)
    gone = set(range(len(rows))) - here
    assert len(gone) == thinned.unlisted_flows
    assert thinned.rows.num_rows == sum(rows[number].records for number in here)
    # records of one flow stay together, and flows of several records say nothing about others here
    windows = {number: row.window(number) for number, row in enumerate(rows) if row.records == 1}
    implausible = implausible_flows(windows.values(), THRESHOLD_BYTES, RATES)
    of_rest = [window for number, window in windows.items() if number in here]
    assert implausible_flows(of_rest, THRESHOLD_BYTES, RATES, thinned.sent) == implausible & set(map(str, here))
    assert set(map(str, gone)) <= implausible


@given(ROWS, st.integers(0, 5), st.sets(st.integers(0, 39), max_size=5))
def test_the_largest_and_those_of_known_hosts_stay(rows: list[Row], listed_flows: int, known: set[int]) -> None:
    believed = frozenset(map(hosts, known))
    thinned = without_flood(table(rows), THRESHOLD_BYTES, WINDOW_MS, DAY, RATES, lambda: believed, listed_flows)
    gone = set(range(len(rows))) - left(thinned.rows)
    assert not gone & known
    windows = [row.window(number) for number, row in enumerate(rows) if row.takes_part()]
    forged = {int(name) for name in implausible_flows(windows, THRESHOLD_BYTES, RATES)}
    largest = sorted(forged, key=lambda number: (-rows[number].bytes, number))[:listed_flows]
    assert gone == forged - set(largest) - known
