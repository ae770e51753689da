"""All of HNTES is taken off a router from settings alone, and the log is told later."""

from datetime import date
from pathlib import Path

import pytest

from hntes.delivery.journal import Journal
from hntes.platforms.device_errors import DeliveryError, UnreachableError
from hntes.settings import Settings
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.change import InForceEntry
from hntes.sql.deliveries import report_pushed
from hntes.sql.engine import open_database
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.delivery.removal import remove_all
from hntes.workflow.delivery.removal_log import RemovalLog, record_removals
from tests.support.benches import DELIVERED_TO
from tests.support.databases import migrated_sqlite
from tests.support.pushes import Bench, KilledError
from tests.support.removals import settings_for

PLATFORMS = pytest.mark.parametrize("platform", DELIVERED_TO)


@pytest.fixture
def settings(routed: Bench, platform: str) -> Settings:
    return settings_for(routed, platform)


def router_of(settings: Settings) -> Router:
    return settings.routers[0]


def withdrawn(routed: Bench, settings: Settings, *, commit: bool = True) -> str:
    return remove_all(settings, router_of(settings), routed.timer, commit=commit).outcome


@PLATFORMS
def test_nothing_of_hntes_is_left_and_nothing_else_changed(routed: Bench, settings: Settings) -> None:
    assert withdrawn(routed, settings, commit=False) == "shown"
    assert routed.holds == "before"
    assert withdrawn(routed, settings) == "done"
    routed.router.clock.advance(1e6)
    assert routed.shown() == routed.operators_own()
    assert withdrawn(routed, settings) == "held"
    assert routed.timer.waited_s == 0


@PLATFORMS
def test_what_somebody_changed_in_the_part_of_hntes_goes_with_it(routed: Bench, settings: Settings) -> None:
    routed.changed_by_alice(routed.alices_own)
    assert withdrawn(routed, settings) == "done"
    assert routed.shown() == routed.operators_own()


@PLATFORMS
@pytest.mark.parametrize("is_late", [False, True])
def test_a_removal_that_was_cut_is_finished_by_the_next_call(
    routed: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    monkeypatch.setattr("hntes.workflow.delivery.removal._check_nothing", _killed)
    with pytest.raises(KilledError):
        withdrawn(routed, settings)
    monkeypatch.undo()
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    if is_late:
        routed.router.clock.advance(1e6)
        assert routed.holds == "before"
    # Where no other session confirms a trial the next call waits until it is over, and removes all anew.
    is_over = is_late or not routed.is_confirmed_by_any
    assert withdrawn(routed, settings) == ("done" if is_over else "finished")
    routed.router.clock.advance(1e6)
    assert routed.shown() == routed.operators_own()


def _killed(_: object) -> None:
    raise KilledError


@pytest.fixture
def on_trial(routed: Bench, settings: Settings) -> Bench:
    """A push was killed on its trial."""
    routed.folder = settings.paths.output / "wr" / "delivery"
    routed.at["verified: to be confirmed"] = lambda: _killed(None)
    with pytest.raises(KilledError):
        routed.push()
    assert routed.holds == "after on trial"
    return routed


@PLATFORMS
def test_a_removal_that_is_killed_as_well_never_leaves_a_text_that_nobody_verified(
    on_trial: Bench, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own commits must not confirm the trial of the push."""
    monkeypatch.setattr("hntes.workflow.delivery.removal._check_nothing", _killed)
    with pytest.raises(KilledError):
        withdrawn(on_trial, settings)
    on_trial.router.clock.advance(1e6)
    assert on_trial.holds == "before"
    monkeypatch.undo()
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    assert withdrawn(on_trial, settings) == "done"
    assert on_trial.shown() == on_trial.operators_own()


@PLATFORMS
@pytest.mark.parametrize("is_late", [False, True])
def test_what_is_logged_of_the_interrupted_push_is_true(
    on_trial: Bench, settings: Settings, platform: str, is_late: bool
) -> None:
    if is_late:
        on_trial.router.clock.advance(1e6)
    assert withdrawn(on_trial, settings) == "done"
    steps = [each.step for each in RemovalLog(settings.paths.output, "wr").read()]
    assert steps[0] == f"interrupted push ended: {_END_OF_A_PUSH[platform][is_late]}"


_UNDONE, _OVER = "its trial is rolled back", "all of HNTES is to be removed"
_UNKNOWN = "its trial, if it goes on, is rolled back"
# During its trial and later. No session but its own ends a trial of IOS-XE and IOS-XR, so that its end is waited for;
# SR OS shows none.
_END_OF_A_PUSH = {
    "junos": (_UNDONE, _OVER),
    "iosxe": (_OVER, _OVER),
    "iosxr": (_OVER, _OVER),
    "sros": (_UNKNOWN, _UNKNOWN),
    "eos": (_UNDONE, _UNKNOWN),
}


def test_a_trial_of_somebody_else_is_not_confirmed_by_a_removal(routed: Bench, settings: Settings) -> None:
    bob = routed.router.open("bob")
    assert routed.router.load(bob, "set system host-name bobs", "set") == []
    routed.router.commit(bob, "", 1800)
    routed.router.close(bob)
    for commit in (False, True):
        with pytest.raises(DeliveryError, match=r"another commit awaits .*bob.*--confirm-pending"):
            withdrawn(routed, settings, commit=commit)
    assert routed.router.pending is not None
    assert routed.holds == "neither on trial"
    outcome = remove_all(settings, router_of(settings), routed.timer, commit=True, confirms_others=True).outcome
    assert outcome == "done"
    routed.router.clock.advance(1e6)
    assert "host-name bobs" in routed.shown()
    assert "hntes" not in routed.shown()


@PLATFORMS
def test_a_push_on_trial_is_withdrawn_as_well(routed: Bench, settings: Settings) -> None:
    routed.folder = settings.paths.output / "wr" / "delivery"
    routed.at["verified: to be confirmed"] = lambda: _killed(None)
    with pytest.raises(KilledError):
        routed.push()
    assert routed.holds == "after on trial"
    assert withdrawn(routed, settings) == "done"
    routed.router.clock.advance(1e6)
    assert routed.shown() == routed.operators_own()
    assert Journal(routed.folder / "journal.json").entry() is None


@PLATFORMS
def test_it_is_recorded_once_when_the_database_is_there(routed: Bench, settings: Settings, tmp_path: Path) -> None:
    database = open_database(migrated_sqlite(tmp_path / "hntes.db"))
    context, router = Context(settings, database), router_of(settings)
    with transaction(database) as session:
        report_pushed(session, InForceEntry("wr", "a" * 64, date(2026, 11, 20)), "hntes router deliver")
    withdrawn(routed, settings)
    assert record_removals(context, router) == 3
    assert record_removals(context, router) == 0
    with reading(database) as session:
        said = [(each.kind, each.outcome) for each in audit.events(session, "wr")]
    database.dispose()
    assert said[2:] == [
        ("push", "trial starts"),
        ("push", "verified: to be confirmed"),
        ("push", "kept"),
        ("remove", ""),
    ]


@PLATFORMS
def test_a_router_that_is_away_or_shows_another_key_is_told(routed: Bench, settings: Settings) -> None:
    routed.served.change_host_key()
    with pytest.raises(UnreachableError, match="host key differs"):
        withdrawn(routed, settings)
    routed.served.stop()
    with pytest.raises(DeliveryError, match="no session"):
        withdrawn(routed, settings)
    assert routed.holds == "before"
