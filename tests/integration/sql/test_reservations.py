"""Reservations in the database: numbers, what stands, and cancelling, on both databases."""

from dataclasses import replace
from threading import Barrier, Thread

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from hntes.sql import reservations
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.reservations import ReservationEntry, StoredReservation
from hntes.sql.session import reading, transaction

PORTS = (("r2", "et-0/0/1"), ("r1", "xe-0/0/0:1"))
ENTRY = ReservationEntry(
    number=0, external_id=None, owner="anna", ticket="T-1", source="198.18.1.0/24", destination="203.0.113.0/24",
    rate_bps=3 * 10**9, start_s=100, end_s=200, kind="foreground", floor_bps=0, booking="advance", rtt_ms=80,
)  # fmt: skip


def _add(store: Engine, **changes: object) -> StoredReservation:
    with transaction(store) as session:
        return reservations.add(session, replace(ENTRY, **changes), PORTS)


def test_numbers_count_up_and_ports_keep_the_order_of_the_path(store: Engine) -> None:
    first, second = _add(store), _add(store, owner="bert")
    assert (first.entry.number, second.entry.number) == (1, 2)
    with reading(store) as session:
        assert reservations.reservations(session) == (first, second)
        assert reservations.reservations(session, "bert") == (second,)
        assert reservations.reservation(session, 1).ports == PORTS


def test_what_is_over_or_cancelled_does_not_stand(store: Engine) -> None:
    for end_s in (150, 200, 300):
        _add(store, end_s=end_s)
    with transaction(store) as session:
        gone = reservations.cancel(session, 3, 120)
    assert (gone.entry.state, gone.entry.cancelled_s) == ("cancelled", 120)
    with transaction(store) as session:
        reservations.add(session, ENTRY, (("r3", "et-0/0/0"),))
    with reading(store) as session:
        assert [each.entry.number for each in reservations.standing(session, 150)] == [2, 4]
        assert [each.entry.number for each in reservations.standing(session, 150, {"r1", "r9"})] == [2]
        assert reservations.standing(session, 150, {"r9"}) == ()
        assert reservations.reservation(session, 3) == gone


@pytest.mark.parametrize(("at_s", "said"), [(120, "cancelled already"), (200, "it is over")])
def test_what_cannot_be_cancelled(store: Engine, at_s: int, said: str) -> None:
    _add(store)
    if at_s < 200:
        with transaction(store) as session:
            reservations.cancel(session, 1, 110)
    with pytest.raises(InvalidEntryError, match=said), transaction(store) as session:
        reservations.cancel(session, 1, at_s)


def test_one_that_is_not_there(store: Engine) -> None:
    with pytest.raises(UnknownEntryError, match="reservation 7: there is none"), transaction(store) as session:
        reservations.cancel(session, 7, 1)


def test_an_owner_names_one_reservation_so(store: Engine) -> None:
    named = _add(store, external_id="copy-1")
    other = _add(store, external_id="copy-1", owner="bert")
    with reading(store) as session:
        assert reservations.by_external_id(session, "anna", "copy-1") == named
        assert reservations.by_external_id(session, "bert", "copy-1") == other
        assert reservations.by_external_id(session, "anna", "copy-2") is None
    with pytest.raises(IntegrityError):
        _add(store, external_id="copy-1")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"owner": " "}, "name its owner"),
        ({"owner": "a\nb"}, "its owner holds U"),
        ({"ticket": "\x1b[2J"}, "its ticket holds U"),
        ({"external_id": ""}, "1 to 200 characters"),
        ({"external_id": "x" * 201}, "1 to 200 characters"),
    ],
)
def test_texts_that_are_refused(store: Engine, changes: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidEntryError, match=said):
        _add(store, **changes)


def test_who_books_while_another_does_waits_and_sees_what_the_other_booked(store: Engine) -> None:
    both, seen = Barrier(2), []

    def book() -> None:
        both.wait()
        with transaction(store) as session:
            reservations.lock_book(session)
            seen.append(len(reservations.standing(session, 0)))
            reservations.add(session, ENTRY, PORTS)

    threads = [Thread(target=book) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [0, 1]
