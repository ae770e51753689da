"""The gate's verdicts: replaced as a whole, and without a passing one nothing is approved."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine

from hntes.sql import changes, decisions, judgements, proposals, simulated_runs, verdicts
from hntes.sql.entries import GateVerdictEntry, JudgementEntry
from hntes.sql.errors import InvalidEntryError
from hntes.sql.session import reading, transaction
from tests.support.decisions import decide_as
from tests.support.entries import change_set
from tests.support.gate_verdicts import judgement, passing

DAY = date(2026, 3, 1)
PROPOSED = change_set(day=DAY)
PASSING = passing("r1", "candidate A")
HOLDS = judgement()


def approve(store: Engine, holds: JudgementEntry = HOLDS) -> decisions.Decision:
    with transaction(store) as session:
        return decide_as(session, "r1", DAY, "candidate A", "approved", "alice", None, 0, holds=holds)


def propose(store: Engine, entries: list[GateVerdictEntry]) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        judgements.replace_judgement(session, HOLDS, entries)


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
    assert "not judged yet: run hntes stage judge --router r1" in decision.explanation
    with reading(store) as session:
        assert changes.in_force(session, "r1") is None
        assert changes.pending_nightly(session) == (PROPOSED,)


Change = Callable[[list[GateVerdictEntry]], list[GateVerdictEntry]]
NOT_ENOUGH: dict[str, tuple[Change, str]] = {
    "failed": (
        lambda all_: [*all_[:-1], replace(all_[-1], outcome="failed", sentence="ping of 60 ms")],
        "classes failed: ping of 60 ms",
    ),
    "not judged": (
        lambda all_: [replace(all_[0], outcome="not_judged", sentence="three colours"), *all_[1:]],
        "structure not judged: three colours",
    ),
    "incomplete": (lambda all_: all_[:-2] + all_[-1:], "bursts: not judged"),
    "of another candidate": (lambda _: [], "not judged yet"),
}


@pytest.mark.parametrize("name", NOT_ENOUGH)
def test_anything_less_is_refused_with_the_reason(store: Engine, name: str) -> None:
    change, told = NOT_ENOUGH[name]
    propose(store, change(PASSING))
    if name == "of another candidate":
        with transaction(store) as session:
            other = judgement(candidate_hash="candidate B")
            judgements.replace_judgement(session, other, passing("r1", "candidate B"))
    decision = approve(store)
    assert decision.outcome == "gate"
    assert told in decision.explanation


def test_a_rejection_needs_no_verdict(store: Engine) -> None:
    propose(store, [])
    with transaction(store) as session:
        assert decide_as(session, "r1", DAY, "candidate A", "rejected", "alice", None, 0).outcome == "decided"


def test_a_verdict_of_another_candidate_is_refused(store: Engine) -> None:
    with transaction(store) as session, pytest.raises(InvalidEntryError, match="candidate A of r1"):
        judgements.replace_judgement(session, HOLDS, [replace(PASSING[0], router="r2")])


CHANGED: dict[str, tuple[JudgementEntry, str]] = {
    "limits": (
        judgement(limits='{"delay_increase_ms":1.0}'),
        (
            "the gate's limits changed since it was judged (delay_increase_ms 1.0, was 2.0): run hntes stage judge "
            "--router r1"
        ),
    ),
    "peaks": (judgement(peaks='{"xe-0/0/1":3e9}'), "the measured peaks changed since it was judged (xe-0/0/1 3000000"),
    "engine": (judgement(engine_version="engine B"), "the simulator changed since it was judged (engine B, was engine"),
    "parameters": (
        judgement(parameters='{"seed":2}'),
        "of the gate's runs changed since it was judged (seed 2, was 1)",
    ),
    "model": (judgement(model_hash="model B"), "the model changed since it was judged (model B, was model A)"),
    "day": (judgement(day=date(2026, 3, 2)), "the day changed since it was judged"),
    "plan": (judgement(plan='{"plan":{"kind":"single_queue"}}'), "the router's plan, interfaces or redirect changed"),
    "detection": (
        judgement(detection='{"window_s":30}'),
        "the detection settings changed since it was judged (window_s",
    ),
    "traffic": (judgement(traffic='{"total_bytes":1}'), "the measured traffic changed since it was judged"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_an_approval_needs_the_judgement_that_holds_now(store: Engine, name: str) -> None:
    holds, told = CHANGED[name]
    propose(store, PASSING)
    decision = approve(store, holds)
    assert decision.outcome == "gate"
    assert told in decision.explanation
    with reading(store) as session:
        assert changes.in_force(session, "r1") is None
    with transaction(store) as session:
        judgements.replace_judgement(session, holds, PASSING)
    assert approve(store, holds).outcome == "decided"


def test_a_judgement_on_another_text_is_none(store: Engine) -> None:
    propose(store, PASSING)
    with transaction(store) as session:
        proposals.put(session, replace(PROPOSED, candidate_hash="candidate B"))
        decision = decide_as(
            session,
            "r1",
            DAY,
            "candidate B",
            "approved",
            "alice",
            None,
            0,
            holds=judgement(candidate_hash="candidate B"),
        )
    assert decision.outcome == "gate"
    assert "not judged yet" in decision.explanation


def test_an_altered_judgement_is_refused(store: Engine) -> None:
    """Whoever changes a stored part alone, or a verdict's judgement of before there were identities."""
    propose(store, PASSING)
    for altered in (
        replace(HOLDS, limits="{}"),
        replace(HOLDS, judgement_id=""),
        replace(HOLDS, judgement_id="0" * 64),
    ):
        with transaction(store) as session:
            judgements.replace_judgement(session, altered, PASSING)
        decision = approve(store)
        assert decision.outcome == "gate"
        assert "the judgement was altered in the database" in decision.explanation


def test_an_approval_without_the_judgement_that_holds_is_a_mistake(store: Engine) -> None:
    propose(store, PASSING)
    with transaction(store) as session, pytest.raises(InvalidEntryError, match="needs the judgement that holds now"):
        decide_as(session, "r1", DAY, "candidate A", "approved", "alice", None, 0)


def test_a_candidate_proposed_for_another_day_is_judged_anew(store: Engine) -> None:
    propose(store, PASSING)
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        assert judgements.judgement_of(session, "r1", "candidate A") == HOLDS
        proposals.put(session, replace(PROPOSED, day=date(2026, 3, 2)))
        assert judgements.judgement_of(session, "r1", "candidate A") is None
        assert verdicts.verdicts(session, "r1", "candidate A") == ()


def test_a_candidate_that_no_change_set_names_is_forgotten(store: Engine) -> None:
    propose(store, PASSING)
    with transaction(store) as session:
        proposals.put(session, replace(PROPOSED, candidate_hash="candidate B"))
        assert judgements.judgement_of(session, "r1", "candidate A") is None


def test_digests_of_runs_are_replaced(store: Engine) -> None:
    with transaction(store) as session:
        assert simulated_runs.digest_of(session, "key") is None
        simulated_runs.put(session, "key", "one")
        simulated_runs.put(session, "key", "two")
        assert simulated_runs.digest_of(session, "key") == "two"
