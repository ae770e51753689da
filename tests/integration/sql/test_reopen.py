"""A rejection is taken back until the next night; a hold is ended; an approval is neither."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine

from hntes.sql import audit, changes, deferrals, proposals
from hntes.sql.change import Change
from hntes.sql.decisions import Person
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.holds import hold_of
from hntes.sql.seen import AnotherCandidateError, Seen
from hntes.sql.session import Session, transaction
from tests.support.decisions import decide_as
from tests.support.entries import change_set

TODAY = date(2026, 3, 2)
DAY = date(2026, 3, 1)
NOW_MS = 1_772_400_000_000
WAITS = change_set(day=DAY, expires_ms=NOW_MS + 1000)
BY = Person("bert", "a wrong click", "web:bert")


def rejected(session: Session, entry: Change = WAITS) -> None:
    proposals.put(session, entry, TODAY)
    decide_as(session, "r1", entry.day, entry.candidate_hash, "rejected", "anna", "too many", NOW_MS)


def reopen(session: Session, day: date = DAY, by: Person = BY, now_ms: int = NOW_MS) -> Change:
    return deferrals.reopen(session, "r1", day, by, now_ms, TODAY)


def test_a_rejected_change_waits_again_as_it_was(store: Engine) -> None:
    with transaction(store) as session:
        rejected(session)
        assert reopen(session) == WAITS
        assert changes.nightly_change(session, "r1", DAY) == WAITS
        (event,) = audit.events(session, "r1", ("reopen",))
        assert (event.outcome, event.who, event.note, event.identity) == (
            "pending", "bert", "a wrong click", "web:bert"
        )  # fmt: skip
        # and is decided like any other
        again = decide_as(session, "r1", DAY, WAITS.candidate_hash, "rejected", "anna", "no", NOW_MS)
        assert again.change.state == "rejected"


def test_a_first_approval_does_not_outlive_the_rejection(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, WAITS, TODAY)
        changes.write(session, replace(WAITS, first_approval=1))
        decide_as(session, "r1", DAY, WAITS.candidate_hash, "rejected", "anna", "no", NOW_MS)
        assert reopen(session).first_approval is None


def test_the_next_night_ends_it(store: Engine) -> None:
    with transaction(store) as session:
        rejected(session)
        proposals.put(session, replace(WAITS, day=TODAY), TODAY)
        with pytest.raises(InvalidEntryError, match=f"the night of {TODAY} has proposed another change since"):
            reopen(session)
        assert changes.nightly_change(session, "r1", DAY) != WAITS


def test_a_change_that_is_over_is_proposed_anew_instead(store: Engine) -> None:
    with transaction(store) as session:
        rejected(session)
        with pytest.raises(InvalidEntryError, match="its time is over; `hntes nightly --router r1 --day 2026-03-01`"):
            reopen(session, now_ms=NOW_MS + 1000)


@pytest.mark.parametrize("state", ["pending", "approved", "withdrawn", "expired", "superseded", "empty"])
def test_nothing_else_is_taken_back(store: Engine, state: str) -> None:
    with transaction(store) as session:
        proposals.put(session, WAITS, TODAY)
        changes.write(session, replace(WAITS, state=state))
        with pytest.raises(InvalidEntryError, match=f"it is {state}; only a rejection, or a hold, can be taken back"):
            reopen(session)
        assert audit.events(session, "r1", ("reopen", "hold")) == ()


def test_a_hold_is_ended(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, WAITS, TODAY)
        deferrals.hold(session, "r1", DAY, TODAY + timedelta(days=3), Person("anna", "freeze"), TODAY)
        assert reopen(session) == WAITS
        assert hold_of(session, WAITS, TODAY) is None
        assert [(each.outcome, each.note) for each in audit.events(session, "r1", ("hold",))] == [
            ("held", "freeze"), ("released", "a wrong click"),
        ]  # fmt: skip


def test_only_the_latest_waits(store: Engine) -> None:
    """A rejected change supersedes nothing, so an earlier day that was run again waits; not beside the later one."""
    earlier = replace(WAITS, day=DAY - timedelta(days=1))
    with transaction(store) as session:
        rejected(session)
        assert proposals.put(session, earlier, TODAY).state == "pending"
        reopen(session)
        now = changes.nightly_change(session, "r1", earlier.day)
        assert now is not None
        assert now.state == "superseded"


@pytest.mark.parametrize("by", [Person("bert"), Person("bert", " "), Person(" ", "why")])
def test_a_name_and_a_reason_are_needed(store: Engine, by: Person) -> None:
    with transaction(store) as session:
        rejected(session)
        with pytest.raises(InvalidEntryError, match="needs the name of who does so, and a reason"):
            reopen(session, by=by)


def test_there_must_be_one(store: Engine) -> None:
    with transaction(store) as session, pytest.raises(UnknownEntryError, match="there is none"):
        reopen(session)


@pytest.mark.parametrize("seen", [Seen("another"), Seen(WAITS.candidate_hash, "another"), Seen("another", None)])
def test_neither_is_of_what_was_not_seen(store: Engine, seen: Seen) -> None:
    until = TODAY + timedelta(days=3)
    with transaction(store) as session:
        proposals.put(session, WAITS, TODAY)
        with pytest.raises(AnotherCandidateError, match="proposed again since") as caught:
            deferrals.hold(session, "r1", DAY, until, BY, TODAY, seen=seen)
        assert caught.value.change == WAITS
        rejected(session)
        with pytest.raises(AnotherCandidateError):
            deferrals.reopen(session, "r1", DAY, BY, NOW_MS, TODAY, seen=seen)
        assert audit.events(session, "r1", ("reopen", "hold")) == ()
        deferrals.reopen(session, "r1", DAY, BY, NOW_MS, TODAY, seen=Seen(WAITS.candidate_hash, None))
        deferrals.hold(session, "r1", DAY, until, BY, TODAY, seen=Seen(WAITS.candidate_hash))
        assert [each.kind for each in audit.events(session, "r1", ("reopen", "hold"))] == ["reopen", "hold"]
