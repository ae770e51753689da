"""Each rule of record times at its boundaries; wraps are made as a router of RFC 3954 makes them."""

from dataclasses import dataclass

import numpy as np
import pytest

from hntes.etl.ingest.times import Times, repair_times

WRAP = 2**32
NOON = 1_795_176_000_000  # 2026-11-20T12:00:00Z
HOUR, DAY = 3_600_000, 86_400_000
YEAR_2000 = 946_684_800_000
AHEAD = 300_000


def repair(
    *records: tuple[int, int, int], clock: str = "exporter", exporter: list[int] | None = None, ahead: int = AHEAD
) -> Times:
    first, last, received = (np.array(column, dtype=np.int64) for column in zip(*records, strict=True))
    return repair_times(
        first,
        last,
        received,
        max_clock_ahead_ms=ahead,
        clock=clock,
        exporter=None if exporter is None else np.array(exporter, dtype=np.int64),
    )


def verdict(times: Times, number: int = 0) -> str:
    """The one rule that decided on a record, "" for none; two that set it aside would be a defect."""
    aside = [name for name, hit in times.aside.items() if hit[number]]
    repaired = [name for name, hit in times.repairs.items() if hit[number]]
    assert len(aside) <= 1
    return aside[0] if aside else "+".join(repaired)


def span(times: Times, number: int = 0) -> tuple[int, int]:
    return int(times.first_ms[number]), int(times.last_ms[number])


@dataclass(frozen=True)
class Router:
    """A router that exports uptimes of 32 bits and the time of day, and a collector that works out the record times."""

    booted_ms: int

    def record(self, first_ms: int, last_ms: int, exported_ms: int) -> tuple[int, int, int]:
        uptimes = [(moment - self.booted_ms) % WRAP for moment in (first_ms, last_ms, exported_ms)]
        boot_as_collector_sees_it = exported_ms - uptimes[2]
        return boot_as_collector_sees_it + uptimes[0], boot_as_collector_sees_it + uptimes[1], exported_ms


@pytest.mark.parametrize("wraps", [0, 1, 7])
@pytest.mark.parametrize(
    ("first_s", "last_s", "exported_s", "repaired"),
    [
        (-50, -40, -30, False),  # all before the wrap
        (10, 20, 30, False),  # all after it
        (-50, 20, 30, True),  # the flow runs across it
        (-50, -40, 30, True),  # the report comes after it
        (-1800, -1, 0, True),
        (-1800, 0, 0, True),
        (-1, 1800, 1800, True),
        (0, 1, 1, False),
    ],
)
def test_a_wrapped_uptime_gives_back_the_true_times(
    wraps: int, first_s: int, last_s: int, exported_s: int, repaired: bool
) -> None:
    router = Router(NOON - WRAP * (wraps + 1))
    true_first, true_last, exported = (NOON + 1000 * second for second in (first_s, last_s, exported_s))
    times = repair(router.record(true_first, true_last, exported))
    assert span(times) == (true_first, true_last)
    assert verdict(times) == ("uptime_wrap" if repaired else "")


def test_a_wrap_is_undone_without_a_received_time_too() -> None:
    first, last, _ = Router(NOON - WRAP).record(NOON - 50_000, NOON + 20_000, NOON + 30_000)
    times = repair((first, last, 0))
    assert span(times) == (NOON - 50_000, NOON + 20_000)


def test_a_day_is_the_longest_that_a_wrap_is_believed_of() -> None:
    longest = repair((NOON - DAY + WRAP, NOON, NOON))
    assert (verdict(longest), span(longest)) == ("uptime_wrap", (NOON - DAY, NOON))
    assert verdict(repair((NOON - DAY - 1 + WRAP, NOON, NOON))) == "end_before_start"


def test_a_start_that_would_come_after_its_end_is_no_wrap() -> None:
    exactly = repair((NOON + WRAP, NOON, NOON))
    assert (verdict(exactly), span(exactly)) == ("uptime_wrap", (NOON, NOON))
    assert verdict(repair((NOON + WRAP + 1, NOON, NOON))) == "end_before_start"


def test_an_end_that_fits_the_collectors_clock_one_uptime_later_is_moved() -> None:
    times = repair((NOON - 60_000, NOON - WRAP, NOON + 1000))
    assert (verdict(times), span(times)) == ("uptime_wrap", (NOON - 60_000, NOON))


@pytest.mark.parametrize("field", [0, 1])
def test_times_before_2000_are_no_times(field: int) -> None:
    record = [YEAR_2000 + 1000, YEAR_2000 + 2000, NOON]
    assert verdict(repair(tuple(record))) == ""
    record[field] = YEAR_2000 - 1
    assert verdict(repair(tuple(record))) == "no_time"
    record[field] = 0
    assert verdict(repair(tuple(record))) == "no_time"


def test_the_first_moment_of_2000_is_a_time() -> None:
    assert verdict(repair((YEAR_2000, YEAR_2000, YEAR_2000))) == ""


def test_an_end_up_to_an_hour_before_its_start_is_swapped() -> None:
    times = repair((NOON, NOON - HOUR, NOON + 1000), (NOON, NOON - HOUR - 1, NOON + 1000), (NOON, NOON - 1, NOON))
    assert [verdict(times, number) for number in range(3)] == ["end_before_start"] * 3
    assert list(times.repairs["end_before_start"]) == [True, False, True]
    assert list(times.aside["end_before_start"]) == [False, True, False]
    assert span(times, 0) == (NOON - HOUR, NOON)
    assert span(times, 2) == (NOON - 1, NOON)


def test_an_instant_is_in_order() -> None:
    times = repair((NOON, NOON, NOON))
    assert (verdict(times), span(times)) == ("", (NOON, NOON))


def test_records_longer_than_the_arithmetic_can_hold_are_set_aside() -> None:
    assert verdict(repair((NOON - (2**31 - 1), NOON, NOON))) == ""
    assert verdict(repair((NOON - 2**31, NOON, NOON))) == "too_long"


@pytest.mark.parametrize("ahead", [0, 1, AHEAD])
def test_the_future_begins_after_the_allowed_lead(ahead: int) -> None:
    assert verdict(repair((NOON, NOON + ahead, NOON), ahead=ahead)) == ""
    assert verdict(repair((NOON, NOON + ahead + 1, NOON), ahead=ahead)) == "in_future"


def test_without_a_received_time_nothing_is_in_the_future_or_old() -> None:
    times = repair((NOON, NOON + 50 * DAY // 10, 0), (NOON, NOON + DAY, YEAR_2000 - 1))
    assert [verdict(times, number) for number in range(2)] == ["", ""]
    assert not times.days_old.any()


def test_a_record_a_day_late_is_noted_and_kept_as_it_is() -> None:
    times = repair((NOON - 2 * DAY, NOON - DAY, NOON), (NOON - 2 * DAY, NOON - DAY - 1, NOON))
    assert list(times.days_old) == [False, True]
    assert [verdict(times, number) for number in range(2)] == ["", ""]


def test_a_swapped_end_is_judged_by_its_true_end() -> None:
    assert verdict(repair((NOON + AHEAD + 1, NOON, NOON))) == "in_future"


@pytest.mark.parametrize("off", [-30 * DAY, -DAY - 1, -8 * HOUR, -HOUR - 1, 1, AHEAD + 1, 400 * DAY])
def test_a_wrong_clock_is_replaced_by_the_collectors_where_asked(off: int) -> None:
    """The exporter's clock is `off` from the collector's, its latest record came at once."""
    records = [(NOON - 9000 + off, NOON - 4000 + off, NOON), (NOON - 3000 + off, NOON + off, NOON)]
    times = repair(*records, clock="collector")
    assert [span(times, number) for number in range(2)] == [(NOON - 9000, NOON - 4000), (NOON - 3000, NOON)]
    assert times.repairs["clock_shift"].all()


@pytest.mark.parametrize("late", [0, 1, 15_000, HOUR])
def test_a_right_clock_is_left_alone_even_where_the_collectors_was_asked_for(late: int) -> None:
    times = repair((NOON - late - 3000, NOON - late, NOON), clock="collector")
    assert (verdict(times), span(times)) == ("", (NOON - late - 3000, NOON - late))


def test_each_exporter_has_a_clock_of_its_own() -> None:
    records = [(NOON - 2 * DAY, NOON - 2 * DAY, NOON), (NOON - 5000, NOON - 5000, NOON)]
    times = repair(*records, clock="collector", exporter=[7, 8])
    assert list(times.repairs["clock_shift"]) == [True, False]
    assert span(times, 0) == (NOON, NOON)
    assert span(times, 1) == (NOON - 5000, NOON - 5000)


def test_records_that_were_set_aside_have_no_say_in_the_clock() -> None:
    records = [(0, NOON, NOON), (NOON - 2 * DAY, NOON - 2 * DAY, NOON), (NOON, NOON - 2 * HOUR, NOON)]
    times = repair(*records, clock="collector")
    assert [verdict(times, number) for number in range(3)] == ["no_time", "clock_shift", "end_before_start"]
    assert span(times, 1) == (NOON, NOON)


def test_records_without_times_end_when_they_were_received_by_the_collectors_clock() -> None:
    records = [(0, 0, NOON), (1000, 61_000, NOON + 7), (0, 0, 0), (NOON - 2 * DAY, NOON - 2 * DAY, NOON)]
    times = repair(*records, clock="collector")
    told = [verdict(times, number) for number in range(4)]
    assert told == ["received_time", "received_time", "no_time", "clock_shift"]
    assert [span(times, number) for number in (0, 1, 3)] == [(NOON, NOON), (NOON + 7, NOON + 7), (NOON, NOON)]
    assert [verdict(repair(*records), number) for number in range(3)] == ["no_time"] * 3


def test_the_arrays_given_are_not_changed() -> None:
    first, last = np.array([NOON + WRAP]), np.array([NOON])
    repair_times(first, last, np.array([NOON]), max_clock_ahead_ms=AHEAD)
    assert (int(first[0]), int(last[0])) == (NOON + WRAP, NOON)


def test_no_records_are_no_trouble() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    times = repair_times(nothing, nothing, nothing, max_clock_ahead_ms=AHEAD, clock="collector")
    assert times.first_ms.size == 0
