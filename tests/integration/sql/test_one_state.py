"""Reads within one state are of one moment, whatever is written meanwhile."""

from datetime import date

from sqlalchemy import Engine

from hntes.sql import day_status
from hntes.sql.entries import DayEntry
from hntes.sql.session import one_state, reading, transaction

DAY = date(2026, 3, 1)
STATUS = DayEntry("r1", DAY, 86_400, 86_400, 288, 0, 7, True, "")


def seen(store: Engine) -> set[str]:
    with reading(store) as session:
        return set(day_status.newest_days(session))


def test_readings_within_it_see_the_same(store: Engine) -> None:
    with one_state(store):
        assert seen(store) == set()
        with transaction(store) as session:
            day_status.replace_day_status(session, STATUS)
        assert seen(store) == set()
    assert seen(store) == {"r1"}


def test_the_newest_day_of_each_router(store: Engine) -> None:
    later = DayEntry("r1", date(2026, 3, 4), 86_400, 0, 0, 0, 0, False, "no file")
    other = DayEntry("r2", DAY, 86_400, 86_400, 288, 0, 9, True, "")
    with transaction(store) as session:
        for entry in (later, STATUS, other):
            day_status.replace_day_status(session, entry)
    with reading(store) as session:
        assert day_status.newest_days(session) == {"r1": later, "r2": other}
