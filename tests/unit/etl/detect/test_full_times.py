"""Records by the times at which a flow is above the threshold, compared with windows at every moment."""

from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.detect.full_times import by_full_times
from hntes.etl.detect.metering import Metered

WINDOW_MS, THRESHOLD, BOUNDS = 10, 100, (0, 80)


def metered(start_ms: int, lasts_ms: int, byte_count: int) -> Metered:
    values = dict.fromkeys(Metered._fields, 0)
    times = {"first_ms": start_ms, "start_ms": start_ms, "last_ms": start_ms + lasts_ms}
    return Metered(**{**values, **times, "bytes": byte_count})


def most(records: list[Metered]) -> float:
    """The most bytes in any window of whole milliseconds that ends within the bounds."""
    return max(
        sum(
            one.bytes
            * max(min(end, max(one.last_ms, one.start_ms + 1)) - max(end - WINDOW_MS, one.start_ms), 0)
            / max(one.last_ms - one.start_ms, 1)
            for one in records
        )
        for end in range(BOUNDS[0] + 1, BOUNDS[1] + 1)
    )


RECORDS = st.lists(
    st.builds(metered, st.integers(0, 60), st.integers(0, 9), st.integers(1, 200)), min_size=1, max_size=12
)


@given(RECORDS)
def test_each_record_is_in_one_part_and_times_are_apart(records: list[Metered]) -> None:
    parts, others = by_full_times(records, WINDOW_MS, THRESHOLD, BOUNDS)
    assert sorted([*others, *(record for part in parts for record in part)]) == sorted(records)
    assert all(parts)
    assert bool(parts) == (most(records) > THRESHOLD)


@given(RECORDS)
def test_the_fullest_time_is_whole(records: list[Metered]) -> None:
    parts, others = by_full_times(records, WINDOW_MS, THRESHOLD, BOUNDS)
    if parts:
        assert most(parts[0]) == most(records)
        assert most([*others, *(record for part in parts[1:] for record in part)]) <= most(records)


def test_what_lies_apart_from_the_fullest_time_is_a_time_of_its_own() -> None:
    records = [metered(0, 5, 150), metered(40, 5, 300), metered(20, 5, 90)]
    assert by_full_times(records, WINDOW_MS, THRESHOLD, BOUNDS) == ([[records[1]], [records[0]]], [records[2]])
