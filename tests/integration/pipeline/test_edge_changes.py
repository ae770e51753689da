"""Texts at the edges of the calendar: made, made again, superseded, approved by persons and by quotas."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text

from pipeline.candidates import known_candidate
from pipeline.context import Context
from pipeline.edge_changes import propose_edges, waiting_edges
from pipeline.edge_decisions import approve_by_quota, decide_edge
from pipeline.errors import CommandError
from pipeline.quotas import add_quota, list_quotas, revoke_quota, second_quota
from pipeline.record import audit_listing, verify_audit
from pipeline.reserve import cancel
from rules.change.candidate import Candidate, write_candidate
from rules.pairs import PrefixPair
from rules.qos.build import build_model
from rules.qos.reserved import Reserved
from rules.render.text import render
from sql import change_sets
from sql.entries import ChangeSetEntry
from sql.session import transaction
from tests.support.edge_site import (
    DAY,
    FIRST,
    R1,
    R2,
    SECOND,
    approve_rules,
    at,
    edge_site,
    pass_gate,
    reserve,
    standing,
)
from tests.support.installation import Installation
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S, set_clock

HOUR = 3600
GBIT = 10**9


@pytest.fixture
def site(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Installation:
    set_clock(monkeypatch)
    return edge_site(tmp_path, database_url)


@pytest.fixture
def context(site: Installation) -> Iterator[Context]:
    with at(site) as context:
        approve_rules(context)
        yield context


def propose(context: Context, name: str = "r1", until_s: int | None = None) -> None:
    found = propose_edges(context, context.settings.router(name), until_s)
    assert found.unmade == ()


def names(context: Context, candidate_hash: str) -> list[str]:
    """The reservations that a text polices, read from its lines."""
    candidate = known_candidate(context, context.settings.router("r1"), candidate_hash)
    lines = (line.split() for line in candidate.text.splitlines())
    return sorted(line[1] for line in lines if line[:1] == ["term"] and line[1].startswith("premium-"))


def by_quota(context: Context) -> list[tuple[str, str]]:
    """What quotas did: outcome and explanation of each that waited."""
    return [(each.outcome, each.explanation) for each in approve_by_quota(context, context.settings.router("r1"))]


def grant(context: Context, gbps: int, start_s: int = NOW_S, end_s: int = NOW_S + 7 * 24 * HOUR) -> int:
    return add_quota(context, R1, gbps * GBIT, start_s, end_s, "otto", "weekly copies").number


def edge_log(context: Context) -> list[str]:
    return [each.detail.split(" from ")[0] for each in audit_listing(context, None, ("edge",), None, None)]


def test_each_edge_has_a_text_with_what_is_in_force_until_the_next(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    reserve(context, NOW_S + 2 * HOUR, NOW_S + 4 * HOUR, pair=SECOND)
    propose(context)
    found = [(each.from_s - NOW_S, each.until_s, each.leads, names(context, each.candidate_hash))
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
    # GARA: 2 Gb/s x (100 ms + 100 x 0.33 / (0.99 - 0.33) ms) / 8
    bucket = 37_500_000
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
    assert [each.from_s for each in standing(context)] == [far_s]
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
    assert edge_log(context)[-2:] == ["superseded", "superseded"]
    # and one that has begun: the text without it is wanted from the present moment on
    number = reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    propose(context)
    pass_gate(context)
    by_quota(context)
    set_clock(monkeypatch, NOW_S + 2 * HOUR)
    cancel(context, number, "broken off")
    propose(context)
    last = standing(context)[-1]
    assert (last.from_s, last.until_s, last.candidate_hash) == (NOW_S + 2 * HOUR, None, last.base_hash)


def test_background_gets_another_rate_at_an_edge_and_so_another_text(context: Context) -> None:
    """Worked by hand: 33 % of 10 Gb/s are 3.3; foreground of 2 leaves 1.3."""
    background = {"kind": "background", "floor_bps": GBIT, "pair": SECOND}
    reserve(context, NOW_S, NOW_S + 3 * HOUR, 3 * GBIT, **background)
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, 2 * GBIT)
    propose(context)
    assert [each.summary for each in standing(context)] == [
        "reservation-1 3000000000 bit/s",
        "reservation-1 1300000000 bit/s, reservation-2 2000000000 bit/s",
        "reservation-1 3000000000 bit/s",
        "no reservation",
    ]


def test_nothing_is_made_on_a_text_without_a_premium_queue_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch)
    site = edge_site(tmp_path)
    site.settings.write_text(site.settings.read_text(encoding="utf-8").replace("premium_share_pct = 40", ""))
    with at(site) as context:
        approve_rules(context)
        reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
        found = propose_edges(context, context.settings.router("r1"))
    assert [(each.from_s, "no premium queue" in each.problem) for each in found.unmade] == [(NOW_S + HOUR, True)]
    assert [each.summary for each in found.standing] == ["no reservation"]


def test_a_person_approves_one_by_its_hash_and_only_what_the_gate_has_passed(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    router = context.settings.router("r1")
    (entry,) = waiting_edges(context, router, standing(context)[0].candidate_hash[:12], None)
    refused = decide_edge(context, router, entry, "approved", "anna", None)
    assert refused.outcome == "refused"
    assert "not judged yet" in refused.explanation
    pass_gate(context)
    done = decide_edge(context, router, entry, "approved", "anna", "looked at it", identity="os:anna")
    assert (done.outcome, done.entry.state) == ("decided", "approved")
    (said,) = [e for e in audit_listing(context, None, ("edge",), None, None) if e.detail.startswith("approved")]
    assert said.detail == (f"approved from 2026-11-24T11:00:00Z on {entry.base_hash}; until 2026-11-24T12:00:00Z")
    assert (said.candidate_hash, said.who, said.identity) == (entry.candidate_hash, "anna", "os:anna")
    assert said.judgement_id
    again = decide_edge(context, router, entry, "rejected", "bert", None)
    assert (again.outcome, again.explanation.endswith("it is approved by anna")) == ("refused", True)
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
    with pytest.raises(CommandError, match="no text that waits begins on 2026-11-24"):
        waiting_edges(context, context.settings.router("r1"), None, date(2026, 11, 24))


def test_two_approvals_need_two_persons_for_a_text_and_for_a_quota(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch)
    site = edge_site(tmp_path, sections="[review]\napprovals = 2\n")
    with at(site) as context:
        approve_rules(context)
        reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
        propose(context)
        pass_gate(context)
        router = context.settings.router("r1")
        entry = standing(context)[0]
        number = add_quota(context, R1, 9 * GBIT, None, NOW_S + 9 * HOUR, "otto", "copies", identity="os:otto").number
        assert "no quota allows 1000000000 bit/s" in by_quota(context)[0][1]
        outcomes = [
            decide_edge(context, router, entry, "approved", who, None, identity=f"os:{who}").outcome
            for who in ("anna", "anna", "bert")
        ]
        assert outcomes == ["waits_for_second", "refused", "decided"]
        with pytest.raises(CommandError, match="another person must be the second"):
            second_quota(context, number, "otto", identity="web:Otto")
        reserve(context, NOW_S + 3 * HOUR, NOW_S + 4 * HOUR)
        propose(context)
        pass_gate(context)
        assert [outcome for outcome, _ in by_quota(context)] == ["refused", "decided"]
        second_quota(context, number, "paul", identity="os:paul")
        assert [outcome for outcome, _ in by_quota(context)] == ["decided"]


def test_a_quota_approves_what_it_covers_and_the_log_says_which(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, 2 * GBIT)
    number = grant(context, 2)
    propose(context)
    assert "not judged yet" in by_quota(context)[0][1]
    pass_gate(context)
    done = approve_by_quota(context, context.settings.router("r1"))
    assert [(each.outcome, each.entry.decided_by) for each in done] == [("decided", f"quota {number}")]
    said = audit_listing(context, None, ("edge",), None, None)[-1]
    assert said.detail.endswith(f"; by quota {number}")
    assert (said.who, said.candidate_hash) == (None, done[0].entry.candidate_hash)


def test_what_ends_needs_neither_quota_nor_judgement(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(context)
    assert [outcome for outcome, _ in by_quota(context)] == ["refused", "decided"]
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
                 if each.entry.from_s == NOW_S + HOUR)  # fmt: skip
    assert first.outcome == "refused"
    assert "no quota allows" in first.explanation


def test_a_quota_approves_no_text_that_the_book_has_left_behind(context: Context) -> None:
    number = reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    grant(context, 3)
    propose(context)
    pass_gate(context)
    cancel(context, number, "moved")
    outcomes = by_quota(context)
    assert outcomes[0][0] == "refused"
    assert "the book has other reservations by now" in outcomes[0][1]


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
        session.execute(text("DELETE FROM edge_change WHERE base_hash <> :other"), {"other": other})
        session.execute(
            text("UPDATE edge_change SET base_hash = :base, day = '2026-11-23' WHERE base_hash = :other"),
            {"base": approved, "other": other},
        )
    assert {("it changes more than reservations" in said) for _, said in by_quota(context)} == {True}


def _base_of(context: Context, day: date) -> str:
    with transaction(context.database) as session:
        return str(
            session.execute(text("SELECT candidate_hash FROM change_set WHERE day = :day"), {"day": day}).scalar_one()
        )


def test_a_stretch_that_becomes_longer_is_approved_for_the_rest_anew(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    ending = reserve(context, NOW_S + 2 * HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    grant(context, 3, end_s=NOW_S + 2 * HOUR)
    propose(context)
    pass_gate(context)
    assert [outcome for outcome, _ in by_quota(context)] == ["decided", "refused", "decided"]
    cancel(context, ending, "moved")
    propose(context)
    found = [(each.from_s - NOW_S, each.state) for each in standing(context)]
    assert found == [(HOUR, "approved"), (2 * HOUR, "pending"), (3 * HOUR, "approved")]
    assert standing(context)[0].candidate_hash == standing(context)[1].candidate_hash


def test_edges_stand_on_rules_that_wait_too_but_are_not_approved_before_them(context: Context) -> None:
    reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    router, day = context.settings.router("r1"), date(2026, 11, 24)
    model = build_model(router, context.settings.plans["recommended"], PAIRS[1:])
    waiting = Candidate(model, render(model))
    write_candidate(context.output / "r1", waiting)
    with transaction(context.database) as session:
        base = change_sets.in_force(session, "r1")
        assert base is not None
        change_sets.put(session, ChangeSetEntry(
            "r1", day, base.candidate_hash, waiting.hash, waiting.model_hash, "pending", (NOW_S + 9 * HOUR) * 1000,
            data_complete=True, pairs_added=0, pairs_removed=1, pairs_kept=8, summary="one pair less",
        ))  # fmt: skip
    propose(context)
    on_waiting = [each for each in standing(context) if each.base_hash == waiting.hash]
    assert [each.from_s for each in on_waiting] == [NOW_S + HOUR, NOW_S + 2 * HOUR]
    refused = decide_edge(context, router, on_waiting[0], "approved", "anna", None)
    assert "which are not approved; decide on that change set first" in refused.explanation
    assert {each.entry.base_hash for each in approve_by_quota(context, router)} == {base.candidate_hash}


def test_quotas_are_listed_with_their_state(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    grant(context, 3, NOW_S + HOUR)
    revoke_quota(context, grant(context, 2), "otto", "no longer")
    grant(context, 1, end_s=NOW_S + 60)
    assert [(each.number, each.state) for each in list_quotas(context)] == [(1, "to come"), (3, "open")]
    set_clock(monkeypatch, NOW_S + 60)
    assert [each.state for each in list_quotas(context, with_past=True)] == ["to come", "revoked", "past"]
    with pytest.raises(CommandError, match="r1:xe-0/0/0 is no port with queues"):
        add_quota(context, "r1:xe-0/0/0", GBIT, None, NOW_S + HOUR, "otto", "copies")
