"""A change set is held until a day: for its candidate, until somebody decides, or something new is proposed."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from hntes.sql import audit, change_sets
from hntes.sql.entries import ChangeSetEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.holds import HELD_BY, day_of, hold, hold_of
from hntes.sql.session import transaction
from tests.support.entries import change_set

TODAY = date(2026, 3, 2)
UNTIL = date(2026, 3, 5)
HELD = change_set(day=date(2026, 3, 1))
NEXT = replace(HELD, day=TODAY)


def held(session: Session, entry: ChangeSetEntry, today: date = TODAY) -> date | None:
    found = hold_of(audit.events(session, "r1"), entry, today)
    assert hold_of(audit.newest_of_routers(session, HELD_BY), entry, today) == found, "the newest event alone says it"
    return day_of(found) if found else None


def hold_it(session: Session, until: date = UNTIL) -> None:
    hold(session, "r1", HELD.day, until, "anna", "change freeze", TODAY)


def test_it_is_held_until_the_day_and_not_on_it(store: Engine) -> None:
    with transaction(store) as session:
        change_sets.put(session, HELD)
        assert held(session, HELD) is None
        hold_it(session)
        assert held(session, HELD) == UNTIL
        assert held(session, HELD, UNTIL - timedelta(days=1)) == UNTIL
        assert held(session, HELD, UNTIL) is None
        (event,) = audit.events(session, "r1", ("hold",))
        assert (event.detail, event.who, event.note) == ("until 2026-03-05", "anna", "change freeze")


def test_the_newest_events_are_those_of_each_router(store: Engine) -> None:
    with transaction(store) as session:
        for router in ("r2", "r1"):
            change_sets.put(session, replace(HELD, router=router))
            hold(session, router, HELD.day, UNTIL, "anna", "change freeze", TODAY)
        hold(session, "r2", HELD.day, UNTIL, "anna", "longer freeze", TODAY)
        found = audit.newest_of_routers(session, HELD_BY)
        assert [(event.router, event.note) for event in found] == [("r1", "change freeze"), ("r2", "longer freeze")]
        assert audit.newest_of_routers(session, ("withdraw",)) == ()


def test_another_day_takes_its_place_and_today_ends_it(store: Engine) -> None:
    with transaction(store) as session:
        change_sets.put(session, HELD)
        hold_it(session)
        hold_it(session, UNTIL + timedelta(days=7))
        assert held(session, HELD) == UNTIL + timedelta(days=7)
        hold_it(session, TODAY)
        assert held(session, HELD) is None


def test_the_next_nights_same_candidate_is_held_and_another_is_not(store: Engine) -> None:
    with transaction(store) as session:
        change_sets.put(session, HELD)
        hold_it(session)
        assert held(session, change_sets.put(session, NEXT)) == UNTIL
        earlier = change_sets.change_set(session, "r1", HELD.day)
        assert earlier is not None
        assert (earlier.state, held(session, earlier)) == ("superseded", None)
        assert held(session, change_sets.put(session, replace(NEXT, candidate_hash="candidate B"))) is None


@pytest.mark.parametrize("how", ["reject", "withdraw"])
def test_a_decision_ends_it_for_the_nights_to_come(store: Engine, how: str) -> None:
    with transaction(store) as session:
        change_sets.put(session, HELD)
        hold_it(session)
        if how == "reject":
            change_sets.decide(session, "r1", HELD.day, HELD.candidate_hash, "rejected", "bert", None, 999)
        else:
            change_sets.withdraw(session, "r1", HELD.day, "bert", "wrong")
        assert held(session, change_sets.put(session, NEXT)) is None


def test_only_what_waits_is_held_by_somebody_with_a_reason_until_a_day_to_come(store: Engine) -> None:
    with transaction(store) as session:
        with pytest.raises(UnknownEntryError, match="there is none"):
            hold_it(session)
        change_sets.put(session, HELD)
        with pytest.raises(InvalidEntryError, match="2026-03-01 is past"):
            hold_it(session, date(2026, 3, 1))
        with pytest.raises(InvalidEntryError, match="and a reason"):
            hold(session, "r1", HELD.day, UNTIL, "anna", " ", TODAY)
        change_sets.put(session, replace(HELD, state="empty"))
        with pytest.raises(InvalidEntryError, match="it is empty"):
            hold_it(session)
        assert audit.events(session, "r1", ("hold",)) == ()
