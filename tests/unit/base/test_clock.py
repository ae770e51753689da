"""The present day follows from the present moment, and only some days can be meant."""

from datetime import date

import pytest

from hntes import clock
from hntes.days import FIRST_DAY, LAST_DAY, day_problem
from hntes.format import minute


def test_a_day_begins_at_midnight_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_132_799_999)
    assert clock.today() == date(2026, 11, 19)
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_132_800_000)
    assert clock.today() == date(2026, 11, 20)


def test_days_that_no_arithmetic_survives_cannot_be_meant() -> None:
    assert [day_problem(day) for day in (FIRST_DAY, LAST_DAY)] == [None, None]
    for day in (date.min, date(1999, 12, 31), date(2200, 1, 1), date.max):
        assert day_problem(day) == f"{day} is out of range (2000-01-01 to 2199-12-31)"


def test_the_end_of_the_calendar_is_a_moment_too() -> None:
    assert minute(253_402_300_799_999) == "9999-12-31 23:59"
    assert minute(253_402_300_800_000) == "after 9999"
