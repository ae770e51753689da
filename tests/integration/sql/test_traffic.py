"""What the router page draws: load profiles, queued bytes by day, and the rules that age out soon."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from hntes.sql import ageing_rules, interface_loads, load_profiles, queued_days
from hntes.sql.ageing_rules import AgeingDay, AgeingRule
from hntes.sql.entries import LoadDayEntry
from hntes.sql.load_profiles import BINS, LoadProfile
from hntes.sql.queued_days import QueuedDay, QueuedSum
from hntes.sql.session import reading, transaction

DAY = date(2026, 3, 1)
NEXT = DAY + timedelta(days=1)
MEASURED = LoadDayEntry("r1", DAY, 1440, 12, "a" * 64, 0, 0)
PROFILE = LoadProfile("r1", DAY, 7, tuple(range(BINS)), (0,) * (BINS - 1) + (2**63 - 1,), (2**62, *range(1, BINS)))
RULE = AgeingRule("r1", "198.18.1.0/24", "203.0.113.0/24", 3, DAY, 5, 4 * 10**9)


def test_a_profile_is_read_as_it_was_written(store: Engine) -> None:
    with transaction(store) as session:
        interface_loads.replace_load(session, MEASURED, [])
        load_profiles.replace_profiles(session, "r1", DAY, [PROFILE, replace(PROFILE, interface_index=2)])
    with reading(store) as session:
        assert load_profiles.load_profiles(session, "r1", DAY) == (replace(PROFILE, interface_index=2), PROFILE)
        assert load_profiles.load_profiles(session, "r1", NEXT) == ()
        assert load_profiles.load_profiles(session, "r2", DAY) == ()


def test_forged_counters_are_as_large_as_a_column_holds(store: Engine) -> None:
    with transaction(store) as session:
        interface_loads.replace_load(session, MEASURED, [])
        load_profiles.replace_profiles(session, "r1", DAY, [replace(PROFILE, new_bytes=(2**70,) * BINS)])
        found = load_profiles.load_profiles(session, "r1", DAY)
    assert found[0].new_bytes == (2**63 - 1,) * BINS


def test_a_day_that_is_measured_again_loses_its_profiles(store: Engine) -> None:
    with transaction(store) as session:
        interface_loads.replace_load(session, MEASURED, [])
        load_profiles.replace_profiles(session, "r1", DAY, [PROFILE])
        interface_loads.replace_load(session, replace(MEASURED, minutes=0), [])
        assert load_profiles.load_profiles(session, "r1", DAY) == ()


def test_a_profile_needs_a_measured_day(store: Engine) -> None:
    with pytest.raises(IntegrityError), transaction(store) as session:
        load_profiles.replace_profiles(session, "r1", NEXT, [replace(PROFILE, day=NEXT)])


def test_queued_bytes_are_replaced_by_day(store: Engine) -> None:
    first, later = QueuedDay("r1", DAY, 10, 2**62, 7), QueuedDay("r1", NEXT, 11, 5, 5)
    with transaction(store) as session:
        for each in (later, first, replace(first, router="r2"), replace(first, queued_bytes=9)):
            queued_days.replace_queued_day(session, each)
        assert queued_days.queued_days(session, "r1", DAY, NEXT) == (replace(first, queued_bytes=9), later)
        assert queued_days.queued_days(session, "r1", NEXT, NEXT) == (later,)
        queued_days.replace_queued_day(session, replace(later, alpha_bytes=2**70))
        assert queued_days.queued_days(session, "r1", NEXT, NEXT)[0].alpha_bytes == 2**63 - 1


def test_queued_bytes_are_summed_over_the_named_routers(store: Engine) -> None:
    first = QueuedDay("r1", DAY, 10, 2**62, 7)
    days = (first, replace(first, router="r2"), replace(first, router="r1-before"), replace(first, day=NEXT))
    with transaction(store) as session:
        for each in days:
            queued_days.replace_queued_day(session, each)
        assert queued_days.queued_sums(session, ("r1", "r2", "r3"), DAY, NEXT) == (
            QueuedSum(DAY, 2, 2**63, 14), QueuedSum(NEXT, 1, 2**62, 7),
        )  # fmt: skip
        assert queued_days.queued_sums(session, (), DAY, NEXT) == ()


def test_the_newest_ageing_stays_and_the_next_to_go_come_first(store: Engine) -> None:
    soon = replace(RULE, source="198.18.2.0/24", days_left=1, alpha_bytes=1)
    larger = replace(RULE, source="198.18.3.0/24", alpha_bytes=2**62)
    with transaction(store) as session:
        ageing_rules.replace_ageing(session, "r2", DAY, [replace(RULE, router="r2")])
        ageing_rules.replace_ageing(session, "r1", NEXT, [RULE, soon, larger])
        # an earlier day that runs once more is not what is due now
        ageing_rules.replace_ageing(session, "r1", DAY, [])
    with reading(store) as session:
        assert ageing_rules.ageing_rules(session, "r1", 9) == (soon, larger, RULE)
        assert ageing_rules.ageing_rules(session, "r1", 2) == (soon, larger)
        sums = ageing_rules.ageing_days(session, "r1")
        assert ageing_rules.ageing_days(session, "r3") == ()
    assert [each.days_left for each in sums] == list(range(1, 8))
    assert sums[0] == AgeingDay("r1", 1, NEXT, 1, 1)
    assert sums[2] == AgeingDay("r1", 3, NEXT, 2, 2**62 + 4 * 10**9)
    with transaction(store) as session:
        ageing_rules.replace_ageing(session, "r1", NEXT, [])
        assert ageing_rules.ageing_rules(session, "r1", 9) == ()
        assert {each.rules for each in ageing_rules.ageing_days(session, "r1")} == {0}
