"""Behaviour that only IOS-XR has, tested without a network, since its sessions are long."""

from datetime import date
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from hntes.delivery.push import push
from hntes.delivery.request import PushRequest
from hntes.delivery.verify import check_effect, check_part
from hntes.platforms.device import Device
from hntes.platforms.device_errors import DeliveryError, NotKeptError, RefusedError
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.support.devices.cisco.iosxr_cli import XrTerminal, typed
from tests.support.devices.cisco.xr_checks import Failure
from tests.support.pushes_iosxr import XrBench, xr_bench
from tests.support.qos_models import PLANS, REDIRECTS, model

MODELS = [model("iosxr", plan, redirect) for plan, redirect in product(PLANS, REDIRECTS)]


@pytest.fixture
def routed(tmp_path: Path) -> XrBench:
    return xr_bench(tmp_path)


def _verified(wanted: RouterModel, device: Device) -> None:
    check_part(device.dialect, device.running(), render(wanted))
    check_effect(device.dialect, device.inherited(), render(wanted), wanted.interfaces)


def withdrawn(routed: XrBench) -> str:
    request = PushRequest("r1", None, None, None, 2, lambda _: None, routed.log.append, takes_anything=True)
    return push(request, routed.opened, routed.journal, routed.timer, commit=True).outcome


def test_from_any_plan_and_redirect_to_another_and_to_nothing(routed: XrBench) -> None:
    before = routed.texts["before"]
    for after in MODELS[1:]:
        verify = partial(_verified, after)
        request = PushRequest("r1", before, render(after), date(2026, 11, 20), 2, verify, routed.log.append)
        assert push(request, routed.opened, routed.journal, routed.timer, commit=True).outcome == "done"
        before = render(after)
    assert withdrawn(routed) == "done"
    assert routed.shown() == routed.operators_own()
    assert withdrawn(routed) == "held"


def test_a_router_that_shows_wildcards_holds_the_same(routed: XrBench) -> None:
    routed.router.shows_wildcards = True
    assert routed.push().outcome == "done"
    assert routed.push().outcome == "held"
    assert routed.push(before="after", after="before").outcome == "done"
    assert withdrawn(routed) == "done"
    assert routed.shown() == routed.operators_own()


@pytest.mark.parametrize("confirmed", ["% Confirming commit for trial session.\n", "", "The commit is permanent.\n"])
@pytest.mark.parametrize("begun", ["The commit goes back in 120 seconds.\n", "The commit goes back [at 03:02:00]\n"])
def test_what_a_release_says_of_a_trial_does_not_matter(routed: XrBench, begun: str, confirmed: str) -> None:
    routed.router.says_of_trial, routed.router.says_of_confirmation = begun, confirmed
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"


def test_releases_that_take_no_comment_on_a_trial_are_delivered_to(routed: XrBench) -> None:
    """6.5.3 has only `show-error` behind `commit confirmed 120` (netmiko, pull request 3626)."""
    routed.router.comments_trials = False
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"
    assert withdrawn(routed) == "done"
    assert routed.shown() == routed.operators_own()


def test_a_commit_that_did_nothing_is_not_believed_whatever_is_said(
    routed: XrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(XrTerminal, "_committed", lambda *_: "The commit goes back in 120 seconds.\n")
        with pytest.raises(NotKeptError, match="has rolled back"):
            routed.push()
    assert routed.holds == "before"
    assert routed.router.sessions == {}


@pytest.mark.parametrize("asks", [True, False])
def test_a_confirmation_that_did_nothing_is_not_believed_whatever_is_said(
    routed: XrBench, monkeypatch: pytest.MonkeyPatch, asks: bool
) -> None:
    """A router asks before it leaves a mode with a trial, or ends the trial without a word."""
    commit, end = XrTerminal._commit, XrTerminal._end
    confirming = "% Confirming commit for trial session.\n"
    with monkeypatch.context() as patched:
        patched.setattr(XrTerminal, "_commit", lambda *given: confirming if given[1] == "commit" else commit(*given))
        patched.setattr(XrTerminal, "_end", lambda self: end(self) if asks else self._end_with_trial("yes"))
        with pytest.raises(NotKeptError, match="has rolled back"):
            routed.push()
    assert "kept" not in routed.log
    assert routed.holds == "before"
    assert routed.push().outcome == "done"


def test_a_commit_that_fails_says_why_and_changes_nothing(routed: XrBench, monkeypatch: pytest.MonkeyPatch) -> None:
    failure = Failure(("policy-map hntes-out", " class hntes-queue-scavenger"), "'qos-ea' detected: no resources")
    monkeypatch.setattr("tests.support.devices.cisco.iosxr.failures", lambda _: [failure])
    with pytest.raises(DeliveryError, match=r"Failed to commit .*qos-ea.* no resources; nothing was changed"):
        routed.push()
    monkeypatch.undo()
    assert routed.holds == "before"
    assert routed.log == ["trial starts", "trial refused: nothing was changed"]
    assert routed.push().outcome == "done"


def test_a_line_that_is_not_taken_is_named_and_the_target_given_up(routed: XrBench) -> None:
    routed.served.faults.refused = {20: "% Invalid input detected at '^' marker."}
    with pytest.raises(RefusedError, match=r"refused `.+`: % Invalid input"):
        routed.push()
    assert routed.holds == "before"
    assert routed.router.sessions == {}


def test_commits_of_others_in_between_are_not_gone_over(routed: XrBench) -> None:
    """Not possible while the lock is held; what asks for it all the same is denied."""

    def committed_in_between() -> None:
        routed.router.next_commit += 1
        routed.router._record(routed.router.running, "router", "", "by the router itself")

    routed.at["trial starts"] = committed_in_between
    with pytest.raises(DeliveryError, match=r"One or more commits have occurred from other .*nothing was changed"):
        routed.push()
    assert routed.holds == "before"
    assert routed.push().outcome == "done"


def test_a_class_of_the_operators_own_in_a_policy_of_hntes_is_drift(routed: XrBench) -> None:
    typed(routed.router, "policy-map hntes-out\n class voice\n  priority level 1")
    with pytest.raises(DeliveryError, match=r"\+ policy-map hntes-out class voice priority level 1"):
        routed.push()


def test_an_input_policy_that_covers_the_unit_is_found_before_the_trial(routed: XrBench) -> None:
    typed(routed.router, "interface TenGigE0/0/0/0\n service-policy input campus")
    with pytest.raises(DeliveryError, match="covers unit 100 of the port"):
        routed.push()
    assert routed.log == []


def test_a_forward_class_that_the_operator_has_set_already_is_not_taken_over(routed: XrBench) -> None:
    """It could not be told from that of HNTES afterwards, and a removal would remove it."""
    typed(routed.router, "interface tunnel-te5\n forward-class 1")
    after = model("iosxr", "two_queue", "lsp")
    request = PushRequest(
        "r1", routed.texts["before"], render(after), None, 2, partial(_verified, after), routed.log.append
    )
    with pytest.raises(DeliveryError, match="is not the approved"):
        push(request, routed.opened, routed.journal, routed.timer, commit=True)
    assert routed.holds == "neither"
    assert routed.router.trial is None


def test_the_lock_of_a_session_that_ended_is_free(routed: XrBench) -> None:
    for commit in (False, True):
        routed.push(commit=commit)
        assert routed.router.sessions == {}


def test_a_session_that_holds_a_trial_does_not_leave_its_mode(routed: XrBench) -> None:
    """Leaving it would end the trial; what ends the connection does not."""
    device = routed.opened()
    device.lock()
    device.load("domain name tried", is_removal=False)
    device.commit_trial(2, "hntes test")
    before = routed.served.faults.seen
    device.close()
    assert routed.served.faults.seen == before
    assert routed.router.trial is not None
    assert "domain name tried" in routed.shown()
