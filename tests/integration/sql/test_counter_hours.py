"""Octets of interfaces by their counters and by flows, as stored."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine

from hntes.sql import counter_hours
from hntes.sql.counter_hours import CounterDay, CounterHourEntry, flow_ratio
from hntes.sql.engine import open_database
from hntes.sql.rows import MOST
from hntes.sql.session import reading, transaction

DAY, BEFORE = date(2026, 11, 24), date(2026, 11, 23)
HOUR = CounterHourEntry("r1", DAY, 501, "in", 0, 1000, 900, 60, metered=True)
HOURS = (HOUR, replace(HOUR, hour=23, counter_octets=3000, flow_octets=3100, minutes=30),
         replace(HOUR, direction="out", counter_octets=8000, flow_octets=2000, metered=False))  # fmt: skip


@pytest.fixture
def store(database_url: str) -> Iterator[Engine]:
    engine = open_database(database_url)
    yield engine
    engine.dispose()


def put(store: Engine, day: date, *rows: CounterHourEntry) -> None:
    with transaction(store) as session:
        counter_hours.replace_hours(session, "r1", day, rows)


def test_hours_are_added_up_by_interface_and_direction(store: Engine) -> None:
    put(store, DAY, *HOURS)
    with reading(store) as session:
        assert counter_hours.counter_hours(session, "r1", DAY) == HOURS
        days = counter_hours.counter_days(session, "r1", DAY)
        assert counter_hours.counter_days(session, "r2", DAY) == ()
    assert days == (CounterDay("r1", DAY, 501, "in", 4000, 4000, 90, metered=True),
                    CounterDay("r1", DAY, 501, "out", 8000, 2000, 60, metered=False))  # fmt: skip
    assert [day.ratio for day in days] == [1.0, 0.25]
    assert (flow_ratio(days), flow_ratio(days[1:]), flow_ratio([])) == (1.0, 0.25, None)


def test_a_day_is_replaced_as_a_whole(store: Engine) -> None:
    put(store, DAY, *HOURS)
    put(store, BEFORE, replace(HOUR, day=BEFORE))
    put(store, DAY, replace(HOUR, counter_octets=2**70))
    with reading(store) as session:
        assert counter_hours.counter_hours(session, "r1", DAY) == (replace(HOUR, counter_octets=MOST),)
        assert len(counter_hours.counter_hours(session, "r1", BEFORE)) == 1
        assert counter_hours.metered_days(session, "r1", BEFORE, DAY) == {(501, "in"): 2}
        assert counter_hours.metered_days(session, "r1", DAY, DAY) == {(501, "in"): 1}
