"""Reservations are configured on an emulated router when they start, and removed when they end; rules stay."""

import json
from datetime import date

import pytest
from sqlalchemy import text as sql

from hntes.sql.errors import BrokenLogError
from hntes.sql.session import transaction
from hntes.workflow.audit_checks import verify_audit
from hntes.workflow.delivery import push_request
from hntes.workflow.delivery.authority import AuthorityError
from hntes.workflow.delivery.deliver import deliver
from hntes.workflow.delivery.removal import remove_all
from hntes.workflow.delivery.scheduled_delivery import deliver_scheduled
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import audit_listing
from hntes.workflow.reservations.quotas import add_quota, list_quotas, revoke_quota
from hntes.workflow.reservations.reservation_status import path_status
from hntes.workflow.reservations.reserve import cancel
from hntes.workflow.review.status import router_progress
from tests.support.delivery import SharedTimer
from tests.support.pushes import KilledError
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge
from tests.support.scheduled_site import (
    R2,
    SECOND,
    approve_night,
    approve_rules,
    at,
    by_quota,
    grant,
    pass_gate,
    premium_terms,
    propose,
    reserve,
    standing,
)

HOUR, LEAD_S, GBIT = 3600, 120, 10**9
NEXT_DAY = date(2026, 11, 24)


def test_it_comes_before_its_edge_and_goes_at_its_end(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    assert edge.states(number) == [("r1", "ready")]
    edge.at(HOUR - LEAD_S - 1)
    assert edge.deliver().outcome == "held"
    assert edge.policed() == {}
    edge.at(HOUR - LEAD_S)
    shown = edge.deliver(commit=False)
    assert (shown.outcome, "policer hntes-premium-reservation-1" in shown.difference) == ("would_change", True)
    assert not shown.has_problems
    assert edge.policed() == {}
    done = edge.deliver()
    assert (done.outcome, done.late) == ("done", ())
    assert edge.policed() == {1: GBIT}
    assert edge.states(number) == [("r1", "on")]
    edge.at(2 * HOUR - 1)
    assert edge.deliver().outcome == "held"
    edge.at(2 * HOUR)
    assert edge.deliver().outcome == "done"
    assert (edge.policed(), edge.pairs()) == ({}, len(PAIRS))
    assert edge.states(number) == []
    assert edge.deliver().outcome == "held"
    kinds = [each.kind for each in audit_listing(edge.context, None, (), None, None)]
    assert kinds.count("verified") == 3
    assert verify_audit(edge.context).problem is None


def test_what_runs_by_a_quota_goes_on_when_that_is_revoked(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    edge.deliver()
    (quota,) = list_quotas(edge.context)
    revoke_quota(edge.context, quota.number, "otto", "the copies are done")
    edge.prepare()
    assert [each.state for each in standing(edge.context)] == ["approved", "approved"]
    assert edge.deliver().outcome == "held"
    assert edge.policed() == {number: GBIT}


def test_what_gives_way_to_what_begins_at_its_end_is_over_and_not_late(edge: Edge) -> None:
    """There is no room for both, so the one that begins is on the router before its instant, and the other is not."""
    first = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR, 3 * GBIT)
    second = reserve(edge.context, NOW_S + 2 * HOUR, NOW_S + 3 * HOUR, 3 * GBIT, pair=SECOND)
    edge.prepare()
    edge.at(HOUR - LEAD_S)
    edge.deliver()
    edge.at(2 * HOUR - LEAD_S)
    assert edge.states(first) == [("r1", "on")], "until the other is delivered"
    assert edge.deliver().late == ()
    assert edge.policed() == {second: 3 * GBIT}
    assert (edge.states(first), edge.states(second)) == ([("r1", "over")], [("r1", "on")])
    (told,) = path_status(edge.context, first)
    assert told.explanation == "gave way before its end to what begins at 2026-11-24T12:00:00Z"


def test_a_text_that_comes_again_is_reported_again(edge: Edge) -> None:
    """The third text is the first one's: what was delivered last must be known at each edge."""
    for start in (1, 3):
        reserve(edge.context, NOW_S + start * HOUR, NOW_S + (start + 1) * HOUR)
    edge.prepare()
    seen = []
    for hour in (1, 2, 3, 4):
        edge.at(hour * HOUR)
        assert edge.deliver().outcome == "done"
        seen.append(edge.policed())
    assert seen == [{1: GBIT}, {}, {2: GBIT}, {}]
    assert router_progress(edge.context, edge.context.settings.router("r1")).is_confirmed


def test_background_is_shared_anew_at_an_edge_and_a_cancelled_one_leaves(edge: Edge) -> None:
    grant(edge.context, 4)
    reserve(edge.context, NOW_S, NOW_S + 4 * HOUR, 3 * GBIT, kind="background", floor_bps=GBIT, pair=SECOND)
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR, 2 * GBIT)
    edge.prepare()
    edge.deliver()
    assert edge.policed() == {1: 3 * GBIT}
    edge.at(HOUR - LEAD_S)
    edge.deliver()
    assert edge.policed() == {1: 1_300_000_000, 2: 2 * GBIT}
    edge.at(2 * HOUR)
    cancel(edge.context, number, "broken off")
    edge.prepare()
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {1: 3 * GBIT}


def test_a_nights_text_does_not_bring_what_has_ended(edge: Edge) -> None:
    """It was approved while a reservation was active, and is delivered after the reservation's end."""
    number = reserve(edge.context, NOW_S, NOW_S + 2 * HOUR)
    night = approve_night(edge.context, NEXT_DAY)
    assert premium_terms(edge.context, night.candidate_hash) == [f"premium-reservation-{number}"]
    edge.at(2 * HOUR)
    with pytest.raises(AuthorityError, match=rf"reservation {number} \(198\.18\.50\.0/24.*\) has ended"):
        edge.push()
    assert edge.policed() == {}
    # the calendar's text on these rules is the way on
    edge.prepare()
    edge.push()
    assert (edge.policed(), edge.pairs()) == ({}, len(PAIRS) + 1)


def test_a_nights_text_does_not_bring_what_has_not_begun(edge: Edge) -> None:
    """The clock was set back since the night."""
    number = reserve(edge.context, NOW_S + 1, NOW_S + 2 * HOUR)
    edge.at(2)
    night = approve_night(edge.context, NEXT_DAY)
    assert premium_terms(edge.context, night.candidate_hash) == [f"premium-reservation-{number}"]
    edge.at(-LEAD_S)
    begins = r"begins at 2026-11-24T10:00:01Z only; look at the clock of this machine"
    with pytest.raises(AuthorityError, match=rf"reservation {number} \(198\.18\.50\.0/24.*\) {begins}"):
        edge.push()
    assert edge.policed() == {}


def test_a_nights_text_brings_what_is_active_still(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + 2 * HOUR)
    approve_night(edge.context, NEXT_DAY)
    edge.at(2 * HOUR - 1)
    edge.push()
    assert edge.policed() == {number: GBIT}


def test_nothing_that_is_not_approved_gets_there_and_it_is_told_before(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(edge.context)
    assert edge.states(number) == [("r1", "waits")]
    edge.at(HOUR - LEAD_S)
    found = edge.deliver()
    assert found.outcome == "held"
    (late,) = found.late
    assert (late.number, late.rate_bps, late.since_s) == (number, GBIT, NOW_S + HOUR - LEAD_S)
    assert late.reason.endswith("waits for approval")
    said = edge.site.run("reserve", "deliver", "--router", "r1", "--commit", expect=3)
    assert f"LATE: reservation {number} is not on r1 with 1 Gb/s" in said.stdout
    edge.at(HOUR)
    assert "on r1: late: text " in edge.site.run("reserve", "show", str(number)).stdout
    due = edge.site.run("reserve", "due", "--router", "r1")
    assert due.stdout.splitlines()[1].endswith("pending")
    assert f"LATE: reservation {number} is not on r1" in due.stderr
    metrics = edge.site.run("metrics").stdout
    assert 'hntes_reservations_late{router="r1"} 1.0' in metrics
    assert 'hntes_reservation_texts_waiting{router="r1"} 2.0' in metrics
    assert edge.policed() == {}


def test_a_push_that_fails_is_told_and_tried_again(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    edge.at(HOUR - LEAD_S)
    edge.router.full_disk = True
    found = edge.deliver()
    assert found.outcome == "failed"
    assert found.problem
    assert [each.number for each in found.late] == [number]
    assert found.late[0].reason == " ".join(found.problem.split())
    said = audit_listing(edge.context, None, ("undelivered",), None, None)
    assert len(said) == 1
    edge.router.full_disk = False
    edge.at(HOUR)
    assert edge.deliver().outcome == "done"
    assert edge.states(number) == [("r1", "on")]


def test_rules_that_are_approved_meanwhile_do_not_come_with_a_reservation(edge: Edge) -> None:
    reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    approve_rules(edge.context, day=NEXT_DAY, pairs=PAIRS[1:])
    edge.prepare()
    edge.at(HOUR)
    assert edge.deliver().outcome == "done"
    assert (edge.policed(), edge.pairs()) == ({1: GBIT}, len(PAIRS))
    # the rules are delivered, and the reservation stays with them
    edge.push()
    assert (edge.policed(), edge.pairs()) == ({1: GBIT}, len(PAIRS) - 1)
    edge.at(3 * HOUR)
    edge.prepare()
    assert edge.deliver().outcome == "done"
    assert (edge.policed(), edge.pairs()) == ({}, len(PAIRS) - 1)


def test_a_router_from_which_all_was_withdrawn_gets_nothing(edge: Edge) -> None:
    reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    router = edge.context.settings.router("r1")
    remove_all(edge.context.settings, router, SharedTimer(edge.router), commit=True)
    edge.at(HOUR)
    with pytest.raises(CommandError, match="was removed from the router"):
        edge.push()
    assert edge.deliver().outcome == "nothing_due"
    assert edge.policed() == {}


def test_an_approval_that_the_log_does_not_have_delivers_nothing(edge: Edge) -> None:
    reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    propose(edge.context)
    with transaction(edge.context.database) as session:
        session.execute(sql("UPDATE change SET state = 'approved'"))
    edge.at(HOUR)
    found = edge.deliver()
    assert found.outcome == "failed"
    assert "the audit log holds no such decision" in found.problem
    with pytest.raises(BrokenLogError):
        edge.push()
    assert edge.policed() == {}


def test_windows_hold_at_edges_unless_the_settings_say_otherwise(edge: Edge) -> None:
    """The windows are open on Sundays alone; the edge is on a Tuesday."""
    window = '[delivery]\n[[delivery.windows]]\ndays = ["sun"]\nstart = "00:00"\nend = "24:00"\ntime_zone = "UTC"\n\n'
    path = edge.site.settings
    path.write_text(window + path.read_text(encoding="utf-8"), encoding="utf-8")
    reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    edge.at(HOUR)
    with at(edge.site) as edge.context:
        found = edge.deliver()
        assert (found.outcome, "no window is open" in found.problem) == ("failed", True)
        assert edge.policed() == {}
    path.write_text(path.read_text(encoding="utf-8").replace("cap_pct = 33", "cap_pct = 33\noutside_windows = true"))
    with at(edge.site) as edge.context:
        assert edge.deliver().outcome == "done"
    assert edge.policed() == {1: GBIT}


def test_standing_edges_are_those_that_were_delivered(edge: Edge) -> None:
    reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    edge.deliver()
    assert edge.site.run("router", "drift", "--router", "r1").stdout.count("equal") == 1
    assert standing(edge.context)[0].state == "approved"


@pytest.mark.parametrize("step", ["trial starts", "verified: to be confirmed", "kept"])
def test_what_a_killed_delivery_left_is_ended_although_something_else_is_due_by_then(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The reservation is cancelled before the next call: what is due is what was reported last."""
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()

    def record(*about: object) -> None:
        if about[-1] == step:
            raise KilledError
        recorded(*about)

    recorded = push_request._record
    with monkeypatch.context() as killing:
        killing.setattr(push_request, "_record", record)
        with pytest.raises(KilledError):
            edge.deliver()
    cancel(edge.context, number, "moved")
    edge.prepare()
    edge.router.clock.advance(1e6)  # what was on trial alone, the router takes back
    assert edge.deliver().outcome in ("done", "held")
    assert edge.policed() == {}
    assert edge.deliver().outcome == "held"
    assert not (edge.site.output / "r1" / "delivery" / "journal.json").exists()


def test_a_router_that_is_not_reached_gets_it_handed_over_and_reported(edge: Edge) -> None:
    """r2 has no address in the settings."""
    approve_rules(edge.context, "r2")
    router = edge.context.settings.router("r2")
    deliver(edge.context, router)
    reserve(edge.context, NOW_S, NOW_S + HOUR, ports=(R2,))
    add_quota(edge.context, R2, GBIT, NOW_S, NOW_S + HOUR, "otto", "copies")
    propose(edge.context, "r2")
    pass_gate(edge.context, "r2")
    by_quota(edge.context, "r2")
    manifest = edge.site.output / "r2" / "approved" / "manifest.json"
    before = json.loads(manifest.read_text(encoding="utf-8"))
    (done,) = deliver_scheduled(edge.context, [router], commit=True)
    after = json.loads(manifest.read_text(encoding="utf-8"))
    assert (done.outcome, done.late) == ("handed_over", ())
    assert after["scheduled"] == {"from": "2026-11-24T10:00:00Z", "base": before["sha256"]}
    assert after["transition"]["from_sha256"] == before["sha256"]
    assert len(after["approvals"]) == 2
    edge.site.run("router", "verified", "--router", "r2", "--hash", after["sha256"][:12])
    edge.at(HOUR)
    (done,) = deliver_scheduled(edge.context, [router], commit=True)
    again = json.loads(manifest.read_text(encoding="utf-8"))
    assert (again["sha256"], again["transition"]["from_sha256"]) == (before["sha256"], after["sha256"])
