"""A change with unusually many new pairs is held until somebody names their number."""

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine

from hntes.sql import audit, changes, decisions, proposals
from hntes.sql.decisions import Person, acknowledge, is_held_for_new_pairs
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.seen import AnotherCandidateError, Seen
from hntes.sql.session import Session, transaction
from tests.support.decisions import decide_as
from tests.support.entries import change_set
from tests.support.gate_verdicts import pass_gate

DAY = date(2026, 3, 1)
PROPOSED = change_set(day=DAY, expires_ms=1000, pairs_added=101)


def approve(session: Session, limit: int | None = 100) -> decisions.Decision:
    holds = pass_gate(session, PROPOSED.router, PROPOSED.candidate_hash)
    return decide_as(
        session, "r1", DAY, PROPOSED.candidate_hash, "approved", "alice", None, 999, new_pairs_limit=limit, holds=holds
    )


def test_an_approval_is_refused_until_the_number_is_acknowledged(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        refused = approve(session)
        assert (refused.outcome, refused.change.state) == ("held", "pending")
        assert refused.explanation.endswith(
            "held: 101 new pairs, more than review.new_pairs_limit = 100; look where they come from, then run "
            "hntes change acknowledge --router r1 --day 2026-03-01 --new-pairs 101"
        )
        assert changes.in_force(session, "r1") is None
        assert (
            acknowledge(session, "r1", DAY, 101, Person("alice", "new site")).candidate_hash == PROPOSED.candidate_hash
        )
        (event,) = audit.events(session, "r1", ("acknowledge",))
        assert (event.detail, event.who, event.note) == ("101 new pairs", "alice", "new site")
        assert approve(session).outcome == "decided"


@pytest.mark.parametrize("limit", [101, None])
def test_up_to_the_limit_nothing_is_held(store: Engine, limit: int | None) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        assert approve(session, limit).outcome == "decided"


def test_a_rejection_is_never_held(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        hash_ = PROPOSED.candidate_hash
        rejected = decide_as(session, "r1", DAY, hash_, "rejected", "alice", None, 999, new_pairs_limit=0)
        assert rejected.outcome == "decided"


@pytest.mark.parametrize("number", [0, 100, 102])
def test_another_number_is_refused(store: Engine, number: int) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        with pytest.raises(InvalidEntryError, match=f"it has 101 new pairs, not {number}"):
            acknowledge(session, "r1", DAY, number, Person("alice", None))
        assert approve(session).outcome == "held"


@pytest.mark.parametrize(
    "changed", [{"candidate_hash": "candidate B"}, {"pairs_added": 102}, {"day": date(2026, 3, 2)}]
)
def test_an_acknowledgement_stands_for_one_candidate_number_and_day(store: Engine, changed: dict[str, object]) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        acknowledge(session, "r1", DAY, 101, Person("alice"))
        assert not is_held_for_new_pairs(proposals.put(session, PROPOSED), 100), "the same proposed again"
        assert is_held_for_new_pairs(proposals.put(session, replace(PROPOSED, **changed)), 100)


def test_only_what_waits_is_acknowledged(store: Engine) -> None:
    with transaction(store) as session:
        with pytest.raises(UnknownEntryError, match="there is none"):
            acknowledge(session, "r1", DAY, 101, Person("alice", None))
        proposals.put(session, PROPOSED)
        with pytest.raises(InvalidEntryError, match="needs the name"):
            acknowledge(session, "r1", DAY, 101, Person(" ", None))
        proposals.put(session, replace(PROPOSED, state="empty"))
        with pytest.raises(InvalidEntryError, match="it is empty"):
            acknowledge(session, "r1", DAY, 101, Person("alice", None))


@pytest.mark.parametrize("seen", [Seen("another"), Seen(PROPOSED.candidate_hash, "another")])
def test_the_number_is_of_the_candidate_that_was_seen(store: Engine, seen: Seen) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        with pytest.raises(AnotherCandidateError):
            acknowledge(session, "r1", DAY, 101, Person("alice"), seen=seen)
        assert approve(session).outcome == "held"
        acknowledge(session, "r1", DAY, 101, Person("alice"), seen=Seen(PROPOSED.candidate_hash, None))
        assert approve(session).outcome == "decided"
