"""Pushes to an emulated SR OS router: undisturbed, killed at every request, refused, cut, restarted, and taken back."""

from pathlib import Path

import pytest

from hntes.platforms.device_errors import DeliveryError, NotStoredError
from hntes.platforms.registry import platform_of
from hntes.platforms.transition import removal
from tests.support.devices.farm import Farm
from tests.support.devices.sros.datastore import enter, pruned
from tests.support.pushes import KilledError
from tests.support.pushes_sros import TEXTS, SrosBench, sros_bench
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")


@pytest.fixture
def routed(farm: Farm, tmp_path: Path) -> SrosBench:
    return sros_bench(farm, tmp_path)


def test_a_push_is_confirmed_and_saved_and_never_holds_anything_else(routed: SrosBench) -> None:
    assert routed.push().outcome == "done"
    assert routed.holds == routed.starts_with == "after"
    assert {routed.name_of(each) for each in routed.commits()} == {"before", "after"}
    assert routed.router.pending is None
    wait_until(lambda: routed.router.lock_holder is None, "the lock of a session that has ended is free")


def requests_of_a_push(farm: Farm, folder: Path) -> int:
    routed = sros_bench(farm, folder)
    routed.push()
    return routed.asked


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_push_that_is_killed_at_any_request_is_taken_up_again(farm: Farm, tmp_path: Path, side: str) -> None:
    for number in range(1, requests_of_a_push(farm, tmp_path) + 1):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        routed = sros_bench(farm, folder)
        routed.killed_at = (number, side)
        with pytest.raises(KilledError):
            routed.push()
        routed.killed_at = None
        routed.served.stop()
        routed.served.start()
        assert routed.push().outcome in ("done", "held", "finished"), number
        assert routed.holds == routed.starts_with == "after", number
        assert {routed.name_of(each) for each in routed.commits()} <= {"before", "after"}, number


def test_a_refusal_at_any_request_leaves_one_of_the_two_texts(farm: Farm, tmp_path: Path) -> None:
    for number in range(1, requests_of_a_push(farm, tmp_path) + 1):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        routed = sros_bench(farm, folder)
        routed.served.faults.refused[number] = "MINOR: MGMT_CORE #2301: not now"
        try:
            routed.push()
        except (DeliveryError, NotStoredError):
            routed.router.clock.advance(3600)
        assert routed.holds in ("before", "after"), number
        routed.served.faults.refused.clear()
        assert routed.push(before=routed.holds).outcome in ("done", "held", "finished"), number
        assert routed.holds == "after", number


def test_a_router_that_restarts_during_a_trial_has_its_startup_configuration(routed: SrosBench) -> None:
    routed.at["verified: to be confirmed"] = routed.served.restart
    with pytest.raises(DeliveryError):
        routed.push()
    assert routed.holds == routed.starts_with == "before"


def test_a_full_disk_is_told_and_the_text_stays(routed: SrosBench) -> None:
    routed.router.full_disk = True
    with pytest.raises(NotStoredError, match="startup configuration is the earlier one"):
        routed.push()
    assert (routed.holds, routed.starts_with) == ("after", "before")


def test_a_trial_of_somebody_else_is_not_confirmed(routed: SrosBench) -> None:
    session = routed.router.open("alice")
    enter(routed.router.edited(session), routed.alices_elsewhere)
    routed.router.commit(session, 600, persist="alice")
    with pytest.raises(DeliveryError, match="a confirmed commit is in progress"):
        routed.push()
    assert routed.router.pending is not None
    assert routed.router.pending.persist == "alice"


def test_what_somebody_changed_in_the_part_of_hntes_is_drift(routed: SrosBench) -> None:
    session = routed.router.open("alice")
    enter(routed.router.edited(session), routed.alices_own)
    routed.router.commit(session)
    with pytest.raises(DeliveryError, match="cir 50"):
        routed.push()


def test_everything_is_withdrawn_to_the_byte(routed: SrosBench) -> None:
    enter(routed.router.committed, removal("sros", TEXTS["before"]))
    routed.router.committed = pruned(routed.router.committed)
    assert routed.shown() == routed.operators_own()
    assert platform_of("sros").dialect.owned(routed.shown()).statements == ()
