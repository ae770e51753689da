"""The gate's verdicts: replaced as a whole, and without a passing one nothing is approved."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine

from sql import change_sets, verdicts
from sql.entries import GateVerdictEntry
from sql.errors import InvalidEntryError
from sql.session import reading, transaction
from tests.support.entries import change_set
from tests.support.gate_verdicts import passing

DAY = date(2026, 3, 1)
PROPOSED = change_set(day=DAY)
PASSING = passing("r1", "candidate A")


def approve(store: Engine) -> change_sets.Decision:
    with transaction(store) as session:
        return change_sets.decide(session, "r1", DAY, "candidate A", "approved", "alice", None, 0)


def propose(store: Engine, entries: list[GateVerdictEntry]) -> None:
    with transaction(store) as session:
        change_sets.put(session, PROPOSED)
        verdicts.replace_verdicts(session, "r1", "candidate A", entries)


def test_verdicts_come_back_in_the_order_of_the_criteria(store: Engine) -> None:
    propose(store, list(reversed(PASSING)))
    with reading(store) as session:
        assert list(verdicts.verdicts(session, "r1", "candidate A")) == PASSING
        assert verdicts.verdicts(session, "r2", "candidate A") == ()
        assert verdicts.verdicts(session, "r1", "candidate B") == ()


def test_judging_again_replaces_all_that_was_stored(store: Engine) -> None:
    propose(store, [replace(PASSING[0], measure="other", outcome="failed"), *PASSING])
    propose(store, PASSING)
    propose(store, PASSING)
    with reading(store) as session:
        assert list(verdicts.verdicts(session, "r1", "candidate A")) == PASSING


def test_values_and_runs_are_kept_exactly(store: Engine) -> None:
    measured = replace(
        PASSING[1], limit_value=0.1, found_value=28.123456789, engine="packet", seed=7, scenario_hash="ab"
    )
    propose(store, [measured])
    with reading(store) as session:
        assert verdicts.verdicts(session, "r1", "candidate A") == (measured,)


def test_a_passing_candidate_is_approved(store: Engine) -> None:
    propose(store, PASSING)
    assert approve(store).outcome == "decided"


def test_without_verdicts_nothing_is_approved_and_the_command_is_named(store: Engine) -> None:
    propose(store, [])
    decision = approve(store)
    assert decision.outcome == "gate"
    assert "not judged yet: run hntes judge --router r1" in decision.explanation
    with reading(store) as session:
        assert change_sets.in_force(session, "r1") is None
        assert change_sets.pending(session) == (PROPOSED,)


Change = Callable[[list[GateVerdictEntry]], list[GateVerdictEntry]]
NOT_ENOUGH: dict[str, tuple[Change, str]] = {
    "failed": (
        lambda all_: [*all_[:-1], replace(all_[-1], outcome="failed", sentence="ping of 60 ms")],
        "surprise failed: ping of 60 ms",
    ),
    "not judged": (
        lambda all_: [replace(all_[0], outcome="not_judged", sentence="three colours"), *all_[1:]],
        "structure not judged: three colours",
    ),
    "incomplete": (lambda all_: all_[:-2] + all_[-1:], "fairness: not judged"),
    "of another candidate": (lambda _: [], "not judged yet"),
}


@pytest.mark.parametrize("name", NOT_ENOUGH)
def test_anything_less_is_refused_with_the_reason(store: Engine, name: str) -> None:
    change, told = NOT_ENOUGH[name]
    propose(store, change(PASSING))
    if name == "of another candidate":
        with transaction(store) as session:
            verdicts.replace_verdicts(session, "r1", "candidate B", passing("r1", "candidate B"))
    decision = approve(store)
    assert decision.outcome == "gate"
    assert told in decision.explanation


def test_a_rejection_needs_no_verdict(store: Engine) -> None:
    propose(store, [])
    with transaction(store) as session:
        assert change_sets.decide(session, "r1", DAY, "candidate A", "rejected", "alice", None, 0).outcome == "decided"


def test_a_verdict_of_another_candidate_is_refused(store: Engine) -> None:
    with transaction(store) as session, pytest.raises(InvalidEntryError, match="candidate A of r1"):
        verdicts.replace_verdicts(session, "r1", "candidate A", [replace(PASSING[0], router="r2")])
