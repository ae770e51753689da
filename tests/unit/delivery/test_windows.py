"""Delivery windows in Berlin, whose clocks go from 02:00 to 03:00 on 29 March 2026, and back from
03:00 on 25 October."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hntes.delivery.windows import closed, is_open, may_begin, next_opening
from hntes.settings.windows import Window

NIGHTS: dict[str, Any] = {"start": "22:00", "end": "04:00", "time_zone": "Europe/Berlin"}


def window(**changes: Any) -> Window:
    return Window.model_validate(NIGHTS | changes)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2026-11-23 20:59:59", False),  # Monday 21:59:59 in Berlin
        ("2026-11-23 21:00:00", True),
        ("2026-11-24 02:59:59", True),  # Tuesday 03:59:59: the window of Monday
        ("2026-11-24 03:00:00", False),
        ("2026-11-24 21:00:00", False),  # Tuesday has none of its own
    ],
)
def test_a_night_belongs_to_the_day_on_which_it_begins(moment: str, expected: bool) -> None:
    assert is_open(window(days=["mon"]), utc(moment)) is expected


def test_a_whole_day_ends_at_midnight() -> None:
    sunday = window(days=["sun"], start="00:00", end="24:00", time_zone="UTC")
    open_hours = [hour for hour in range(72) if is_open(sunday, utc(f"2026-11-{21 + hour // 24} {hour % 24:02}:30"))]
    assert open_hours == list(range(24, 48))


def test_days_that_touch_are_one_window() -> None:
    always = window(start="00:00", end="24:00", time_zone="UTC")
    assert may_begin([always], utc("2026-11-23 23:58"), 60)


def test_what_the_clocks_leave_out_in_spring_is_missing() -> None:
    night = window(start="02:15", end="02:45")
    assert not any(
        is_open(night, utc(f"2026-03-29 {hour:02}:{minute:02}")) for hour in range(4) for minute in range(60)
    )
    opening = next_opening([night], utc("2026-03-29 00:00"), 5)
    assert opening is not None
    assert opening.moment == utc("2026-03-30 00:15")


def test_a_window_that_begins_in_the_missing_hour_opens_after_it() -> None:
    opening = next_opening([window(start="02:30", end="05:00")], utc("2026-03-29 00:00"), 5)
    assert opening is not None
    assert (opening.moment, str(opening)) == (utc("2026-03-29 01:00"), "Sunday 2026-03-29 03:00 Europe/Berlin")


def test_what_the_clocks_show_twice_in_autumn_is_open_twice() -> None:
    night = window(start="02:15", end="02:45")
    minutes = [
        60 * hour + minute for hour in range(4) for minute in range(60)
        if is_open(night, utc(f"2026-10-25 {hour:02}:{minute:02}"))
    ]  # fmt: skip
    assert minutes == [*range(15, 45), *range(75, 105)]


def test_a_window_that_closes_too_soon_is_not_begun_in() -> None:
    assert may_begin([window()], utc("2026-11-24 02:55"), 5)
    assert not may_begin([window()], utc("2026-11-24 02:55:01"), 5)
    opening = next_opening([window()], utc("2026-11-24 02:55:01"), 5)
    assert opening is not None
    assert opening.moment == utc("2026-11-24 21:00")


def test_the_next_one_may_be_a_week_away() -> None:
    monday = window(days=["mon"], start="02:00", end="03:00", time_zone="America/New_York")
    said = closed([monday], utc("2026-11-23 08:00"), 5)
    assert said == "no window is open; the next one opens Monday 2026-11-30 02:00 America/New_York"
    assert closed([monday], utc("2026-11-23 07:30"), 5) == ""


def test_without_windows_a_delivery_may_begin_at_any_time() -> None:
    assert closed([], utc("2026-11-23 08:00"), 60) == ""
