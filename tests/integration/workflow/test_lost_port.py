"""A reserved port that has left the settings: its router waits, by name; all others go on."""

from pathlib import Path

import pytest

from hntes.workflow.delivery.scheduled_delivery import run_scheduled_round
from hntes.workflow.reservations.calendar import timetable
from hntes.workflow.reservations.ports import LostPortError
from hntes.workflow.reservations.reservation_status import late_reservations
from hntes.workflow.reservations.scheduled_changes import propose_scheduled
from hntes.workflow.reservations.webhook_notifications import notices
from hntes.workflow.stages import prepare_scheduled
from tests.support.installation import Installation
from tests.support.reserving import NOW_S, set_clock
from tests.support.scheduled_site import (
    FIRST,
    R1,
    R2,
    SECOND,
    approve_rules,
    at,
    by_quota,
    grant,
    pass_gate,
    premium_terms,
    propose,
    reserve,
    scheduled_site,
    standing,
)

HOUR = 3600
THIRD = "198.18.52.0/24>203.0.113.0/24"
WEBHOOK = '[[reservations.webhooks]]\nowner = "anna"\nurl = "http://127.0.0.1:9/rates"\n'
WAY_ON = f"reservation 1: port {R2} is no longer a port with queues in the settings; restore it, or cancel"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """Reservation 1 is across r2 alone, 2 across both routers, 3 across r1 alone; the port of r2 gets another name."""
    set_clock(monkeypatch)
    made = scheduled_site(tmp_path, section=WEBHOOK)
    with at(made) as context:
        approve_rules(context, "r1")
        approve_rules(context, "r2")
        reserve(context, NOW_S, NOW_S + HOUR, pair=FIRST, ports=(R2,))
        reserve(context, NOW_S, NOW_S + HOUR, pair=SECOND, ports=(R1, R2))
        reserve(context, NOW_S, NOW_S + HOUR, pair=THIRD, ports=(R1,))
    _rename(made, "xe-0/0/1", "xe-0/0/2")
    return made


def _rename(site: Installation, port: str, other: str) -> None:
    before, mark, r2 = site.settings.read_text(encoding="utf-8").partition('name = "r2"')
    assert f'"{port}"' in r2
    site.settings.write_text(before + mark + r2.replace(f'"{port}"', f'"{other}"'), encoding="utf-8")


def test_only_its_router_is_stopped_and_others_police_what_they_have_of_the_path(site: Installation) -> None:
    with at(site) as context:
        with pytest.raises(LostPortError, match=rf"{WAY_ON} the reservation \(hntes reserve cancel 1\)"):
            propose(context, "r2")
        propose(context, "r1")
        (now, *_) = standing(context, "r1")
        assert premium_terms(context, now.candidate_hash) == ["premium-reservation-2", "premium-reservation-3"]
        (stretch, *_) = timetable(context, "r1", None, HOUR)
        assert [(each.name, each.rate_bps) for each in stretch.reserved] == [
            ("reservation-2", 10**9),
            ("reservation-3", 10**9),
        ]
        assert [each.number for each in late_reservations(context, context.settings.router("r1"))] == [2, 3]
        with pytest.raises(LostPortError, match=WAY_ON):
            timetable(context, "r2", None, HOUR)


def test_quotas_approve_what_is_of_other_routers(site: Installation) -> None:
    with at(site) as context:
        grant(context, 2)
        propose(context, "r1")
        pass_gate(context, "r1")
        outcomes = by_quota(context, "r1")
    assert {outcome for outcome, _ in outcomes} == {"decided"}, outcomes


@pytest.fixture
def unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare_scheduled, "judge_scheduled", lambda *_: ())


@pytest.mark.usefixtures("unjudged")
def test_a_router_that_has_left_stops_none(site: Installation) -> None:
    text = site.settings.read_text(encoding="utf-8")
    kept, mark, _ = text.partition('\n[[routers]]\nname = "r2"')
    assert mark
    site.settings.write_text(kept, encoding="utf-8")
    done = site.run("reserve", "propose")
    assert "r1 2026-11-24T10:00:00Z: " in done.stdout
    assert WAY_ON in site.run("reserve", "list").stderr


@pytest.mark.usefixtures("unjudged")
def test_the_command_does_all_other_routers_and_names_the_way_on(site: Installation) -> None:
    done = site.run("reserve", "propose", "--router", "r2", "--router", "r1", expect=3)
    assert "r1 2026-11-24T10:00:00Z: " in done.stdout
    assert f"r2 FAILED: {WAY_ON}" in done.stderr


@pytest.mark.parametrize("way", ["cancel", "restore"])
def test_its_router_goes_on_once_it_is_mended(site: Installation, way: str) -> None:
    if way == "restore":
        _rename(site, "xe-0/0/2", "xe-0/0/1")
    else:
        for number in ("1", "2"):
            site.run("reserve", "cancel", number, "--reason", "the port is gone")
    with at(site) as context:
        propose(context, "r2")


def test_deliveries_to_other_routers_go_on(site: Installation) -> None:
    with at(site) as context:
        routers = [context.settings.router(name) for name in ("r2", "r1")]
        found = run_scheduled_round(context, routers, commit=True)
        r2, r1 = found.routers
        assert (r2.router, r2.outcome, r1.outcome) == ("r2", "handed_over", "handed_over")
        assert r2.unchecked.startswith(WAY_ON)
        assert r2.has_problems
        assert (r1.unchecked, [each.number for each in r1.late]) == ("", [2, 3])


def test_owners_are_told_of_paths_that_are_known(site: Installation) -> None:
    with at(site) as context:
        assert [(each.reservation, each.state) for each in notices(context)] == [(3, "late")]


def test_what_its_router_has_approved_is_kept(site: Installation) -> None:
    _rename(site, "xe-0/0/2", "xe-0/0/1")
    with at(site) as context:
        propose(context, "r2")
        before = standing(context, "r2")
        assert before
    _rename(site, "xe-0/0/1", "xe-0/0/2")
    with at(site) as context:
        with pytest.raises(LostPortError):
            propose_scheduled(context, context.settings.router("r2"))
        assert standing(context, "r2") == before
