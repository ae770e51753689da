"""A push that is disturbed leaves the text before or the one after, never half a state, and the next call mends it."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.delivery.journal import Entry, Journal
from hntes.platforms.device_errors import (
    DeliveryError,
    DriftError,
    NotKeptError,
    NotStoredError,
    RefusedError,
    StuckError,
    UnclearError,
    UnreachableError,
)
from tests.support.benches import DELIVERED_TO, bench_of
from tests.support.devices.cisco.iosxr import Change, XrRouter
from tests.support.devices.farm import Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.sros.device import SrosRouter
from tests.support.pushes import MINUTES, Bench, KilledError
from tests.support.pushes_eos import EosBench
from tests.support.pushes_iosxe import XeBench
from tests.support.pushes_sros import SrosBench

JUNOS_ALONE = pytest.mark.parametrize("routed", ["junos"], indirect=True)
# Requests before the trial: where each line of configuration is one, some of each kind are disturbed.
BEFORE = [("junos", number) for number in range(1, Bench.trial_at)]
BEFORE += [("iosxe", number) for number in range(1, XeBench.trial_at)]
BEFORE += [("iosxr", number) for number in (1, 2, 3, 4, 5, *range(6, 67, 7), 68, 69, 70, 71, 72)]
BEFORE += [("sros", number) for number in range(1, SrosBench.trial_at)]
BEFORE += [("eos", number) for number in (*range(1, 12), *range(12, 100, 9), *range(100, EosBench.trial_at))]
# Refused, a request for a trial in progress or for inherited statements says that the router does not know it.
DISPENSABLE = [("junos", Bench.asking_at, "refused"), ("junos", Bench.inheriting_at, "refused")]


@pytest.fixture(params=DELIVERED_TO)
def routed(request: pytest.FixtureRequest, tmp_path: Path, farm: Farm) -> Bench:
    return bench_of(request.param, tmp_path, farm)


def mended(routed: Bench) -> None:
    """The next call, undisturbed, brings the router to the text after."""
    routed.served.faults.__init__()
    routed.router.full_disk = False
    routed.push()
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"
    assert routed.journal.entry() is None


def test_an_undisturbed_push_asks_so_many_requests(routed: Bench) -> None:
    seen: list[int] = []
    routed.at["trial starts"] = lambda: seen.append(routed.served.faults.seen)
    assert routed.push().outcome == "done"
    assert routed.holds == "after"
    assert routed.log == ["trial starts", "verified: to be confirmed", "kept"]
    assert routed.timer.waited_s == 0
    assert seen == [routed.trial_at - 1]


@pytest.mark.parametrize(
    ("routed", "number", "fault"),
    [
        (platform, number, fault)
        for platform, number in BEFORE
        for fault in ("cut_before", "cut_after", "refused")
        if (platform, number, fault) not in DISPENSABLE
    ],
    indirect=["routed"],
)
def test_before_the_trial_any_failure_leaves_the_router_as_it_was(routed: Bench, number: int, fault: str) -> None:
    if fault == "refused":
        routed.served.faults.refused = {number: "no"}
    else:
        setattr(routed.served.faults, fault, number)
    with pytest.raises(DeliveryError):
        routed.push()
    assert routed.holds == "before"
    assert len(routed.commits()) == 1
    assert routed.journal.entry() is None
    mended(routed)


def _killed() -> None:
    raise KilledError


@pytest.mark.parametrize("fault", ["cut_before", "cut_after", "silent_after"])
def test_a_trial_without_an_answer_goes_back_and_is_seen_to(routed: Bench, fault: str) -> None:
    setattr(routed.served.faults, fault, routed.trial_at)
    if fault == "silent_after":
        routed.timer.during = lambda: setattr(routed.served.faults, "silent_after", None)
    with pytest.raises(NotKeptError, match="has rolled back"):
        routed.push()
    assert routed.holds == "before"
    assert routed.log == ["trial starts", "rolled back: the router holds the text before"]
    mended(routed)


def test_a_full_disk_is_a_refusal_and_changes_nothing_or_is_told_where_what_is_confirmed_is_stored_apart(
    routed: Bench,
) -> None:
    routed.router.full_disk = True
    if routed.stores_apart:
        with pytest.raises(NotStoredError):
            routed.push()
        assert (routed.holds, routed.starts_with, routed.log[-1]) == ("after", "before", "confirmed, but not stored")
        mended(routed)
        return
    with pytest.raises(DeliveryError, match="No space left"):
        routed.push()
    assert routed.holds == "before"
    assert routed.log == ["trial starts", "trial refused: nothing was changed"]
    mended(routed)


def _failing(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize("error", [DeliveryError("probe `ping` ended with status 1"), OSError(errno.EIO, "disk")])
def test_what_fails_its_check_goes_back(routed: Bench, error: Exception) -> None:
    routed.extra = _failing(error)
    with pytest.raises(NotKeptError):
        routed.push()
    assert routed.holds == "before"
    assert routed.log == ["trial starts", "rolled back: the router holds the text before"]
    assert routed.timer.waited_s >= 60 * MINUTES
    routed.extra = lambda: None
    mended(routed)


def test_a_log_that_cannot_be_written_confirms_nothing(routed: Bench) -> None:
    routed.at["verified: to be confirmed"] = _failing(OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(NotKeptError):
        routed.push()
    assert routed.holds == "before"
    mended(routed)


def test_a_log_that_cannot_be_written_begins_no_trial(routed: Bench) -> None:
    routed.at["trial starts"] = _failing(OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(OSError, match="No space"):
        routed.push()
    assert len(routed.commits()) == 1
    assert routed.journal.entry() is None
    mended(routed)


@pytest.mark.parametrize(("step", "commits"), [("trial", 1), ("confirm", None)])
def test_a_journal_that_cannot_be_written_keeps_nothing(
    routed: Bench, monkeypatch: pytest.MonkeyPatch, step: str, commits: int | None
) -> None:
    """The disk of the machine is full: no trial is begun, and what is on trial is not confirmed."""
    write = Journal.write

    def full(journal: Journal, entry: Entry) -> None:
        if entry.step == step:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(journal, entry)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "write", full)
        with pytest.raises((OSError, NotKeptError), match="No space"):
            routed.push()
    assert routed.holds == routed.starts_with == "before"
    assert "kept" not in routed.log
    if commits is not None:
        assert len(routed.commits()) == commits
    mended(routed)


@pytest.mark.parametrize("step", ["trial starts", "verified: to be confirmed", "kept"])
@pytest.mark.parametrize("is_late", [False, True])
def test_after_a_kill_the_next_call_finishes_or_undoes(routed: Bench, step: str, is_late: bool) -> None:
    routed.at[step] = _killed
    with pytest.raises(KilledError):
        routed.push()
    if is_late:
        routed.router.clock.advance(60 * MINUTES + 1)
    assert routed.holds in ("before", "after", "after on trial")
    mended(routed)
    assert routed.log[-1] == "kept"


def _at_the_confirmation(routed: Bench, fault: str) -> None:
    later = (
        2 if isinstance(routed.router, JunosRouter | SrosRouter) else 1
    )  # there the second connection's end comes first

    def arrange() -> None:
        number = routed.served.faults.seen + later
        setattr(routed.served.faults, fault, {number: "% not now"} if fault == "refused" else number)

    routed.at["verified: to be confirmed"] = arrange


@pytest.mark.parametrize(
    ("routed", "fault"),
    [
        *((name, fault) for name in ("junos", "sros", "eos") for fault in ("cut_before", "cut_after")),
        *((name, "cut_after") for name in ("iosxe", "iosxr")),
    ],
    indirect=["routed"],
)
def test_a_confirmation_without_an_answer_is_asked_for_anew(routed: Bench, fault: str) -> None:
    _at_the_confirmation(routed, fault)
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"
    assert routed.log == ["trial starts", "verified: to be confirmed", "kept"]


@pytest.mark.parametrize(
    ("routed", "fault"), [("iosxe", "cut_before"), ("iosxr", "cut_before"), ("iosxr", "refused")], indirect=["routed"]
)
def test_a_confirmation_that_did_not_come_there_can_be_given_by_no_other_session(routed: Bench, fault: str) -> None:
    _at_the_confirmation(routed, fault)
    with pytest.raises(NotKeptError, match="has rolled back"):
        routed.push()
    assert routed.timer.waited_s >= 60 * MINUTES - 5
    assert routed.holds == "before"
    mended(routed)


def test_a_confirmation_that_comes_too_late_is_none(routed: Bench) -> None:
    routed.at["verified: to be confirmed"] = lambda: routed.router.clock.advance(60 * MINUTES + 1)
    with pytest.raises(NotKeptError, match=r"expired before the confirmation|did not confirm|nearly expired"):
        routed.push()
    assert routed.holds == "before"
    mended(routed)


@JUNOS_ALONE
def test_a_trial_that_somebody_else_confirmed_is_told_and_verified_by_the_next_call(routed: Bench) -> None:
    routed.extra = _failing(DeliveryError("probe `ping` ended with status 1"))
    routed.timer.during = lambda: routed.router.commit(routed.router.open("alice"))
    with pytest.raises(StuckError, match="was confirmed"):
        routed.push()
    assert routed.holds == "after"
    assert routed.log[-1] == "not rolled back: the router holds the new text: it was confirmed"
    routed.extra = lambda: None
    assert routed.push().outcome == "finished"
    assert routed.log[-2:] == ["verified: to be confirmed", "kept"]


def test_what_somebody_changed_in_the_part_of_hntes_stops_it_and_is_shown(routed: Bench) -> None:
    routed.changed_by_alice(routed.alices_own)
    before = len(routed.commits())
    with pytest.raises(DriftError, match=routed.alices_own_shown):
        routed.push()
    assert len(routed.commits()) == before


def test_what_somebody_changes_elsewhere_stays(routed: Bench) -> None:
    routed.changed_by_alice(routed.alices_elsewhere)
    assert routed.push().outcome == "done"
    assert "elsewhere" in routed.shown()


@JUNOS_ALONE
def test_a_group_that_is_not_applied_is_no_delivery(routed: Bench) -> None:
    routed.changed_by_alice("deactivate apply-groups hntes")
    with pytest.raises(DriftError, match="- apply-groups hntes"):
        routed.push()


@JUNOS_ALONE
def test_anothers_lock_uncommitted_change_or_trial_stops_it(routed: Bench) -> None:
    alice = routed.router.open("alice")
    routed.router.lock(alice)
    with pytest.raises(RefusedError, match="locked by"):
        routed.push()
    routed.router.unlock(alice)
    routed.router.load(alice, "set system host-name new", "set")
    with pytest.raises(RefusedError, match="modified"):
        routed.push()
    routed.router.commit(alice, confirm_s=600)
    with pytest.raises(DeliveryError, match="awaits its confirmation"):
        routed.push()
    assert routed.router.pending is not None
    routed.router.clock.advance(601)
    mended(routed)


@pytest.mark.parametrize("routed", ["iosxr"], indirect=True)
def test_anothers_lock_or_trial_there_stops_it_and_what_others_have_not_committed_does_not(routed: Bench) -> None:
    router: XrRouter = routed.router
    locking = router.open("alice", exclusive=True)
    with pytest.raises(RefusedError, match="locked by another agent"):
        routed.push()
    router.close(locking)
    trying = router.open("alice")
    trying.changes.append(Change((), "domain name", "domain name tried"))
    router.commit(trying, trial_s=600)
    with pytest.raises(RefusedError, match="trial commit is underway"):
        routed.push()
    assert routed.timer.waited_s == 0
    assert "domain name tried" in routed.shown()
    router.clock.advance(601)
    waiting = router.open("alice")
    waiting.changes.append(Change((), "domain name", "domain name waits"))
    mended(routed)


@JUNOS_ALONE
def test_a_statement_of_the_routers_own_that_wins_over_the_group_is_found(routed: Bench) -> None:
    routed.changed_by_alice("set class-of-service schedulers hntes-alpha transmit-rate percent 1")
    with pytest.raises(DeliveryError, match="behaves differently from the text"):
        routed.push()
    assert routed.log == [], "found only after a trial"


@JUNOS_ALONE
def test_a_router_that_does_not_show_what_is_inherited_is_read_back_as_well(routed: Bench) -> None:
    routed.router.shows_inheritance = False
    assert routed.push().outcome == "done"
    routed.changed_by_alice("set class-of-service schedulers hntes-alpha transmit-rate percent 1")
    with pytest.raises(DeliveryError, match="cannot be parsed"):
        routed.push(before="after", after="before")
    assert routed.holds == "neither"  # alice's own statement stays
    assert routed.log[-1] == "kept"


@pytest.mark.parametrize(
    ("routed", "restart_confirms"),
    # what confirms the trial of the others with a restart is not in their startup configuration
    [*((name, False) for name in DELIVERED_TO), ("junos", True), ("iosxr", True)],
    indirect=["routed"],
)
def test_a_restart_in_the_middle_of_a_trial(routed: Bench, restart_confirms: bool) -> None:
    routed.router.restart_confirms = restart_confirms
    routed.extra = routed.served.restart
    routed.at["verified: to be confirmed"] = lambda: setattr(routed, "extra", lambda: None)
    if restart_confirms:
        assert routed.push().outcome == "done"
    else:
        with pytest.raises(NotKeptError):
            routed.push()
    mended(routed)


@JUNOS_ALONE
def test_another_host_key_and_a_refused_login_ask_nothing(routed: Bench) -> None:
    routed.served.faults.authentication_refused = True
    with pytest.raises(UnreachableError, match="login of hntes refused"):
        routed.push()
    assert routed.served.faults.seen == 0


def test_a_router_that_is_gone_leaves_a_journal_for_the_next_call(routed: Bench) -> None:
    routed.extra = routed.served.stop
    with pytest.raises(UnclearError, match="does not answer"):
        routed.push()
    assert routed.journal.entry() is not None
    routed.served.start()
    routed.extra = lambda: None
    mended(routed)
