"""A change is held until a day: for its candidate, until somebody decides, or something new is proposed."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine

from hntes.sql import audit, changes, decisions, deferrals, proposals
from hntes.sql.change import Change
from hntes.sql.decisions import Person
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.holds import hold_of
from hntes.sql.session import Session, transaction
from tests.support.decisions import decide_as
from tests.support.entries import change_set

TODAY = date(2026, 3, 2)
UNTIL = date(2026, 3, 5)
HELD = change_set(day=date(2026, 3, 1))
NEXT = replace(HELD, day=TODAY)


def held(session: Session, entry: Change, today: date = TODAY) -> date | None:
    found = hold_of(session, entry, today)
    return found.until_day if found else None


def hold_it(session: Session, until: date = UNTIL) -> None:
    deferrals.hold(session, "r1", HELD.day, until, Person("anna", "change freeze"), TODAY)


def test_it_is_held_until_the_day_and_not_on_it(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, HELD)
        assert held(session, HELD) is None
        hold_it(session)
        assert held(session, HELD) == UNTIL
        assert held(session, HELD, UNTIL - timedelta(days=1)) == UNTIL
        assert held(session, HELD, UNTIL) is None
        (event,) = audit.events(session, "r1", ("hold",))
        assert (event.outcome, event.who, event.note) == ("held", "anna", "change freeze")


def test_each_router_has_its_own(store: Engine) -> None:
    with transaction(store) as session:
        for router in ("r2", "r1"):
            proposals.put(session, replace(HELD, router=router))
            deferrals.hold(session, router, HELD.day, UNTIL, Person("anna", "change freeze"), TODAY)
        deferrals.hold(session, "r2", HELD.day, UNTIL, Person("anna", "longer freeze"), TODAY)
        found = {router: hold_of(session, replace(HELD, router=router), TODAY) for router in ("r1", "r2")}
        assert {router: each and each.event.note for router, each in found.items()} == {
            "r1": "change freeze", "r2": "longer freeze"
        }  # fmt: skip


def test_another_day_takes_its_place_and_today_ends_it(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, HELD)
        hold_it(session)
        hold_it(session, UNTIL + timedelta(days=7))
        assert held(session, HELD) == UNTIL + timedelta(days=7)
        hold_it(session, TODAY)
        assert held(session, HELD) is None


def test_the_next_nights_same_candidate_is_held_and_another_is_not(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, HELD)
        hold_it(session)
        assert held(session, proposals.put(session, NEXT)) == UNTIL
        earlier = changes.nightly_change(session, "r1", HELD.day)
        assert earlier is not None
        assert (earlier.state, held(session, earlier)) == ("superseded", None)
        assert held(session, proposals.put(session, replace(NEXT, candidate_hash="candidate B"))) is None


@pytest.mark.parametrize("how", ["change", "reject", "withdraw"])
def test_a_decision_ends_it_for_the_nights_to_come(store: Engine, how: str) -> None:
    with transaction(store) as session:
        proposals.put(session, HELD)
        hold_it(session)
        if how == "reject":
            decide_as(session, "r1", HELD.day, HELD.candidate_hash, "rejected", "bert", None, 999)
        else:
            decisions.withdraw(session, "r1", HELD.day, Person("bert", "wrong"))
        assert held(session, proposals.put(session, NEXT)) is None


def test_only_what_waits_is_held_by_somebody_with_a_reason_until_a_day_to_come(store: Engine) -> None:
    with transaction(store) as session:
        with pytest.raises(UnknownEntryError, match="there is none"):
            hold_it(session)
        proposals.put(session, HELD)
        with pytest.raises(InvalidEntryError, match="2026-03-01 is past"):
            hold_it(session, date(2026, 3, 1))
        with pytest.raises(InvalidEntryError, match="and a reason"):
            deferrals.hold(session, "r1", HELD.day, UNTIL, Person("anna", " "), TODAY)
        proposals.put(session, replace(HELD, state="empty"))
        with pytest.raises(InvalidEntryError, match="it is empty"):
            hold_it(session)
        assert audit.events(session, "r1", ("hold",)) == ()
