"""Readings of counters: stored by moment, the newest found by counter."""

import pytest

from hntes.sql import counter_readings
from hntes.sql.counter_readings import CounterReadingEntry, CountersInUse
from hntes.sql.engine import open_database
from hntes.sql.errors import InvalidEntryError
from hntes.sql.session import reading, transaction


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
        assert counter_readings.newest(session, "r3") == ()
        known = {(each.interface, each.counter): each for each in counter_readings.known_counters(session, "r1")}
        (unused,) = counter_readings.never_matched(session, "r1")
        assert unused.counter == "c"  # b is not in the newest reading, a has matched
        assert counter_readings.never_matched(session, "r2") == ()
        assert counter_readings.never_matched(session, "r3") == ()
        assert counter_readings.counters_in_use(session) == {
            "r1": CountersInUse("r1", counters=2, never_matched=1, unused_since_ms=2, read_ms=2),
            "r2": CountersInUse("r2", counters=1, never_matched=0, unused_since_ms=None, read_ms=7),
        }
    spans = {key: (each.first_read_ms, each.last_read_ms, each.first_matched_ms) for key, each in known.items()}
    assert spans == {
        ("", "a"): (1, 2, 1), ("", "b"): (1, 1, None), ("", "c"): (2, 2, None), ("xe-0/0/1", "a"): (1, 1, 1),
    }  # fmt: skip
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


def test_the_newest_readings_are_found_without_reading_those_of_years(database_url: str) -> None:
    """A pair's rule is known by rows of which there are as many as counters, not as readings."""
    database = open_database(database_url)
    for read_ms in range(1, 30):
        with transaction(database) as session:
            counter_readings.add(session, [entry(read_ms, name, int(name == "a" and read_ms > 9)) for name in "ab"])
    with reading(database) as session:
        assert [each.read_ms for each in counter_readings.newest(session, "r1")] == [29, 29]
        known = counter_readings.counters_of_pair(session, "r1", "198.18.10.0/24", "203.0.113.0/24")
        assert [(each.counter, each.first_read_ms, each.first_matched_ms) for each in known] == [
            ("a", 1, 10), ("b", 1, None),
        ]  # fmt: skip
        assert counter_readings.counters_of_pair(session, "r1", "198.18.10.0/24", "203.0.114.0/24") == ()
    database.dispose()
