"""The candidate of an emulated Junos router, its locks and its confirmed commits, held against the vendor's guides."""

import pytest

from tests.support.devices.junos.device import DeniedError, JunosRouter
from tests.support.devices.junos.text import write_set

BASE = "system { host-name r1; }"


@pytest.fixture
def router() -> JunosRouter:
    return JunosRouter.with_text("r1", BASE)


def active(router: JunosRouter) -> list[str]:
    return write_set(router.active)


def test_a_confirmed_commit_that_nobody_confirms_is_rolled_back_when_its_time_is_over(router: JunosRouter) -> None:
    session = router.open("hntes")
    router.load(session, "set system host-name r2", "set")
    router.commit(session, confirm_s=120)
    router.clock.advance(119.9)
    assert active(router) == ["set system host-name r2"]
    router.clock.advance(0.2)
    assert active(router) == ["set system host-name r1"]
    assert router.compared(session) == ""
    assert router.commits[0].client == "other"


@pytest.mark.parametrize("confirm", ["commit", "check", "another's commit"])
def test_any_commit_and_also_a_mere_check_confirms(router: JunosRouter, confirm: str) -> None:
    """CLI User Guide: "commit or commit check"; and no guide says that it must be the same user's."""
    session = router.open("hntes")
    router.load(session, "set system host-name r2", "set")
    router.commit(session, confirm_s=120)
    if confirm == "check":
        router.check(session)
    else:
        router.commit(session if confirm == "commit" else router.open("alice"))
    router.clock.advance(1e6)
    assert active(router) == ["set system host-name r2"]


def test_a_second_confirmed_commit_moves_the_deadline_and_keeps_what_comes_back(router: JunosRouter) -> None:
    session = router.open("hntes")
    for name in ("r2", "r3"):
        router.load(session, f"set system host-name {name}", "set")
        router.commit(session, confirm_s=60)
        router.clock.advance(50)
    assert active(router) == ["set system host-name r3"]
    router.clock.advance(11)
    assert active(router) == ["set system host-name r1"]


def test_a_commit_that_is_refused_neither_confirms_nor_changes_anything(router: JunosRouter) -> None:
    session = router.open("hntes")
    router.load(session, "set system host-name r2", "set")
    router.commit(session, confirm_s=60)
    router.load(session, "set interfaces xe-0/0/0 unit 0 family inet filter input absent", "set")
    with pytest.raises(DeniedError, match="check-out failed"):
        router.commit(session)
    router.clock.advance(61)
    assert active(router) == ["set system host-name r1"]


def test_what_a_session_leaves_uncommitted_is_committed_by_the_next_one(router: JunosRouter) -> None:
    """All share one candidate: CLI User Guide, "Entering and Exiting the Junos OS CLI Configuration Mode"."""
    alice = router.open("alice")
    router.load(alice, "set system domain-name example.net", "set")
    router.close(alice)
    router.commit(router.open("hntes"))
    assert "set system domain-name example.net" in active(router)


def test_a_lock_is_refused_over_another_and_over_uncommitted_changes(router: JunosRouter) -> None:
    alice, hntes = router.open("alice"), router.open("hntes")
    router.lock(alice)
    with pytest.raises(DeniedError, match="locked by:\n  alice") as held:
        router.lock(hntes)
    assert held.value.tag == "lock-denied"
    for refused in (
        lambda: router.load(hntes, "set system host-name x", "set"),
        lambda: router.commit(hntes),
        lambda: router.rollback(hntes, 0),
    ):
        with pytest.raises(DeniedError, match="locked by"):
            refused()
    router.unlock(alice)
    router.load(alice, "set system domain-name example.net", "set")
    with pytest.raises(DeniedError, match="configuration database modified"):
        router.lock(hntes)


def test_a_session_that_ends_takes_its_lock_and_its_uncommitted_changes_with_it(router: JunosRouter) -> None:
    session = router.open("hntes")
    router.lock(session)
    router.load(session, "set system host-name r2", "set")
    router.close(session)
    assert router.lock_holder is None
    assert router.compared(router.open("alice")) == ""


def test_the_deadline_passes_for_all_who_hold_a_lock_too(router: JunosRouter) -> None:
    session = router.open("hntes")
    router.load(session, "set system host-name r2", "set")
    router.commit(session, confirm_s=60)
    router.lock(router.open("alice"))
    router.clock.advance(61)
    assert active(router) == ["set system host-name r1"]


@pytest.mark.parametrize("kept", [False, True])
def test_a_restart_before_the_confirmation_does_what_the_router_is_made_to_do(router: JunosRouter, kept: bool) -> None:
    router.restart_confirms = kept
    session = router.open("hntes")
    router.load(session, "set system host-name r2", "set")
    router.commit(session, confirm_s=60)
    router.load(session, "set system domain-name lost.example", "set")
    router.restart()
    router.clock.advance(61)
    assert active(router) == ["set system host-name r2" if kept else "set system host-name r1"]


def test_a_private_copy_takes_no_confirmed_commit_and_none_over_others_changes(router: JunosRouter) -> None:
    session, alice = router.open("hntes"), router.open("alice")
    router.open_private(session)
    router.load(session, "set system host-name r2", "set")
    assert router.compared(alice) == ""
    with pytest.raises(DeniedError, match="not allowed on a private copy"):
        router.commit(session, confirm_s=60)
    router.load(alice, "set system domain-name example.net", "set")
    with pytest.raises(DeniedError, match="shared configuration database modified"):
        router.commit(session)
    router.rollback(alice, 0)
    router.commit(session)
    assert active(router) == ["set system host-name r2"]


def test_a_full_disk_leaves_what_was_active(router: JunosRouter) -> None:
    session = router.open("hntes")
    router.load(session, "set system host-name r2", "set")
    router.full_disk = True
    with pytest.raises(DeniedError, match="No space left"):
        router.commit(session)
    assert active(router) == ["set system host-name r1"]
    assert "r2" in router.compared(session)


def test_fifty_configurations_are_kept(router: JunosRouter) -> None:
    session = router.open("hntes")
    for number in range(60):
        router.load(session, f"set system host-name n{number}", "set")
        router.commit(session)
    router.rollback(session, 49)
    assert write_set(router.candidate) == ["set system host-name n10"]
    with pytest.raises(DeniedError, match="rollback 50 does not exist"):
        router.rollback(session, 50)
