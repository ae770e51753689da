"""Each invariant of worlds finds the defect that it is for: one that was put in on purpose."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hntes.settings.model import Router
from hntes.sql import overrides
from hntes.sql.change import Change
from hntes.sql.entries import PinEntry
from hntes.sql.session import Session
from hntes.workflow import router_state
from hntes.workflow.context import Context
from hntes.workflow.delivery import authority
from tests.support.world import bookings
from tests.support.world.broken import BrokenError
from tests.support.world.campaign import of
from tests.support.world.history import Event, History
from tests.support.world.invariants import Invariants
from tests.support.world.ledger import Booking, pairs_in
from tests.support.world.people import People
from tests.support.world.site import AGEING_DAYS, site
from tests.support.world.traffic import TRANSFERS

# Long enough for a pair without a flow to age out.
NIGHTS = AGEING_DAYS + 3


@contextmanager
def people_at(folder: Path, *, reserves: bool = False) -> Iterator[tuple[People, Invariants]]:
    """A router whose first night is approved and delivered."""
    with site(folder, ("junos",), reserves=reserves) as made:
        people = People(3, made)
        invariants = Invariants(people)
        people.set_clock(0, 1)
        people.traffic(0, {})
        assert people.night(0).word == "done"
        people.approve(made.places[0], "anna")
        invariants.hold()
        yield people, invariants


def test_a_text_that_the_gate_has_not_passed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority, "_unlike_judged", lambda *_: iter(()))
    with people_at(tmp_path / "site") as (people, invariants):
        with closing(sqlite3.connect(people.site.database)) as database:
            database.execute("UPDATE gate_verdict SET outcome = 'failed' WHERE criterion = 'reach'")
            database.commit()
        assert people.deliver(people.site.places[0]).word == "done"
        with pytest.raises(BrokenError, match="what arrives has passed the gate"):
            invariants.hold()


def test_a_pin_that_is_not_heard_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with people_at(tmp_path / "site") as (people, invariants):
        for pair in TRANSFERS:
            people.pin(people.site.places[0], pair, "anna")
        monkeypatch.setattr(overrides, "pins", lambda *_: ())
        people.set_clock(1, 1)
        people.traffic(1, {})
        assert people.night(1).word == "done"
        with pytest.raises(BrokenError, match="a pinned pair stays"):
            invariants.hold()


def test_a_pin_that_does_not_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pairs that have no flow yet, or none any more."""
    pins, ends = (tuple(Event(0, act, seed=seed) for seed in range(30)) for act in ("pin", "unpin"))
    nights = tuple(Event(number, "night") for number in range(NIGHTS))
    history = History(3, ("junos",), 1, (nights[0], *pins, *ends, *nights[1:]))
    assert of(history).broken is None
    monkeypatch.setattr(overrides, "_put_pin", _never_ends(overrides._put_pin))
    world = of(history)
    assert world.broken is not None
    assert world.broken.name == "what has ended leaves"


def _never_ends(put: Callable[..., None]) -> Callable[..., None]:
    """A defect: the day from which a pin was withdrawn is not stored."""

    def stored(session: Session, pin: PinEntry) -> None:
        if pin.withdrawn_day is None:
            put(session, pin)

    return stored


@contextmanager
def reserved_at(folder: Path, *, grants: bool = False) -> Iterator[tuple[People, Invariants, Booking]]:
    """A router that runs its rules, and a reservation that a night has proposed; with a quota, it has approved it."""
    with people_at(folder, reserves=True) as (people, invariants):
        place = people.site.places[0]
        assert people.deliver(place).word == "done"
        asked = bookings.book(people, place, Random(5), "anna")
        assert asked.result.refusal is None
        (booking,) = people.ledger.bookings
        people.set_clock(1, 1)
        if grants:
            assert bookings.grant(people, place, Random(4), ("otto",)).word == "done"
            (given,) = people.ledger.quotas
            assert given.end_s >= booking.end_s
        people.traffic(1, {})
        assert people.night(1).word == "done"
        invariants.hold()
        yield people, invariants, booking


def start(people: People, booking: Booking) -> str:
    """What becomes of the delivery at which a reservation starts."""
    people.site.machine.now_ms = booking.start_s * 1000 + 1
    return str(bookings.deliver_due(people, people.site.places[0]).result.outcome)


def test_a_reservation_that_does_not_end_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with reserved_at(tmp_path / "site") as (people, invariants, booking):
        place = people.site.places[0]
        bookings.approve_texts(people, place, ("otto",))
        assert start(people, booking) == "done"
        invariants.hold()
        invariants.ended_are_gone(place)
        people.set_clock(2, 1)
        people.traffic(2, {})
        assert people.night(2).word == "done"
        people.site.machine.now_ms = booking.end_s * 1000
        monkeypatch.setattr(router_state, "_due", _never_over)
        assert bookings.deliver_due(people, place).result.outcome == "held"
        with pytest.raises(BrokenError, match="what has ended leaves"):
            invariants.ended_are_gone(place)
        monkeypatch.undo()
        assert bookings.deliver_due(people, place).result.outcome == "done"
        invariants.hold()
        invariants.ended_are_gone(place)


def _never_over(context: Context, router: Router, rules: Change, scheduled: tuple[Change, ...]) -> Change:  # noqa: ARG001
    """A defect: the first text of the calendar stays due."""
    return next((each for each in scheduled if each.state == "approved"), rules)


def test_a_reservation_without_an_approval_or_a_quota_is_found(tmp_path: Path) -> None:
    with reserved_at(tmp_path / "site", grants=True) as (people, invariants, booking):
        assert start(people, booking) == "done"
        (given,) = people.ledger.quotas
        people.ledger.quotas[:] = [replace(given, router="r2"), replace(given, rate_bps=given.rate_bps // 2 - 1)]
        with pytest.raises(BrokenError, match="no quota allows what is reserved there"):
            invariants.hold()


def test_a_quota_is_enough_for_what_is_reserved_and_for_nothing_else(tmp_path: Path) -> None:
    with reserved_at(tmp_path / "site", grants=True) as (people, invariants, booking):
        place, ledger = people.site.places[0], people.ledger
        was = place.for_good()
        assert start(people, booking) == "done"
        now, given = place.for_good(), list(ledger.approvals[place.name])
        assert pairs_in(now) - pairs_in(was) == {booking.pair}
        invariants.hold()
        for rules in (given[0].before_rules, replace(given[0].rules, statements=given[0].rules.statements[1:])):
            ledger.approvals[place.name] = [replace(each, rules=rules) for each in given]
            with pytest.raises(BrokenError, match="nobody approved what it holds"):
                invariants.arrivals.hold(place, was, now, invariants.told)


def test_an_approval_from_another_state_of_the_router_is_found(tmp_path: Path) -> None:
    """The rules that arrive were approved in sight of others than those that the router held."""
    with people_at(tmp_path / "site") as (people, invariants):
        place, ledger = people.site.places[0], people.ledger
        was = place.for_good()
        assert people.deliver(place).word == "done"
        now, (given,) = place.for_good(), ledger.approvals[place.name]
        invariants.hold()
        ledger.approvals[place.name] = [replace(given, before_rules=given.rules)]
        with pytest.raises(BrokenError, match="not from what it held before"):
            invariants.arrivals.hold(place, was, now, invariants.told)


def test_a_reservation_of_what_was_protected_since_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Booked and approved, then protected: only the last look before the delivery stops it."""
    with reserved_at(tmp_path / "site") as (people, invariants, booking):
        place = people.site.places[0]
        bookings.approve_texts(people, place, ("otto",))
        invariants.hold()
        people.protect(booking.pair)
        assert start(people, booking) == "failed"
        invariants.hold()
        monkeypatch.setattr(authority, "_reserved", lambda *_: iter(()))
        assert bookings.deliver_due(people, place).result.outcome == "done"
        with pytest.raises(BrokenError, match="nothing excluded or protected arrives"):
            invariants.hold()
