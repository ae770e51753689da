"""Bytes between two readings of a counter: known, not known, or not believed."""

import pytest

from hntes.rules.counter_delta import MARGIN_S, CounterError, Reading, counted_bytes

GBPS = 10**9
MINUTE_MS = 60_000


def test_a_counter_that_went_on_says_the_difference() -> None:
    assert counted_bytes(Reading(0, 100), Reading(MINUTE_MS, 350), GBPS) == 250
    assert counted_bytes(Reading(0, 100), Reading(MINUTE_MS, 100), GBPS) == 0


def test_of_a_counter_that_went_back_it_is_not_known() -> None:
    assert counted_bytes(Reading(0, 100), Reading(MINUTE_MS, 99), GBPS) is None
    assert counted_bytes(Reading(0, 100), Reading(MINUTE_MS, 0), GBPS) is None


def test_more_than_the_interfaces_carry_is_refused() -> None:
    most = GBPS // 8 * (60 + MARGIN_S)
    assert counted_bytes(Reading(0, 0), Reading(MINUTE_MS, most), GBPS) == most
    with pytest.raises(CounterError, match=rf"{most + 1} bytes in 60 s are more"):
        counted_bytes(Reading(0, 0), Reading(MINUTE_MS, most + 1), GBPS)


@pytest.mark.parametrize("later_ms", [0, -1])
def test_a_clock_that_went_back_is_refused(later_ms: int) -> None:
    with pytest.raises(CounterError, match="not after the reading before"):
        counted_bytes(Reading(0, 100), Reading(later_ms, 200), GBPS)
