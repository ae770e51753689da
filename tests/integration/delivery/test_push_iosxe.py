"""A push to a router that has no candidate: each line is in effect as it is typed, and what is kept must be stored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hntes.delivery.push import push
from hntes.delivery.request import PushRequest
from hntes.platforms.device_errors import DeliveryError, NotKeptError, NotStoredError, StuckError, TrialError
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.section import Section
from tests.support.devices.farm import Farm
from tests.support.pushes import MINUTES, KilledError
from tests.support.pushes_iosxe import XeBench, typed, xe_bench

# Lines of the trial, counted from the connection on: the first and last that change something, one between the removal
# of a policy and its successor, and the end of configuration mode.
FIRST, SWAP, LAST, END = 8, 60, 79, 81
NOTE = "interface TenGigabitEthernet0/0/1\ndescription new"


@pytest.fixture
def routed(tmp_path: Path) -> XeBench:
    return xe_bench(tmp_path)


def mended(routed: XeBench) -> None:
    """The next call, undisturbed, brings the router to the text after, which it also starts with."""
    routed.served.faults.__init__()
    routed.router.full_disk = routed.router.asks_before_saving = False
    routed.killed_at = None
    routed.push()
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"
    assert routed.name_of(routed.router.startup) == "after"
    assert routed.journal.entry() is None


def described(root: Section) -> str:
    """The description of the port to the core."""
    return next(
        line for line in XeBench.statements(root)["interface TenGigabitEthernet0/0/1"] if line.startswith("desc")
    )


def _unnumbered(entry: str) -> str:
    return entry[entry.index("permit") :]


def test_what_is_kept_is_stored_and_outlives_a_restart(routed: XeBench) -> None:
    assert routed.push().outcome == "done"
    routed.served.restart()
    assert routed.holds == "after"
    assert [routed.name_of(each) for each in routed.router.stored[-2:]] == ["before", "after"]
    assert routed.push(before="after").outcome == "held"


def test_a_push_over_ssh(tmp_path: Path, farm: Farm) -> None:
    routed = xe_bench(tmp_path, farm)
    assert routed.push().outcome == "done"
    assert routed.holds == "after"
    assert routed.log == ["trial starts", "verified: to be confirmed", "kept"]


def test_a_dry_run_sends_no_line_of_configuration(routed: XeBench) -> None:
    shown = routed.push(commit=False)
    assert shown.outcome == "shown"
    assert "+ interface TenGigabitEthernet0/0/2 ip policy route-map hntes-alpha-v4" in shown.difference
    assert "- interface TenGigabitEthernet0/0/2 service-policy output hntes-out-1000000k-a1649233" in shown.difference
    assert routed.holds == "before"
    assert routed.router.files == {}


@pytest.mark.parametrize(
    ("number", "fault", "held"),
    [
        (FIRST, "refused", "before"), (FIRST + 1, "cut_after", "neither"), (SWAP, "refused", "neither"),
        (SWAP, "cut_before", "neither"), (SWAP, "silent_after", "neither"), (LAST, "refused", "neither"),
        (LAST, "cut_after", "after"), (END, "cut_before", "after"),
    ],
)  # fmt: skip
def test_a_line_in_the_middle_that_is_not_taken_lets_the_router_go_back(
    routed: XeBench, number: int, fault: str, held: str
) -> None:
    setattr(routed.served.faults, fault, {number: "% in use"} if fault == "refused" else number)
    seen: list[str] = []

    def look() -> None:
        routed.served.faults.silent_after = None
        seen.append(routed.holds)
        # No other line of the trial was sent, but one or two that ask whether it is over.
        assert routed.served.faults.seen <= number + 2

    routed.timer.during = look
    with pytest.raises(NotKeptError, match=r"The router has rolled back\Z"):
        routed.push()
    assert seen == [f"{held} on trial"]
    assert routed.timer.waited_s >= 60 * MINUTES
    assert routed.holds == "before"
    assert len(routed.router.stored) == 1
    assert routed.log == ["trial starts", "rolled back: the router holds the text before"]
    mended(routed)


@pytest.mark.parametrize("number", [FIRST - 1, SWAP])
def test_after_a_kill_between_two_lines_the_next_call_waits_until_the_router_has_gone_back(
    routed: XeBench, number: int
) -> None:
    routed.killed_at = (number, "after")
    with pytest.raises(KilledError):
        routed.push()
    assert routed.holds.endswith("on trial")
    mended(routed)
    assert routed.timer.waited_s >= 60 * MINUTES
    assert routed.log[1:] == [
        "interrupted push ended: the router does not hold its text", "trial starts", "verified: to be confirmed",
        "kept",
    ]  # fmt: skip


@pytest.mark.parametrize("said", ["% busy", "Rollback Confirmed Change: Rollback will begin in one minute."])
def test_a_confirmation_that_the_router_does_not_take_keeps_and_stores_nothing(routed: XeBench, said: str) -> None:
    routed.at["verified: to be confirmed"] = lambda: setattr(
        routed.served.faults, "refused", {routed.served.faults.seen + 1: said}
    )
    with pytest.raises(NotKeptError, match=r"the router did not confirm: .* User: hntes"):
        routed.push()
    assert (routed.holds, routed.starts_with) == ("before", "before")
    mended(routed)


@pytest.mark.parametrize(("seconds", "holds"), [(60 * MINUTES - 61, "after"), (60 * MINUTES - 59, "before")])
def test_in_the_last_minute_nothing_is_confirmed(routed: XeBench, seconds: float, holds: str) -> None:
    """The router may be going back already, and what it holds be read too early."""
    routed.at["verified: to be confirmed"] = lambda: routed.router.clock.advance(seconds)
    if holds == "after":
        routed.push()
    else:
        with pytest.raises(NotKeptError, match="nearly expired; not confirmed"):
            routed.push()
    assert (routed.holds, routed.starts_with) == (holds, holds)
    mended(routed)


def test_what_fails_its_check_was_never_stored(routed: XeBench) -> None:
    def fail() -> None:
        raise DeliveryError("probe `ping` ended with status 1")

    routed.extra = fail
    with pytest.raises(NotKeptError, match="ping"):
        routed.push()
    assert len(routed.commits()) == 1
    assert (routed.holds, routed.starts_with) == ("before", "before")


def test_without_an_archive_nothing_is_begun_and_it_is_said_what_to_configure(routed: XeBench) -> None:
    typed(routed.router, "no archive")
    routed.router.save()
    with pytest.raises(DeliveryError, match="path bootflash:"):
        routed.push()
    assert routed.log == []
    assert routed.holds == "neither"  # the archive is missing, no more
    typed(routed.router, "archive\npath bootflash:backup\nmaximum 10")
    routed.router.save()
    mended(routed)


def test_somebodys_change_that_is_not_stored_stops_it(routed: XeBench) -> None:
    typed(routed.router, NOTE)
    with pytest.raises(DeliveryError, match=r"(?s)unsaved change of somebody else.*description new"):
        routed.push()
    assert routed.log == []
    routed.router.save()
    assert routed.push().outcome == "done"
    assert described(routed.router.startup) == "description new"


def test_an_emergency_removal_does_not_wait_until_somebody_saves_a_line(routed: XeBench) -> None:
    typed(routed.router, NOTE)
    request = PushRequest("r1", None, None, None, MINUTES, lambda _: None, routed.log.append, takes_anything=True)

    def removed() -> str:
        return push(request, routed.opened, routed.journal, routed.timer, commit=True).outcome

    with pytest.raises(NotStoredError, match=r"(?s)is in effect, but nothing was saved.*description new"):
        removed()
    assert "hntes" not in routed.shown()
    assert routed.name_of(routed.router.startup) == "before"
    routed.router.save()
    assert removed() == "finished"
    assert "hntes" not in "\n".join(routed.router.startup.lines())
    assert described(routed.router.startup) == "description new"
    assert routed.journal.entry() is None


@pytest.mark.parametrize("name_length", [80, 1])
def test_a_prompt_of_the_operators_own_is_no_hindrance(routed: XeBench, name_length: int) -> None:
    """Cisco IOS Configuration Fundamentals Command Reference, "prompt", "prompt config": outside of configuration, and
    how much of the name is shown within."""
    routed.router.own_prompt, routed.router.shown_name_characters = "r1-STP-1234", name_length
    assert routed.push().outcome == "done"
    assert routed.holds == "after"
    assert routed.push(before="after", after="before").outcome == "done"


def test_somebodys_change_during_the_trial_is_not_stored_by_hntes(routed: XeBench) -> None:
    routed.at["verified: to be confirmed"] = lambda: typed(routed.router, NOTE)
    with pytest.raises(NotStoredError, match=r"(?s)unsaved change of somebody else.*description new"):
        routed.push()
    assert routed.log[-1] == "confirmed, but not stored"
    assert len(routed.router.stored) == 1
    routed.router.save()
    assert routed.push().outcome == "finished"
    assert described(routed.router.running) == "description new"
    assert routed.journal.entry() is None


def test_what_is_kept_although_it_may_not_be_delivered_any_more_is_what_the_router_starts_with(routed: XeBench) -> None:
    """It was confirmed, and its disk was full; the next call may no longer confirm it."""
    routed.at["verified: to be confirmed"] = lambda: setattr(routed.router, "full_disk", True)
    with pytest.raises(NotStoredError):
        routed.push()
    routed.router.full_disk = False

    def refused() -> None:
        raise DeliveryError("excluded now by noc")

    routed.require_allowed = refused
    assert routed.push().outcome == "kept"
    assert (routed.holds, routed.starts_with) == ("after", "after")
    assert routed.journal.entry() is None


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("problem", ["full_disk", "asks_before_saving"])
def test_what_could_not_be_stored_is_said_and_stored_by_the_next_call(
    routed: XeBench, problem: str, restarts: bool
) -> None:
    routed.at["verified: to be confirmed"] = lambda: setattr(routed.router, problem, True)
    with pytest.raises(NotStoredError, match=r"Not enough space|\[confirm\]"):
        routed.push()
    assert routed.log[-1] == "confirmed, but not stored"
    assert (routed.holds, routed.name_of(routed.router.startup)) == ("after", "before")
    if restarts:
        routed.served.restart()
        assert routed.holds == "before"
    mended(routed)


def test_anothers_trial_or_exclusive_mode_stops_it(routed: XeBench) -> None:
    alice = XeTerminal(routed.router, "alice")
    alice.enter("configure terminal revert timer 5")
    with pytest.raises(TrialError, match="User: alice"):
        routed.push()
    alice.enter("end")
    alice.enter("configure confirm")
    routed.router.locked_by = "alice"
    with pytest.raises(DeliveryError, match=r"locked exclusively by user 'alice'.*nothing was changed"):
        routed.push()
    assert routed.log == ["trial starts", "trial refused: nothing was changed"]
    routed.router.locked_by = None
    mended(routed)


def test_what_the_operators_lines_would_make_of_it_is_judged_before_a_line_is_sent(routed: XeBench) -> None:
    typed(routed.router, "interface TenGigabitEthernet0/0/2\nbandwidth 5")
    routed.router.save()
    with pytest.raises(DeliveryError, match=r"behaves differently from the text|cannot be parsed"):
        routed.push()
    assert routed.log == []
    assert routed.router.files == {}


def test_an_operators_access_list_stays_in_the_way_of_what_it_drops(routed: XeBench) -> None:
    typed(routed.router, "interface TenGigabitEthernet0/0/2\nip access-group guard in")
    routed.router.save()
    routed.push()
    assert routed.log[-1] == "kept"
    assert "ip access-group guard in" in routed.router.running.below["interface TenGigabitEthernet0/0/2"].below


def test_lines_are_no_longer_sent_when_the_routers_time_is_nearly_over(routed: XeBench) -> None:
    """What is typed after the router has gone back would stay, and no time would end it."""

    def slow(ask: Callable[..., Any], *request: Any) -> Any:
        routed.router.clock.advance(2.0)
        return ask(*request)

    routed._asked = slow  # type: ignore[method-assign]
    with pytest.raises(NotKeptError, match=r"nearly expired before|begin in one minute"):
        routed.push()
    assert routed.holds == "before"
    del routed._asked
    mended(routed)


def test_lists_that_a_restart_numbers_anew_are_no_drift_and_can_be_changed(routed: XeBench) -> None:
    routed.router.stores_numbers = False
    routed.router.lists_capitals = True
    routed.served.restart()
    assert routed.holds == "neither"  # by the numbers
    assert routed.push(before="before", after="before").outcome == "held"
    assert routed.push().outcome == "done"
    assert "2001:DB8:1::5" in XeTerminal(routed.router, "alice").enter("show running-config")
    assert routed.push(before="after", after="before").outcome == "done"
    entries = XeBench.statements(routed.router.running)["ip access-list extended hntes-alpha-v4"]
    wanted = XeBench.statements(XeBench.configured("before").running)["ip access-list extended hntes-alpha-v4"]
    assert sorted(map(_unnumbered, entries)) == sorted(map(_unnumbered, wanted))


def test_lines_after_a_return_that_came_too_early_are_told_and_can_be_withdrawn(routed: XeBench) -> None:
    """The router's clock was set, or somebody of the same user ended the trial: what is typed after that stays."""

    def returned() -> None:
        assert routed.router.revert is not None
        routed.router.running, routed.router.revert = routed.router.revert.before, None

    routed.before_request[FIRST + 2] = returned
    told = r"(?s)somebody ended the rollback timer.*holds neither text. Run `hntes router drift`, then undo the change"
    with pytest.raises(StuckError, match=told):
        routed.push()
    assert routed.timer.waited_s == 0, "waited for a timer that had ended"
    assert routed.log[-1] == "not rolled back: it holds neither text"
    with pytest.raises(DeliveryError, match="differs from the last delivery"):
        routed.push()
    request = PushRequest("r1", None, None, None, MINUTES, lambda _: None, routed.log.append, takes_anything=True)
    assert push(request, routed.opened, routed.journal, routed.timer, commit=True).outcome == "done"
    assert routed.shown() == routed.operators_own()
    assert routed.starts_with == "neither"
    assert routed.journal.entry() is None
