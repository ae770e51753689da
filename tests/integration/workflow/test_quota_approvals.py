"""Quotas approve texts at the edges of the calendar: which, and nothing else."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from threading import Barrier, Thread

import pytest
from sqlalchemy import text

from hntes.sql import changes
from hntes.sql.session import transaction
from hntes.workflow.audit_checks import verify_audit
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import audit_listing
from hntes.workflow.reservations.quota_approvals import approve_by_quota
from hntes.workflow.reservations.quotas import add_quota, list_quotas, revoke_quota, second_quota
from hntes.workflow.reservations.reserve import cancel
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S, set_clock
from tests.support.scheduled_site import (
    DAY,
    R1,
    R2,
    SECOND,
    approve_rules,
    at,
    by_quota,
    decide_on,
    grant,
    pass_gate,
    propose,
    reserve,
    scheduled_log,
    scheduled_site,
    standing,
)

HOUR = 3600
GBIT = 10**9


def test_two_approvals_need_two_persons_for_a_text_and_for_a_quota(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch)
    site = scheduled_site(tmp_path, sections="[review]\napprovals = 2\n")
    with at(site) as context:
        approve_rules(context)
        reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
        propose(context)
        pass_gate(context)
        entry = standing(context)[0]
        number = add_quota(context, R1, 9 * GBIT, None, NOW_S + 9 * HOUR, "otto", "copies", identity="os:otto").number
        assert "no quota allows 1 Gb/s" in by_quota(context)[0][1]
        outcomes = [
            decide_on(context, entry, "approved", who, identity=f"os:{who}").outcome for who in ("anna", "anna", "bert")
        ]
        assert outcomes == ["pending_second_approval", "same_person", "decided"]
        with pytest.raises(CommandError, match="the second approval must be by another person"):
            second_quota(context, number, "otto", identity="web:Otto")
        reserve(context, NOW_S + 3 * HOUR, NOW_S + 4 * HOUR)
        propose(context)
        pass_gate(context)
        assert [outcome for outcome, _ in by_quota(context)] == ["quota", "decided"]
        second_quota(context, number, "paul", identity="os:paul")
        assert [outcome for outcome, _ in by_quota(context)] == ["decided"]


def test_a_quota_approves_what_it_covers_and_the_log_says_which(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, 2 * GBIT)
    number = grant(context, 2)
    propose(context)
    assert "not judged yet" in by_quota(context)[0][1]
    pass_gate(context)
    done = approve_by_quota(context, context.settings.router("r1"))
    assert [(each.outcome, each.change.decided_by) for each in done] == [("decided", f"quota {number}")]
    said = audit_listing(context, None, ("decide",), None, None)[-1]
    assert (said.who, said.change_id) == (f"quota {number}", done[0].change.change_id)
    assert (said.outcome, said.candidate_hash) == ("approved", done[0].change.candidate_hash)


def test_what_ends_needs_neither_quota_nor_judgement(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    assert [outcome for outcome, _ in by_quota(context)] == ["quota", "decided"]
    assert standing(context)[-1].decided_by == f"the text approved for {DAY}"


@pytest.mark.parametrize("case", ["rate", "sum", "time", "other port", "revoked", "past", "altered"])
def test_a_quota_approves_nothing_else(context: Context, case: str) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, 2 * GBIT)
    if case == "sum":
        reserve(context, NOW_S, NOW_S + 2 * HOUR, GBIT, pair=SECOND)
    gbps = {"rate": 1, "altered": 1}.get(case, 2)
    ends_s = {"time": NOW_S + 2 * HOUR - 1, "past": NOW_S + HOUR}.get(case, NOW_S + 9 * HOUR)
    port = R2 if case == "other port" else R1
    number = add_quota(context, port, gbps * GBIT, NOW_S, ends_s, "otto", "copies").number
    if case == "revoked":
        revoke_quota(context, number, "otto", "no longer")
    if case == "altered":  # by whoever can write to the database, but not into the log
        with transaction(context.database) as session:
            session.execute(text("UPDATE reservation_quota SET rate_bps = 9000000000"))
    propose(context)
    pass_gate(context)
    first = next(each for each in approve_by_quota(context, context.settings.router("r1"))
                 if each.change.effective_s == NOW_S + HOUR)  # fmt: skip
    assert first.outcome == "quota"
    assert "no quota allows" in first.explanation


@pytest.mark.parametrize(
    ("quota_bps", "outcomes"),
    [
        (10**6, ["quota", "quota", "decided"]),
        (3 * GBIT - 1, ["quota", "quota", "decided"]),
        (3 * GBIT, ["decided", "quota", "decided"]),
        (3_300_000_000, ["decided", "decided", "decided"]),
    ],
)
def test_a_quota_bounds_what_is_policed_for_background_too(
    context: Context, quota_bps: int, outcomes: list[str]
) -> None:
    """Worked by hand: 33 % of 10 Gb/s are 3.3; background takes 3, and 1.3 beside foreground of 2."""
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR, 3 * GBIT, kind="background", floor_bps=GBIT, pair=SECOND)
    reserve(context, NOW_S + 2 * HOUR, NOW_S + 3 * HOUR, 2 * GBIT)
    add_quota(context, R1, quota_bps, NOW_S, NOW_S + 9 * HOUR, "otto", "copies")
    propose(context)
    pass_gate(context)
    found = by_quota(context)
    assert [outcome for outcome, _ in found] == outcomes
    wanted = ("3 Gb/s", "3.3 Gb/s")
    for (outcome, said), rate in zip(found, wanted, strict=False):
        assert (f"no quota allows {rate} of reservations on {R1}" in said) == (outcome == "quota")


def test_what_a_revoked_quota_approved_waits_for_an_operator_again(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    number = grant(context, 2)
    propose(context)
    pass_gate(context)
    by_quota(context)
    propose(context)
    assert [each.decided_by for each in standing(context)] == [f"quota {number}", f"the text approved for {DAY}"]
    revoke_quota(context, number, "otto", "no longer")
    propose(context)
    first, last = standing(context)
    assert (first.state, last.state) == ("pending", "approved")
    assert "no quota allows 1 Gb/s" in by_quota(context)[0][1]
    pass_gate(context)
    assert decide_on(context, first, "approved", "anna").outcome == "decided"
    propose(context)
    assert standing(context)[0].decided_by == "anna"


def test_a_quota_approves_no_text_that_the_book_has_left_behind(context: Context) -> None:
    number = reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    grant(context, 3)
    propose(context)
    pass_gate(context)
    cancel(context, number, "moved")
    outcomes = by_quota(context)
    assert outcomes[0][0] == "quota"
    assert "the reservations have changed since" in outcomes[0][1]


def test_a_quota_approves_no_text_with_another_difference(context: Context) -> None:
    """The table says that a text stands on the approved base; its model has one pair less."""
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    grant(context, 3)
    propose(context)
    other = approve_rules(context, day=date(2026, 11, 24), pairs=PAIRS[1:])
    propose(context)
    pass_gate(context)
    approved = _base_of(context, DAY)
    with transaction(context.database) as session:
        scheduled = "effective_s IS NOT NULL AND base_hash"
        session.execute(text(f"DELETE FROM change WHERE {scheduled} <> :other"), {"other": other})
        session.execute(
            text(f"UPDATE change SET base_hash = :base, day = '2026-11-23' WHERE {scheduled} = :other"),
            {"base": approved, "other": other},
        )
    assert {("it changes more than reservations" in said) for _, said in by_quota(context)} == {True}


def _base_of(context: Context, day: date) -> str:
    with transaction(context.database) as session:
        found = changes.nightly_change(session, "r1", day)
    assert found is not None
    return found.candidate_hash


def test_a_stretch_that_becomes_longer_is_approved_for_the_rest_anew(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    ending = reserve(context, NOW_S + 2 * HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    grant(context, 3, end_s=NOW_S + 2 * HOUR)
    propose(context)
    pass_gate(context)
    assert [outcome for outcome, _ in by_quota(context)] == ["decided", "quota", "decided"]
    cancel(context, ending, "moved")
    propose(context)
    found = [((each.effective_s or 0) - NOW_S, each.state) for each in standing(context)]
    assert found == [(HOUR, "approved"), (2 * HOUR, "pending"), (3 * HOUR, "approved")]
    assert standing(context)[0].candidate_hash == standing(context)[1].candidate_hash


def test_quotas_are_listed_with_their_state(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    grant(context, 3, NOW_S + HOUR)
    revoke_quota(context, grant(context, 2), "otto", "no longer")
    grant(context, 1, end_s=NOW_S + 60)
    assert [(each.number, each.state) for each in list_quotas(context)] == [(1, "to come"), (3, "open")]
    set_clock(monkeypatch, NOW_S + 60)
    assert [each.state for each in list_quotas(context, with_past=True)] == ["to come", "revoked", "past"]
    with pytest.raises(CommandError, match="r1:xe-0/0/0 is not a port with queues"):
        add_quota(context, "r1:xe-0/0/0", GBIT, None, NOW_S + HOUR, "otto", "copies")


def test_a_quota_that_is_revoked_at_that_moment_approves_before_or_not_at_all(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    pass_gate(context)
    number = grant(context, 3)
    max_parallel(lambda: by_quota(context), lambda: revoke_quota(context, number, "otto", "over"))
    events = audit_listing(context, None, ("decide", "quota"), None, None)
    revoked = next(each.number for each in events if each.outcome == "revoked")
    approved = [each.number for each in events if each.outcome == "approved" and (each.who or "").startswith("quota")]
    assert len(approved) == [each.decided_by for each in standing(context)].count("quota 1")
    assert all(each < revoked for each in approved)
    assert verify_audit(context).problem is None


def test_a_cancellation_at_that_moment_leaves_no_approved_text_with_the_reservation(context: Context) -> None:
    """Whichever comes first: once the texts were made again, nothing that stands holds what was cancelled."""
    number = reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    pass_gate(context)
    grant(context, 3)
    max_parallel(lambda: by_quota(context), lambda: cancel(context, number, "moved"))
    propose(context)
    assert standing(context) == []
    assert verify_audit(context).problem is None


def test_of_two_decisions_at_that_moment_one_counts(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    pass_gate(context)
    grant(context, 3)
    entry = standing(context)[0]
    found: list[str] = []

    def reject() -> None:
        found.append(decide_on(context, entry, "rejected", "anna").outcome)

    max_parallel(lambda: by_quota(context), reject)
    decided = [word for word in scheduled_log(context) if word in ("approved", "rejected")]
    assert found == ["decided" if "rejected" in decided else "already_decided"]
    assert sorted(decided) in (["approved", "approved"], ["approved", "rejected"])  # one is the rules' own text


def max_parallel(*acts: Callable[[], object]) -> None:
    """Does them in threads that begin together; one that fails fails the test."""
    ready, problems = Barrier(len(acts)), []

    def run(act: Callable[[], object]) -> None:
        ready.wait()
        try:
            act()
        except Exception as problem:  # noqa: BLE001 - told in the test's own thread
            problems.append(problem)

    threads = [Thread(target=run, args=(act,)) for act in acts]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert problems == []
