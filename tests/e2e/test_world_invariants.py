"""Each invariant of worlds finds the defect that it is for: one that was put in on purpose."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from hntes.sql import overrides
from hntes.sql.entries import PinEntry
from hntes.sql.session import Session
from hntes.workflow.delivery import authority
from tests.support.world import bookings
from tests.support.world.broken import BrokenError
from tests.support.world.campaign import of
from tests.support.world.history import Event, History
from tests.support.world.invariants import Invariants
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


def test_a_reservation_of_what_was_protected_since_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Booked and approved, then protected: only the last look before the delivery stops it."""
    with people_at(tmp_path / "site", reserves=True) as (people, invariants):
        place = people.site.places[0]
        assert people.deliver(place).word == "done"
        asked = bookings.book(people, place, Random(5), "anna")
        (booking,) = people.ledger.bookings
        assert asked.result.refusal is None
        people.set_clock(1, 1)
        people.traffic(1, {})
        people.night(1)
        bookings.approve_texts(people, place, ("otto",))
        invariants.hold()
        people.protect(booking.pair)
        people.site.machine.now_ms = booking.start_s * 1000 + 1
        refused = bookings.deliver_due(people, place)
        assert refused.result.outcome == "failed"
        invariants.hold()
        monkeypatch.setattr(authority, "_reserved", lambda *_: iter(()))
        assert bookings.deliver_due(people, place).result.outcome == "done"
        with pytest.raises(BrokenError, match="nothing excluded or protected arrives"):
            invariants.hold()
