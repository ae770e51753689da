"""Readings of counters: stored by moment, the newest found by counter."""

import pytest

from sql import counter_readings
from sql.counter_readings import CounterReadingEntry
from sql.engine import open_database
from sql.errors import InvalidEntryError
from sql.session import reading, transaction


def entry(read_ms: int, counter: str, packets: int, router: str = "r1", interface: str = "") -> CounterReadingEntry:
    ends = ("198.18.10.0/24", "203.0.113.0/24")
    return CounterReadingEntry(router, read_ms, interface, counter, *ends, packets, 1_500 * packets)


def test_the_newest_reading_of_each_counter_is_found(database_url: str) -> None:
    database = open_database(database_url)
    rows = [entry(1, "a", 5), entry(1, "b", 0), entry(1, "a", 9, interface="xe-0/0/1")]
    later = [entry(2, "a", 0), entry(2, "c", 0)]
    with transaction(database) as session:
        counter_readings.add(session, rows)
        counter_readings.add(session, [entry(7, "a", 3, router="r2")])
        counter_readings.add(session, later)
    with reading(database) as session:
        assert counter_readings.newest(session, "r1") == (later[0], rows[1], later[1], rows[2])
        assert counter_readings.matched(session, "r1") == {("", "a"), ("xe-0/0/1", "a")}
        assert counter_readings.newest(session, "r3") == ()
        assert counter_readings.never_matched(session, "r1") == 1  # c: b is not in the newest reading, a has matched
        assert counter_readings.never_matched(session, "r2") == 0
        assert counter_readings.never_matched(session, "r3") is None
    database.dispose()


def test_readings_of_the_same_moment_or_an_earlier_one_are_refused(database_url: str) -> None:
    database = open_database(database_url)
    with transaction(database) as session:
        counter_readings.add(session, [entry(5, "a", 1)])
    for read_ms in (5, 4):
        with pytest.raises(InvalidEntryError, match="not after the newest reading"), transaction(database) as session:
            counter_readings.add(session, [entry(read_ms, "b", 1)])
    with pytest.raises(InvalidEntryError, match="2 routers or moments"), transaction(database) as session:
        counter_readings.add(session, [entry(6, "a", 1), entry(7, "a", 1)])
    with reading(database) as session:
        assert [each.counter for each in counter_readings.newest(session, "r1")] == ["a"]
    database.dispose()
