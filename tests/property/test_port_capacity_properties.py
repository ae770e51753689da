"""The port's capacity holds at every offset, by an oracle that tries every ten milliseconds."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.detect.peak_window import BIN_MS, PeakWindow
from hntes.etl.detect.port_capacity import capacity_bytes, implausible_flows

GB, PORT, RATE_BPS, STEP_MS = 10**9, 7, 10_000_000_000, 10
T_MS = 1_795_000_000_000
windows = st.lists(
    st.tuples(st.integers(0, 2000), st.integers(1, 6000), st.integers(1, 130 * GB)), min_size=1, max_size=6
)


def doubted_by_trial(flows: Sequence[PeakWindow]) -> tuple[set[str], bool]:
    """The flows that do not exceed the threshold outside of overfilled times, nor fit into the port with those that are
    no larger; and whether one of them is near a limit.
    """
    end = max(each.end_ms for each in flows) - T_MS
    count = end // STEP_MS + 1
    sent = np.zeros((len(flows), count))
    for row, each in zip(sent, flows, strict=True):
        begin, last = ((moment - T_MS) // STEP_MS for moment in (each.start_ms, each.end_ms))
        row[begin:last] = each.bytes / (last - begin)
    width = BIN_MS // STEP_MS
    total = np.concatenate([np.zeros(width), sent.sum(axis=0), np.zeros(width)])
    sums = np.convolve(total, np.ones(width), "valid")
    limit = capacity_bytes(RATE_BPS)
    is_near = bool((np.abs(sums - limit) < limit / 1e6).any())
    over = np.convolve((sums > limit).astype(float), np.ones(width), "full")[width : width + count] > 0
    left = sent[:, ~over].sum(axis=1)
    is_near |= bool((np.abs(left - GB) < GB / 1e3).any())
    size = [each.bytes * min(1.0, BIN_MS / (each.end_ms - each.start_ms)) for each in flows]
    found = set()
    for each, bytes_left, row, own in zip(flows, left, sent, size, strict=True):
        smaller = [other for other, of in zip(sent, size, strict=True) if of <= own]
        beside = np.convolve(np.concatenate([np.zeros(width), sum(smaller), np.zeros(width)]), np.ones(width), "valid")
        # the times that touch the flow: those that begin a bin before it, or as it ends, included
        steps = np.flatnonzero(row)
        touching = beside[steps[0] : steps[-1] + 1 + width + 1]
        is_near |= bool((np.abs(touching - limit) < limit / 1e6).any())
        if bytes_left <= GB and (touching > limit).any():
            found.add(each.flow_id)
    return found, is_near


@given(windows)
def test_no_offset_hides_what_a_port_cannot_carry(drawn: list[tuple[int, int, int]]) -> None:
    flows = [
        PeakWindow(str(number), PORT, T_MS + start * STEP_MS, T_MS + (start + length) * STEP_MS, size, 0)
        for number, (start, length, size) in enumerate(drawn)
        if size > GB
    ]
    if not flows:
        return
    expected, is_near = doubted_by_trial(flows)
    found = implausible_flows(flows, GB, {PORT: RATE_BPS})
    if not is_near:
        assert found == expected


@given(st.integers(0, 4999), st.integers(5001, 60_000))
def test_a_flow_of_twice_the_port_is_never_believed(offset_ms: int, length_ms: int) -> None:
    size = 2 * RATE_BPS // 8000 * length_ms
    forged = PeakWindow("forged", PORT, T_MS + offset_ms, T_MS + offset_ms + length_ms, size, 0)
    assert implausible_flows([forged], GB, {PORT: RATE_BPS}) == {"forged"}


@given(st.integers(0, 4999), st.lists(st.integers(1, 1000), min_size=1, max_size=50))
def test_ports_that_the_settings_do_not_name_are_one_of_the_whole_rate(offset_ms: int, indexes: list[int]) -> None:
    begin = T_MS + offset_ms
    forged = [
        PeakWindow(str(number), 1000 + index, begin, begin + 50_000, 4 * GB, 0) for number, index in enumerate(indexes)
    ]
    found = implausible_flows(forged, GB, {PORT: RATE_BPS}, whole_bps=2 * RATE_BPS)
    # 4 GB in 50 s are 0.64 Gbit/s: forty of them fit into 26 Gbit/s, the whole rate with the tolerance
    assert found == ({each.flow_id for each in forged} if len(forged) > 40 else frozenset())
