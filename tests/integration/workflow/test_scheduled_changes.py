"""Texts at the edges of the calendar: made, made again, superseded, approved by persons."""

from datetime import date
from pathlib import Path

import pytest

from hntes.gate import Judgement
from hntes.gate.verdict import Verdict
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Router
from hntes.sql import changes, overrides, proposals
from hntes.sql.change import Change
from hntes.sql.entries import CRITERIA, PinEntry
from hntes.sql.judgements import replace_judgement
from hntes.sql.session import transaction
from hntes.workflow.audit_checks import verify_audit
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.judgement import judgement_now, verified_candidate
from hntes.workflow.reports.audit_queries import audit_listing
from hntes.workflow.reservations.quota_approvals import approve_by_quota
from hntes.workflow.reservations.reserve import cancel
from hntes.workflow.reservations.scheduled_changes import propose_scheduled, scheduled_changes_of, waiting_scheduled
from hntes.workflow.stages import prepare_scheduled
from hntes.workflow.stages import propose as stages
from hntes.workflow.stages.judged_text import JudgedText
from tests.support.gate_verdicts import passing
from tests.support.installation import Installation
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S, set_clock
from tests.support.scheduled_site import (
    DAY,
    FIRST,
    PLAN_WITHOUT_PREMIUM,
    SECOND,
    approve_rules,
    at,
    by_quota,
    decide_on,
    grant,
    pass_gate,
    premium_terms,
    propose,
    reserve,
    reserved,
    scheduled_log,
    scheduled_site,
    standing,
)

HOUR = 3600
GBIT = 10**9


def test_each_edge_has_a_text_with_what_is_in_force_until_the_next(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    reserve(context, NOW_S + 2 * HOUR, NOW_S + 4 * HOUR, pair=SECOND)
    propose(context)
    found = [((each.effective_s or 0) - NOW_S, each.until_s, each.leads, premium_terms(context, each.candidate_hash))
             for each in standing(context)]  # fmt: skip
    assert found == [
        (HOUR, NOW_S + 2 * HOUR, True, ["premium-reservation-1"]),
        (2 * HOUR, NOW_S + 3 * HOUR, True, ["premium-reservation-1", "premium-reservation-2"]),
        (3 * HOUR, NOW_S + 4 * HOUR, False, ["premium-reservation-2"]),
        (4 * HOUR, None, False, []),
    ]
    base = standing(context)[0].base_hash
    assert standing(context)[-1].candidate_hash == base


def test_a_text_is_what_the_plan_gives_with_those_reservations(context: Context) -> None:
    """Beside a text that is built from the settings, with a rate and a bucket written down here."""
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, 2 * GBIT)
    propose(context)
    router = context.settings.router("r1")
    pair = PrefixPair.parse(FIRST)
    # 2 Gb/s x (100 ms + 100 x 0.33 / (0.40 - 0.33) ms) / 8, rounded up
    bucket = 142_857_143
    wanted = Reserved("reservation-1", pair.source, pair.destination, 2 * GBIT, bucket)
    model = build_model(router, context.settings.plans["recommended"], PAIRS, [wanted])
    assert known_candidate(context, router, standing(context)[0].candidate_hash).text == render(model)


def test_proposing_again_changes_nothing_and_says_nothing(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    propose(context)
    before, said = standing(context), len(audit_listing(context, None, (), None, None))
    propose(context)
    assert (standing(context), len(audit_listing(context, None, (), None, None))) == (before, said)


def test_as_far_ahead_as_is_asked_and_never_less_far_than_what_stands(context: Context) -> None:
    far_s = NOW_S + 100 * HOUR
    number = reserve(context, far_s, far_s + HOUR)
    propose(context)
    assert standing(context) == []
    propose(context, until_s=far_s)
    assert [each.effective_s for each in standing(context)] == [far_s]
    cancel(context, number, "moved")
    propose(context)
    assert standing(context) == []


def test_a_cancelled_reservation_supersedes_what_was_approved_for_it(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    grant(context, 3)
    propose(context)
    pass_gate(context)
    assert [outcome for outcome, _ in by_quota(context)] == ["decided", "decided"]
    cancel(context, number, "not needed")
    propose(context)
    assert standing(context) == []
    assert scheduled_log(context)[-2:] == ["superseded", "superseded"]
    # and one that has begun: the text without it is wanted from the present moment on
    number = reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    propose(context)
    pass_gate(context)
    by_quota(context)
    set_clock(monkeypatch, NOW_S + 2 * HOUR)
    cancel(context, number, "broken off")
    propose(context)
    last = standing(context)[-1]
    assert (last.effective_s, last.until_s, last.candidate_hash) == (NOW_S + 2 * HOUR, None, last.base_hash)


def test_background_gets_another_rate_at_an_edge_and_so_another_text(context: Context) -> None:
    """Worked by hand: 33 % of 10 Gb/s are 3.3; foreground of 2 leaves 1.3."""
    background = {"kind": "background", "floor_bps": GBIT, "pair": SECOND}
    reserve(context, NOW_S, NOW_S + 3 * HOUR, 3 * GBIT, **background)
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, 2 * GBIT)
    propose(context)
    assert reserved(context, standing(context)) == [
        "reservation-1 3 Gb/s",
        "reservation-1 1.3 Gb/s, reservation-2 2 Gb/s",
        "reservation-1 3 Gb/s",
        "no reservation",
    ]


def test_nothing_is_made_on_a_text_without_a_premium_queue_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch)
    with at(scheduled_site(tmp_path, plan=PLAN_WITHOUT_PREMIUM)) as context:
        approve_rules(context)
        reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
        found = propose_scheduled(context, context.settings.router("r1"))
        assert reserved(context, found.valid) == ["no reservation"]
    assert [(each.from_s, "no premium queue" in each.problem) for each in found.failed_periods] == [
        (NOW_S + HOUR, True)
    ]


def test_a_person_approves_one_by_its_hash_and_only_what_the_gate_has_passed(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    router = context.settings.router("r1")
    (entry,) = waiting_scheduled(context, router, standing(context)[0].candidate_hash[:12], None)
    refused = decide_on(context, entry, "approved", "anna")
    assert refused.outcome == "gate"
    assert "not judged yet" in refused.explanation
    pass_gate(context)
    done = decide_on(context, entry, "approved", "anna", "looked at it", "os:anna")
    assert (done.outcome, done.change.state) == ("decided", "approved")
    (said,) = [
        each for each in audit_listing(context, None, ("decide",), None, None) if each.change_id == entry.change_id
    ]
    assert said.outcome == "approved"
    assert entry.change_id == f"r1/from/{(entry.base_hash or '')[:16]}/2026-11-24T11:00:00Z"
    assert (said.candidate_hash, said.who, said.identity) == (entry.candidate_hash, "anna", "os:anna")
    assert said.judgement_id
    again = decide_on(context, entry, "rejected", "bert")
    assert (again.outcome, again.explanation.endswith("already approved by anna")) == ("already_decided", True)
    assert verify_audit(context).problem is None


def test_a_person_approves_a_whole_day_in_one_act(site: Installation, context: Context) -> None:
    midnight = NOW_S + 14 * HOUR
    reserve(context, NOW_S + HOUR, midnight + HOUR)
    reserve(context, NOW_S + 2 * HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    propose(context)
    pass_gate(context)
    said = site.run("reserve", "approve", "--router", "r1", "--day", "2026-11-24", "--who", "anna").stdout
    assert said.count("approved by anna") == 3
    assert [each.state for each in standing(context)] == ["approved", "approved", "approved", "pending"]
    with pytest.raises(CommandError, match="no pending scheduled change starts on 2026-11-24"):
        waiting_scheduled(context, context.settings.router("r1"), None, date(2026, 11, 24))


def test_edges_stand_on_rules_that_wait_too_but_are_not_approved_before_them(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    router, day = context.settings.router("r1"), date(2026, 11, 24)
    model = build_model(router, context.settings.plans["recommended"], PAIRS[1:])
    waiting = Candidate(model, render(model))
    write_candidate(context.output / "r1", waiting)
    with transaction(context.database) as session:
        base = changes.in_force(session, "r1")
        assert base is not None
        proposals.put(session, Change(
            "r1", day, base.candidate_hash, waiting.hash, waiting.model_hash, "pending", (NOW_S + 9 * HOUR) * 1000,
            pairs_removed=1, pairs_kept=8,
        ))  # fmt: skip
    propose(context)
    on_waiting = [each for each in standing(context) if each.base_hash == waiting.hash]
    assert [each.effective_s for each in on_waiting] == [NOW_S + HOUR, NOW_S + 2 * HOUR]
    refused = decide_on(context, on_waiting[0], "approved", "anna")
    assert "which are not approved; decide on that change first" in refused.explanation
    assert {each.change.base_hash for each in approve_by_quota(context, router)} == {base.candidate_hash}


def test_a_nights_text_holds_what_is_in_force_and_asks_nobody_if_nothing_else_differs(context: Context) -> None:
    """No flows were seen, so that no pair goes or comes, but one that is pinned."""
    router, today = context.settings.router("r1"), date(2026, 11, 24)
    reserve(context, NOW_S, NOW_S + 2 * HOUR)
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, pair=SECOND)
    same = stages.propose(context, router, today)
    assert premium_terms(context, same.change.candidate_hash) == ["premium-reservation-1"]
    assert same.change.state == "empty"
    with transaction(context.database) as session:
        pinned = PinEntry("r1", "192.0.2.0/24", "203.0.113.0/24", "anna", "weekly copy", today)
        overrides.add_pin(session, pinned)
    other = stages.propose(context, router, today)
    assert premium_terms(context, other.change.candidate_hash) == ["premium-reservation-1"]
    assert (other.change.state, len(other.proposal.added)) == ("pending", 1)


def test_rules_that_are_approved_bring_along_what_a_quota_allows(context: Context) -> None:
    router, today = context.settings.router("r1"), date(2026, 11, 24)
    with transaction(context.database) as session:
        pinned = PinEntry("r1", "192.0.2.0/24", "203.0.113.0/24", "anna", "weekly copy", today)
        overrides.add_pin(session, pinned)
    waiting = stages.propose(context, router, today).change
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    grant(context, 3)
    propose(context)
    pass_gate(context)
    holds = judgement_now(context, router, waiting, verified_candidate(context, router, waiting))
    with transaction(context.database) as session:
        replace_judgement(session, holds, passing("r1", waiting.candidate_hash))
    decided = decide_on(context, waiting, "approved", "anna")
    assert decided.outcome == "decided"
    on_new = [each.state for each in standing(context) if each.base_hash == waiting.candidate_hash]
    assert on_new == ["approved", "approved"]


def test_a_night_is_not_kept_from_its_rules_by_what_its_text_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch)
    with at(scheduled_site(tmp_path, plan=PLAN_WITHOUT_PREMIUM)) as context:
        approve_rules(context)
        reserve(context, NOW_S, NOW_S + 2 * HOUR)
        found = stages.propose(context, context.settings.router("r1"), date(2026, 11, 24))
    assert found.change.state == "empty"
    (note,) = [each for each in found.proposal.notes if "reservations" in each]
    assert note.startswith("the present reservations are left out: router 'r1': 1 reservations, but its plan has no")


def test_the_command_makes_them_judges_them_and_lets_quotas_approve(
    site: Installation, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulations are another test's: here the gate passes what it is given, once."""
    judged: list[str] = []

    def judge_change(of: Context, router: Router, change: Change, **_: object) -> JudgedText:
        judged.append(change.candidate_hash)
        pass_gate(of, router.name)
        passed = (Verdict(name, "findings", "passed", "well") for name in CRITERIA)
        return JudgedText(router.name, change.candidate_hash, Judgement(tuple(passed), ()), {})

    monkeypatch.setattr(prepare_scheduled, "judge_change", judge_change)
    number = reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    grant(context, 3)
    said = site.run("reserve", "propose", "--router", "r1").stdout
    first, last = standing(context)
    assert judged == [first.candidate_hash]
    assert [line for line in said.splitlines() if "approved" in line] == [
        f"r1 from 2026-11-24T11:00:00Z, {first.candidate_hash[:12]}: approved by quota 1",
        f"r1 from 2026-11-24T12:00:00Z, {last.candidate_hash[:12]}: approved by the text approved for 2026-11-23",
    ]
    assert site.run("reserve", "propose", "--router", "r1").stdout.count("gate:") == 0
    listed = site.run("reserve", "changes").stdout
    assert "reservation-1 1 Gb/s" in listed
    assert f"{DAY}" in listed
    cancel(context, number, "moved")
    assert "superseded" in site.run("reserve", "propose", "--router", "r1").stdout
    assert standing(context) == []


def test_a_text_is_shown_with_its_difference_and_rejected(site: Installation, context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    digits = standing(context)[0].candidate_hash[:12]
    shown = site.run("reserve", "text", "--router", "r1", "--hash", digits).stdout
    assert "not judged yet" in shown
    assert "+            term premium-reservation-1" in shown
    said = site.run("reserve", "reject", "--router", "r1", "--hash", digits, "--who", "anna", "--note", "no").stdout
    assert said.endswith("rejected by anna\n")
    propose(context)
    assert [each.state for each in scheduled_changes_of(context, context.settings.router("r1"), with_past=True)] == [
        "rejected", "pending"
    ]  # fmt: skip
    assert site.run("reserve", "approve", "--router", "r1", expect=2).stderr.count("give either --hash or --day")
