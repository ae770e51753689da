"""Changes: proposing is idempotent, deciding is one compare-and-set."""

from dataclasses import replace
from datetime import date
from multiprocessing import get_context

import pytest
from sqlalchemy import Engine

from hntes import clock
from hntes.sql import audit, changes, day_status, decisions, proposals
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change, ChangeState, InForceEntry
from hntes.sql.decisions import Person
from hntes.sql.engine import open_database
from hntes.sql.entries import DayEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.session import Session, reading, transaction
from tests.support.decisions import decide_as
from tests.support.entries import change_set
from tests.support.gate_verdicts import judgement, pass_gate

DAY, NEXT = date(2026, 3, 1), date(2026, 3, 2)
BEFORE_MS, EXPIRES_MS = 999, 1000
PROPOSED = change_set(day=DAY, expires_ms=EXPIRES_MS)


def decide(
    session: Session, change: Change = PROPOSED, *, state: str = "approved", now_ms: int = BEFORE_MS
) -> decisions.Decision:
    holds = pass_gate(session, change.router, change.candidate_hash)
    return decide_as(
        session, change.router, change.day, change.candidate_hash, state, "alice", "ok", now_ms, holds=holds
    )


def test_an_approval_is_recorded_and_puts_the_candidate_in_force(store: Engine) -> None:
    with transaction(store) as session:
        assert proposals.put(session, PROPOSED) == PROPOSED
        assert changes.in_force(session, "r1") is None
        decision = decide(session)
        assert decision.outcome == "decided"
        assert decision.change == replace(PROPOSED, state="approved", decided_by="alice", decision_note="ok")
        assert changes.nightly_change(session, "r1", DAY) == decision.change
        assert changes.in_force(session, "r1") == InForceEntry("r1", "candidate A", DAY)


def test_a_rejection_puts_nothing_in_force(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        assert decide(session, state="rejected").change.state == "rejected"
        assert changes.in_force(session, "r1") is None


def test_the_last_decision_before_a_day(store: Engine) -> None:
    later = DAY.replace(day=20)
    with transaction(store) as session:
        for router, number, state in (
            ("r1", 1, "approved"), ("r1", 2, "rejected"), ("r1", 3, None), ("r1", 4, "approved"), ("r2", 5, "rejected")
        ):  # fmt: skip
            base = changes.in_force(session, router)
            proposed = replace(
                PROPOSED, router=router, day=DAY.replace(day=number), candidate_hash=f"candidate {number}"
            )
            proposals.put(session, replace(proposed, base_hash=base.candidate_hash if base else None))
            if state:
                assert decide(session, proposed, state=state).outcome == "decided"
        before = {
            day: found.day.day if (found := changes.decided_before(session, "r1", DAY.replace(day=day))) else None
            for day in (1, 2, 3, 4, 5)
        }
        assert before == {1: None, 2: 1, 3: 2, 4: 2, 5: 4}
        assert changes.decided_before(session, "r1", later) == changes.nightly_change(session, "r1", DAY.replace(day=4))
        assert changes.decided_before(session, "r3", later) is None


@pytest.mark.parametrize("state", ["approved", "rejected"])
def test_a_repeated_run_leaves_a_decision_untouched(store: Engine, state: str) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        decided = decide(session, state=state).change
        assert proposals.put(session, PROPOSED) == decided
        assert changes.nightly_changes(session) == (decided,)


@pytest.mark.parametrize(
    "proposed",
    [
        replace(PROPOSED, base_hash="candidate A", state="empty"),
        replace(PROPOSED, candidate_hash="candidate B"),
        replace(PROPOSED, candidate_hash="candidate B", base_hash="candidate A"),
    ],
)
def test_nothing_replaces_an_approved_change_set(store: Engine, proposed: Change) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        approved = decide(session).change
        assert proposals.put(session, proposed) == approved
        assert changes.nightly_changes(session) == (approved,)


def test_another_candidate_replaces_the_days_pending_or_rejected_one(store: Engine) -> None:
    other = replace(PROPOSED, candidate_hash="candidate B")
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        assert proposals.put(session, other) == other
        assert decide(session).outcome == "stale_hash"
        decide(session, other, state="rejected")
        assert proposals.put(session, PROPOSED) == PROPOSED
        assert changes.nightly_changes(session) == (PROPOSED,)


def test_a_new_day_supersedes_pending_ones_and_nothing_else(store: Engine) -> None:
    days = [date(2026, 3, d) for d in (1, 2, 3)]
    elsewhere = replace(PROPOSED, router="r2")
    with transaction(store) as session:
        proposals.put(session, replace(PROPOSED, state="empty"))
        proposals.put(session, replace(PROPOSED, day=days[1]))
        proposals.put(session, elsewhere)
        proposals.put(session, replace(PROPOSED, day=days[2], state="empty"))
        assert [c.state for c in changes.nightly_changes(session, "r1")] == ["empty", "superseded", "empty"]
        assert changes.nightly_changes(session, "r2") == (elsewhere,)
        outcome = decide(session, replace(PROPOSED, day=days[1]))
        assert (outcome.outcome, "superseded" in outcome.explanation) == ("already_decided", True)


def test_an_older_day_run_later_ends_as_if_it_had_run_in_order(store: Engine) -> None:
    newer = replace(PROPOSED, day=NEXT)
    with transaction(store) as session:
        proposals.put(session, newer)
        assert proposals.put(session, PROPOSED).state == "superseded"
        assert proposals.put(session, PROPOSED).state == "superseded"
        assert changes.pending_nightly(session) == (newer,)


def test_deciding_twice_is_told_apart(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        decide(session)
        again = decide(session, state="rejected")
        assert again.outcome == "already_decided"
        assert "approved by alice" in again.explanation
        assert changes.in_force(session, "r1") is not None


def test_a_withdrawn_change_set_stands_in_nobodys_way(store: Engine) -> None:
    mistaken = replace(PROPOSED, day=NEXT, candidate_hash="candidate B")
    with transaction(store) as session:
        proposals.put(session, mistaken)
        assert proposals.put(session, PROPOSED).state == "superseded"
        withdrawn = decisions.withdraw(session, "r1", NEXT, Person("alice", "wrong day"))
        assert withdrawn.outcome == "decided"
        assert withdrawn.change == replace(mistaken, state="withdrawn", decided_by="alice", decision_note="wrong day")
        assert proposals.put(session, PROPOSED) == PROPOSED
        assert proposals.put(session, mistaken) == withdrawn.change, "a repeated run brings it back"
        assert decide(session, mistaken).outcome == "already_decided"
        assert decide(session).outcome == "decided"
        assert decisions.withdraw(session, "r1", DAY, Person("alice", "too late")).outcome == "already_decided"


def test_a_change_set_of_a_day_to_come_supersedes_nothing(store: Engine) -> None:
    ahead = replace(PROPOSED, day=NEXT)
    with transaction(store) as session:
        proposals.put(session, PROPOSED, DAY)
        proposals.put(session, ahead, DAY)
        assert changes.pending_nightly(session) == (PROPOSED, ahead)
        assert proposals.put(session, PROPOSED, DAY) == PROPOSED
        assert changes.pending_nightly(session) == (PROPOSED, ahead)


def test_an_expired_change_set_cannot_be_decided_and_is_marked(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        decision = decide(session, now_ms=EXPIRES_MS)
        assert (decision.outcome, decision.change.state) == ("expired", "expired")
        assert changes.nightly_changes(session) == (replace(PROPOSED, state="expired"),)
        assert decide(session).outcome == "expired"


def test_a_day_whose_change_expired_can_be_run_again(store: Engine) -> None:
    later = replace(PROPOSED, expires_ms=EXPIRES_MS + 5000)
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        assert "`hntes nightly --router r1 --day 2026-03-01`" in decide(session, now_ms=EXPIRES_MS).explanation
        assert proposals.put(session, later) == later
        assert decide(session, now_ms=EXPIRES_MS).outcome == "decided"


def test_a_change_that_is_proposed_again_keeps_its_expiry_while_it_waits(store: Engine) -> None:
    over_ms = clock.now_ms() + 3_600_000
    waiting = replace(PROPOSED, expires_ms=over_ms)
    with transaction(store) as session:
        proposals.put(session, waiting)
        assert proposals.put(session, replace(waiting, expires_ms=over_ms + 1)) == waiting
        audit.append(session, NewEvent("settings", note="changed: review"))
        renewed = replace(waiting, expires_ms=over_ms + 2)
        assert proposals.put(session, renewed) == renewed


@pytest.mark.parametrize("state", ["rejected", "withdrawn"])
def test_settings_that_changed_since_a_decision_make_a_new_proposal(store: Engine, state: str) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        if state == "rejected":
            decide(session, state=state)
        else:
            decisions.withdraw(session, "r1", DAY, Person("alice", "wrong"))
        assert proposals.put(session, PROPOSED).state == state
        audit.append(session, NewEvent("settings", note="changed: detection"))
        assert proposals.put(session, PROPOSED) == PROPOSED
        assert decide(session).outcome == "decided"


@pytest.mark.parametrize("state", ["rejected", "expired", "empty", "pending without records"])
def test_a_later_change_that_nobody_can_approve_supersedes_nothing(store: Engine, state: str) -> None:
    newer = replace(PROPOSED, day=NEXT, candidate_hash="candidate B")
    with transaction(store) as session:
        proposals.put(session, replace(newer, state="empty") if state == "empty" else newer)
        if state == "rejected":
            decide(session, newer, state="rejected")
        elif state == "expired":
            decide(session, newer, now_ms=EXPIRES_MS)
        elif state != "empty":
            day_status.replace_day_status(session, DayEntry("r1", NEXT, 86400, 0, 0, 0, 0, False, "no flow file"))
        assert proposals.put(session, PROPOSED) == PROPOSED
        assert decide(session).outcome == "decided"


def test_an_empty_change_of_a_day_without_records_leaves_the_one_that_waits(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        day_status.replace_day_status(session, DayEntry("r1", NEXT, 86400, 0, 0, 0, 0, False, "no flow file"))
        proposals.put(session, replace(PROPOSED, day=NEXT, state="empty"))
        assert decide(session).outcome == "decided"


def test_a_superseded_change_names_what_took_its_place(store: Engine) -> None:
    newer = replace(PROPOSED, day=NEXT, candidate_hash="candidate B")
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        proposals.put(session, newer)
        assert "superseded by that of 2026-03-02; decide on that one" in decide(session).explanation
        decide(session, newer, state="rejected")
        assert "`hntes nightly --router r1 --day 2026-03-01` proposes it anew" in decide(session).explanation
        assert proposals.put(session, PROPOSED) == PROPOSED


def test_expire_marks_those_whose_time_is_over(store: Engine) -> None:
    later = replace(PROPOSED, router="r2", expires_ms=EXPIRES_MS + 1)
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        proposals.put(session, later)
        assert decisions.expire(session, EXPIRES_MS) == (replace(PROPOSED, state="expired"),)
        assert changes.pending_nightly(session) == (later,)
        assert decisions.expire(session, EXPIRES_MS) == ()


def test_an_approval_against_a_base_that_moved_is_stale(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
        decide(session)
        wrong_base = replace(PROPOSED, day=NEXT, candidate_hash="candidate B", base_hash=None)
        proposals.put(session, wrong_base)
        decision = decide(session, wrong_base)
        assert decision.outcome == "stale_hash"
        assert "candidate A is in force" in decision.explanation
        assert changes.nightly_change(session, "r1", NEXT) == wrong_base
        assert decide(session, wrong_base, state="rejected").outcome == "decided"


def test_an_empty_change_set_has_nothing_to_decide(store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, replace(PROPOSED, state="empty"))
        assert "nothing to decide" in decide(session).explanation


def test_what_cannot_be_put_or_decided_is_refused(store: Engine) -> None:
    states: list[ChangeState] = ["approved", "rejected", "superseded", "expired", "withdrawn"]
    with transaction(store) as session:
        for state in states:
            with pytest.raises(InvalidEntryError, match=state):
                proposals.put(session, replace(PROPOSED, state=state))
        with pytest.raises(UnknownEntryError, match="r1/2026-03-01"):
            decide(session)
        with pytest.raises(InvalidEntryError, match="name"):
            decide_as(session, "r1", DAY, "candidate A", "approved", " ", None, 0, holds=judgement())
        proposals.put(session, PROPOSED)
        with pytest.raises(InvalidEntryError, match="its note holds U"):
            decide_as(session, "r1", DAY, "candidate A", "approved", "alice", "x\ngate: passed", 0)
        with pytest.raises(InvalidEntryError, match="a reason"):
            decisions.withdraw(session, "r1", DAY, Person("alice", " "))


def test_of_many_who_decide_at_once_one_does(database_url: str, store: Engine) -> None:
    with transaction(store) as session:
        proposals.put(session, PROPOSED)
    store.dispose()
    fork = get_context("fork")
    start, outcomes = fork.Barrier(4), fork.Queue()
    processes = [fork.Process(target=_decide, args=(database_url, n, start, outcomes)) for n in range(4)]
    for process in processes:
        process.start()
    found = [outcomes.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(60)
    outcomes.close()
    outcomes.join_thread()
    assert sorted(found) == ["already_decided"] * 3 + ["decided"]
    with reading(store) as session:
        approved = changes.nightly_changes(session)[0].state == "approved"
        assert (changes.in_force(session, "r1") is not None) == approved


def _decide(url: str, number: int, start: object, outcomes: object) -> None:
    engine = open_database(url)
    start.wait(30)  # type: ignore[attr-defined]
    with transaction(engine) as session:
        decision = decide(session, state="approved" if number % 2 else "rejected")
    outcomes.put(decision.outcome)  # type: ignore[attr-defined]
