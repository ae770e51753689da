"""Pins and exclusions: what is accepted, when they hold, and how they end."""

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine

from hntes.sql import overrides
from hntes.sql.entries import ExclusionEntry, PinEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.session import Session, transaction

PIN = PinEntry("r1", "198.18.10.0/24", "203.0.113.0/24", "alice", "ticket 42", date(2026, 3, 1), date(2026, 3, 31))
EXCLUSION = ExclusionEntry(
    "*", "source", "198.18.0.0/16", "bob", "measurement", date(2026, 3, 1), date(2026, 3, 31)
)  # fmt: skip


def pins_on(session: Session, router: str, day: date) -> tuple[PinEntry, ...]:
    return tuple(pin for pin in overrides.pins(session, router) if pin.active_on(day))


def exclusions_on(session: Session, router: str, day: date) -> tuple[ExclusionEntry, ...]:
    return tuple(exclusion for exclusion in overrides.exclusions(session, router) if exclusion.active_on(day))


def test_a_pin_holds_from_its_first_day_through_its_expiry(store: Engine) -> None:
    with transaction(store) as session:
        assert overrides.add_pin(session, PIN) == PIN
        holding = [d for d in (27, 28) if pins_on(session, "r1", date(2026, 2, d))]
        holding += [d for d in (1, 15, 31) if pins_on(session, "r1", date(2026, 3, d))]
        assert holding == [1, 15, 31]
        assert pins_on(session, "r1", date(2026, 4, 1)) == ()
        assert pins_on(session, "r2", date(2026, 3, 1)) == ()


def test_a_withdrawn_pin_holds_until_the_day_before(store: Engine) -> None:
    with transaction(store) as session:
        overrides.add_pin(session, PIN)
        withdrawn = overrides.withdraw_pin(session, "r1", PIN.source, PIN.destination, date(2026, 3, 10))
        assert withdrawn == (replace(PIN, withdrawn_day=date(2026, 3, 10)),)
        assert pins_on(session, "r1", date(2026, 3, 9)) == withdrawn
        assert pins_on(session, "r1", date(2026, 3, 10)) == ()


def test_a_pin_can_be_withdrawn_on_its_last_day_and_before_its_first(store: Engine) -> None:
    with transaction(store) as session:
        overrides.add_pin(session, PIN)
        assert overrides.withdraw_pin(session, "r1", PIN.source, PIN.destination, date(2026, 3, 31))
        overrides.add_pin(session, PIN)
        assert overrides.withdraw_pin(session, "r1", PIN.source, PIN.destination, date(2026, 2, 1))
        assert pins_on(session, "r1", date(2026, 3, 1)) == ()


def test_pinning_again_keeps_the_earlier_period(store: Engine) -> None:
    again = replace(PIN, from_day=date(2026, 3, 20), expires_day=None)
    with transaction(store) as session:
        overrides.add_pin(session, PIN)
        overrides.withdraw_pin(session, "r1", PIN.source, PIN.destination, date(2026, 3, 10))
        overrides.add_pin(session, again)
        assert len(overrides.pins(session, "r1")) == 2
        assert pins_on(session, "r1", date(2026, 3, 5))
        assert pins_on(session, "r1", date(2026, 3, 15)) == ()
        assert pins_on(session, "r1", date(2026, 6, 1)) == (again,)


def test_the_same_pin_twice_is_one(store: Engine) -> None:
    with transaction(store) as session:
        overrides.add_pin(session, PIN)
        overrides.add_pin(session, replace(PIN, reason="another"))
        assert overrides.pins(session) == (replace(PIN, reason="another"),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "198.18.10.7/24"}, "host bits"),
        ({"source": "2001:db8::%a/64", "destination": "2001:db8:1::/64"}, "names a zone"),
        ({"destination": "2001:db8::/64"}, "address families"),
        ({"owner": " "}, "owner and reason"),
        ({"reason": ""}, "owner and reason"),
        ({"expires_day": date(2026, 2, 1)}, "before its first day"),
    ],
)
def test_unusable_pins_are_refused(store: Engine, change: dict[str, object], message: str) -> None:
    with transaction(store) as session:
        with pytest.raises(InvalidEntryError, match=message):
            overrides.add_pin(session, replace(PIN, **change))
        assert overrides.pins(session) == ()


def test_prefixes_are_written_in_one_form(store: Engine) -> None:
    long = replace(PIN, source="2001:0DB8:0:0::/64", destination="2001:db8:1:0:0:0:0:0/64")
    with transaction(store) as session:
        written = overrides.add_pin(session, long)
        assert (written.source, written.destination) == ("2001:db8::/64", "2001:db8:1::/64")
        overrides.withdraw_pin(session, "r1", "2001:db8:0::/64", "2001:db8:1::/64", date(2026, 3, 2))
        exclusion = overrides.add_exclusion(session, replace(EXCLUSION, prefix="2001:DB8::0/64"))
        assert exclusion.prefix == "2001:db8::/64"


def test_withdrawing_what_is_not_there_says_so(store: Engine) -> None:
    with transaction(store) as session:
        overrides.add_pin(session, PIN)
        overrides.add_exclusion(session, EXCLUSION)
        with pytest.raises(UnknownEntryError, match="r2 has no such pin"):
            overrides.withdraw_pin(session, "r2", PIN.source, PIN.destination, date(2026, 3, 2))
        with pytest.raises(UnknownEntryError, match="list the exclusions"):
            overrides.withdraw_exclusion(session, "*", "either", EXCLUSION.prefix, date(2026, 3, 2))
        with pytest.raises(UnknownEntryError):
            overrides.withdraw_pin(session, "r1", PIN.source, PIN.destination, date(2026, 4, 1))


def test_exclusions_of_a_router_include_those_of_all(store: Engine) -> None:
    own, foreign = replace(EXCLUSION, scope_router="r1"), replace(EXCLUSION, scope_router="r2")
    with transaction(store) as session:
        for exclusion in (own, foreign, EXCLUSION):
            overrides.add_exclusion(session, exclusion)
        assert overrides.exclusions(session, "r1") == (EXCLUSION, own)
        assert overrides.exclusions(session) == (EXCLUSION, own, foreign)
        assert exclusions_on(session, "r1", date(2026, 4, 1)) == ()
        withdrawn = overrides.withdraw_exclusion(session, "*", "source", "198.18.0.0/16", date(2026, 3, 5))
        assert withdrawn == (replace(EXCLUSION, withdrawn_day=date(2026, 3, 5)),)
        assert exclusions_on(session, "r1", date(2026, 3, 5)) == (own,)
        assert exclusions_on(session, "r1", date(2026, 3, 4)) == (*withdrawn, own)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": "both"}, "use source, destination or either"),
        ({"prefix": "everything"}, "not a prefix"),
        ({"owner": ""}, "owner and reason"),
        ({"expires_day": date(2026, 2, 28)}, "before its first day"),
    ],
)
def test_unusable_exclusions_are_refused(store: Engine, change: dict[str, object], message: str) -> None:
    with transaction(store) as session, pytest.raises(InvalidEntryError, match=message):
        overrides.add_exclusion(session, replace(EXCLUSION, **change))
