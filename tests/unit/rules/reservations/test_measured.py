"""Rates of flows over time: the bytes of all bins are those of the flows inside, and a flow's rate is its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.reservations.measured import Carried, binned_bps, mean_bps

BIN_S, COUNT = 900, 96
FLOWS = st.builds(
    lambda start, length, carried: Carried(start, start + length, carried),
    st.integers(0, 86_400_000 - 1), st.integers(0, 3_600_000), st.integers(0, 10**13),
)  # fmt: skip


@given(st.lists(FLOWS, max_size=8))
def test_the_bins_hold_the_bytes_of_the_day(flows: list[Carried]) -> None:
    bytes_in_bins = sum(rate * BIN_S / 8 for rate in binned_bps(flows, 0, BIN_S, COUNT))
    # of a flow that lasts beyond the day the part inside, by its share of time
    inside = sum(
        each.carried_bytes * min(1.0, (86_400_000 - each.start_ms) / (each.end_ms - each.start_ms))
        if each.end_ms > each.start_ms
        else each.carried_bytes
        for each in flows
    )
    assert bytes_in_bins == pytest.approx(inside, rel=1e-9, abs=1e-3)
    assert mean_bps(flows, 0, 86_400) * 86_400 / 8 == pytest.approx(inside, rel=1e-9, abs=1e-3)


def test_a_steady_flow_has_its_rate_in_each_bin() -> None:
    # half an hour from 0:10 on with 1 Gb/s
    flow = Carried(600_000, 2_400_000, 225 * 10**9)
    assert binned_bps([flow], 0, BIN_S, 4) == pytest.approx([1e9 / 3, 1e9, 2e9 / 3, 0])
    assert mean_bps([flow], 600, 2400) == pytest.approx(1e9)
    assert mean_bps([flow], 0, 600) == 0
