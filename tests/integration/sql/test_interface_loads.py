"""Measured loads: a day is replaced as a whole, and read by day and interface."""

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine

from hntes.sql import interface_loads
from hntes.sql.entries import InterfaceLoadEntry, LoadDayEntry
from hntes.sql.errors import InvalidEntryError
from hntes.sql.session import reading, transaction
from tests.support.entries import interface_load

DAY = date(2026, 3, 1)
NEXT = date(2026, 3, 2)
MEASURED = LoadDayEntry("r1", DAY, 1440, 12, "a" * 64, 3, 2**62)
SEVEN = interface_load(
    day=DAY, records=10**10, beta_bytes=2**62, alpha_bytes=2**61, beta_peak_wire_bytes=2**40, beta_peak_sd_bytes=None
)
UNKNOWN = replace(SEVEN, interface_index=0, beta_peak_ms=None, beta_peak_sd_bytes=9)


def test_a_day_is_replaced_as_a_whole_and_no_other_day_is_touched(store: Engine) -> None:
    later, kept = replace(MEASURED, day=NEXT), replace(SEVEN, day=NEXT)
    elsewhere, there = replace(MEASURED, router="r2"), replace(SEVEN, router="r2")
    with transaction(store) as session:
        interface_loads.replace_load(session, MEASURED, [SEVEN, UNKNOWN])
        interface_loads.replace_load(session, later, [kept])
        interface_loads.replace_load(session, elsewhere, [there])
        interface_loads.replace_load(session, replace(MEASURED, minutes=6), [UNKNOWN])
    with reading(store) as session:
        assert interface_loads.load_days(session, "r1", DAY, NEXT) == (replace(MEASURED, minutes=6), later)
        assert interface_loads.interface_loads(session, "r1", DAY, NEXT) == (UNKNOWN, kept)
        assert interface_loads.interface_loads(session, "r2", DAY, DAY) == (there,)
        assert interface_loads.load_days(session, "r2", NEXT, NEXT) == ()


def test_loads_come_by_day_and_interface(store: Engine) -> None:
    with transaction(store) as session:
        interface_loads.replace_load(session, replace(MEASURED, day=NEXT), [replace(SEVEN, day=NEXT)])
        interface_loads.replace_load(session, MEASURED, [SEVEN, UNKNOWN])
        found = interface_loads.interface_loads(session, "r1", DAY, NEXT)
    assert found == (UNKNOWN, SEVEN, replace(SEVEN, day=NEXT))


def test_a_quiet_day_is_measured_all_the_same(store: Engine) -> None:
    with transaction(store) as session:
        interface_loads.replace_load(session, MEASURED, [SEVEN])
        interface_loads.replace_load(session, replace(MEASURED, minutes=0), [])
        assert interface_loads.load_days(session, "r1", DAY, DAY) == (replace(MEASURED, minutes=0),)
        assert interface_loads.interface_loads(session, "r1", DAY, DAY) == ()


def test_forged_counters_that_add_up_to_more_than_a_column_holds_are_held_at_its_most(store: Engine) -> None:
    most = 2**63 - 1
    measured, load = (
        replace(MEASURED, repeated_bytes=2**64),
        replace(SEVEN, beta_bytes=2**64, beta_peak_wire_bytes=2**63),
    )
    with transaction(store) as session:
        interface_loads.replace_load(session, measured, [load])
    with reading(store) as session:
        assert interface_loads.load_days(session, "r1", DAY, DAY) == (replace(MEASURED, repeated_bytes=most),)
        (found,) = interface_loads.interface_loads(session, "r1", DAY, DAY)
    assert found == replace(SEVEN, beta_bytes=most, beta_peak_wire_bytes=most)


@pytest.mark.parametrize("foreign", [replace(SEVEN, router="r2"), replace(SEVEN, day=NEXT)])
def test_a_load_of_another_partition_is_refused(store: Engine, foreign: InterfaceLoadEntry) -> None:
    with transaction(store) as session, pytest.raises(InvalidEntryError, match="interface index 7"):
        interface_loads.replace_load(session, MEASURED, [foreign])
