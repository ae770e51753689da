"""The offset of an exporter's clock is what most of its records say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.ingest.exporter_clock import Lags, clock_offset_ms

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


def offset(*lags_ms: int) -> int:
    return clock_offset_ms(np.array(lags_ms, np.int64))


@pytest.mark.parametrize(
    ("lags_ms", "expected"),
    [
        ((), 0),
        ((0,), 0),
        ((HOUR,), 0),
        ((HOUR + 1,), HOUR + 1),
        ((-1,), -1),
        ((DAY, DAY + HOUR), DAY),
        # no hour has more than half of them
        ((DAY, DAY + HOUR + 1), 0),
        ((DAY, 2 * DAY, 3 * DAY), 0),
        ((DAY, DAY, 0, 0), 0),
        ((DAY, DAY, DAY, 0, 0), DAY),
        # the minute with most of them counts before the hour
        ((-50 * MINUTE, 0, 5 * SECOND, 15 * SECOND, 20 * MINUTE), 0),
    ],
)
def test_more_than_half_must_agree(lags_ms: tuple[int, ...], expected: int) -> None:
    assert offset(*lags_ms) == expected


@pytest.mark.parametrize("forged_ms", [-30 * SECOND, -10 * MINUTE, -50 * MINUTE, -2 * DAY, 5 * DAY])
@pytest.mark.parametrize("skew_ms", [0, 3 * HOUR, -10 * MINUTE, 400 * DAY])
def test_one_record_of_many_moves_the_others_by_less_than_a_second(skew_ms: int, forged_ms: int) -> None:
    lags_ms = [skew_ms + 100 * number for number in range(200)]
    assert abs(offset(*lags_ms, skew_ms + forged_ms) - skew_ms) <= SECOND


@given(
    st.integers(-30 * DAY, 30 * DAY),
    st.lists(st.integers(0, MINUTE), min_size=1, max_size=30),
    st.lists(st.integers(-60 * DAY, 60 * DAY), max_size=29),
)
def test_less_than_half_never_move_the_others_by_more_than_a_minute(
    skew_ms: int, delays_ms: list[int], forged_ms: list[int]
) -> None:
    forged_ms = forged_ms[: len(delays_ms) - 1]
    found_ms = offset(*(skew_ms + delay_ms for delay_ms in delays_ms), *forged_ms)
    if found_ms:
        assert -MINUTE <= found_ms - skew_ms <= MINUTE
    else:
        assert -MINUTE <= skew_ms <= HOUR + MINUTE


@given(st.lists(st.integers(-3 * DAY, 3 * DAY), min_size=1, max_size=40), st.integers(0, 40))
def test_lags_of_blocks_are_those_of_the_file(lags_ms: list[int], cut: int) -> None:
    one, other = (Lags(np.array(some, np.int64)) for some in (lags_ms[:cut], lags_ms[cut:]))
    # asked between
    assert one.offset_ms == offset(*lags_ms[:cut])
    assert one.joined(other).offset_ms == offset(*lags_ms)
