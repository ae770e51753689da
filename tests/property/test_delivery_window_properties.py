"""Windows against minutes of a week counted by hand, in a zone whose clocks are never changed."""

from datetime import UTC, datetime, timedelta

from hypothesis import assume, given
from hypothesis import strategies as st

from hntes.delivery.windows import is_open, may_begin, next_opening
from hntes.settings.windows import WEEKDAYS, Window

WEEK = 7 * 24 * 60
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)


@st.composite
def windows(draw: st.DrawFn, least_days: int = 1) -> tuple[Window, frozenset[int]]:
    """A window and the minutes of the week in which it is open."""
    days = draw(st.sets(st.sampled_from(range(7)), min_size=least_days))
    begins = draw(st.integers(0, 24 * 60 - 1))
    length = draw(st.integers(1, 24 * 60))
    ends = begins + length
    assume(ends % 1440 != begins)  # a whole day is written 00:00 to 24:00
    shown = "24:00" if ends == 24 * 60 else f"{ends % 1440 // 60:02}:{ends % 60:02}"
    window = Window.model_validate(
        {"days": [WEEKDAYS[day] for day in sorted(days)], "start": f"{begins // 60:02}:{begins % 60:02}",
         "end": shown, "time_zone": "UTC"}
    )  # fmt: skip
    return window, frozenset((1440 * day + begins + number) % WEEK for day in days for number in range(length))


@given(windows(), st.integers(0, WEEK - 1), st.integers(0, 59))
def test_a_window_is_open_in_its_minutes_alone(drawn: tuple[Window, frozenset[int]], minute: int, second: int) -> None:
    window, minutes = drawn
    assert is_open(window, MONDAY + timedelta(minutes=minute, seconds=second)) is (minute in minutes)


# with some days in the week, so that not every example looks through a week
@given(windows(least_days=4), st.integers(0, WEEK - 1), st.integers(1, 30))
def test_the_next_opening_is_the_first_that_is_long_enough(
    drawn: tuple[Window, frozenset[int]], minute: int, needed: int
) -> None:
    window, minutes = drawn
    first = next(
        (begin for begin in range(minute, minute + WEEK) if all((begin + n) % WEEK in minutes for n in range(needed))),
        None,
    )
    found = next_opening([window], MONDAY + timedelta(minutes=minute), needed)
    assert (found.moment if found else None) == (MONDAY + timedelta(minutes=first) if first is not None else None)
    assert found is None or may_begin([window], found.moment, needed)
