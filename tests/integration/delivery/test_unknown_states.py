"""While it is not known what a router holds, it is asked again, and nothing is said to be held."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.delivery.push import push
from hntes.delivery.request import PushRequest
from hntes.platforms.device_errors import DeliveryError, NotKeptError, UnclearError
from hntes.platforms.junos.session import JunosDevice
from hntes.platforms.netconf import messages
from hntes.platforms.netconf import session as netconf_session
from tests.support.benches import DELIVERED_TO, bench_of
from tests.support.delivery import Site
from tests.support.devices.farm import Farm
from tests.support.pushes import MINUTES, Bench, KilledError, bench
from tests.support.pushes_sros import SrosBench


@pytest.fixture(params=DELIVERED_TO)
def routed(request: pytest.FixtureRequest, tmp_path: Path, farm: Farm) -> Bench:
    return bench_of(request.param, tmp_path, farm)


def _failing() -> None:
    raise OSError("the probe failed")


def _killed(*_: object) -> None:
    raise KilledError


def _no_configuration(routed: Bench) -> str:
    """On SR OS any words are a statement."""
    return "}\n" if isinstance(routed, SrosBench) else " permit any\n"


def _misread(routed: Bench, monkeypatch: pytest.MonkeyPatch, said: str, when: Callable[[], bool]) -> None:
    """Readings of the router give this in the place of its configuration, as long as it is so."""
    device = routed.opened()
    reader = type(device)
    device.close()
    name = "_listed" if hasattr(reader, "_listed") else "_configuration"
    read = getattr(reader, name)
    monkeypatch.setattr(reader, name, lambda self, which: said if when() else read(self, which))


@pytest.mark.parametrize("said", ["}\n", " permit any\n"])
def test_what_is_no_configuration_does_not_end_the_wait_for_the_routers_return(
    routed: Bench, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    routed.extra = _failing
    _misread(routed, monkeypatch, said, lambda: 0 < routed.timer.waited_s < 30)
    with pytest.raises(NotKeptError, match="the probe failed\nThe router has rolled back"):
        routed.push()
    assert routed.timer.waited_s >= 60 * MINUTES
    assert routed.log == ["trial starts", "rolled back: the router holds the text before"]


def test_a_router_that_never_shows_a_configuration_again_leaves_a_journal(
    routed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    routed.extra = _failing
    with monkeypatch.context() as misread:
        _misread(routed, misread, _no_configuration(routed), lambda: routed.timer.waited_s > 0)
        with pytest.raises(UnclearError, match="the probe failed\nThe router does not answer with a config"):
            routed.push()
    assert routed.journal.entry() is not None
    routed.extra = lambda: None
    routed.push()
    assert (routed.holds, routed.journal.entry()) == ("after", None)


def test_what_is_no_configuration_after_the_confirmation_is_asked_for_again(
    routed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirming: list[bool] = []
    routed.at["verified: to be confirmed"] = lambda: confirming.append(True)
    _misread(routed, monkeypatch, _no_configuration(routed), lambda: bool(confirming) and routed.timer.waited_s == 0)
    assert routed.push().outcome == "done"
    assert routed.log[-1] == "kept"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"


def test_an_answer_to_a_trial_that_is_too_long_to_be_read_lets_it_go_back(
    tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    routed = bench(farm, tmp_path)
    largest = messages.LARGEST_BYTES
    routed.at["trial starts"] = lambda: monkeypatch.setattr(netconf_session, "LARGEST_BYTES", 10)
    routed.timer.during = lambda: monkeypatch.setattr(netconf_session, "LARGEST_BYTES", largest)
    with pytest.raises(NotKeptError, match="the limit is 10"):
        routed.push()
    assert routed.holds == "before"


def test_a_trial_whose_journal_is_lost_is_not_taken_for_what_the_router_holds(tmp_path: Path, farm: Farm) -> None:
    routed = bench(farm, tmp_path)
    routed.at["verified: to be confirmed"] = _killed
    with pytest.raises(KilledError):
        routed.push()
    routed.journal.end()
    for commit in (False, True):
        with pytest.raises(DeliveryError, match="awaits its confirmation"):
            routed.push(commit=commit)
    assert routed.holds == "after on trial"
    routed.router.clock.advance(1e6)
    assert routed.push().outcome == "done"


def test_a_removal_on_trial_is_no_removal(tmp_path: Path, farm: Farm) -> None:
    routed = bench(farm, tmp_path)
    alice = routed.router.open("alice")
    routed.router.load(alice, "delete groups hntes\ndelete apply-groups hntes", "set")
    routed.router.commit(alice, confirm_s=600)
    routed.router.close(alice)
    request = PushRequest("r1", None, None, None, MINUTES, lambda _: None, routed.log.append, takes_anything=True)
    with pytest.raises(DeliveryError, match="awaits its confirmation"):
        push(request, routed.opened, routed.journal, routed.timer, commit=True)
    assert routed.log == []


def test_only_what_is_not_in_the_log_already_asks_whose_trial_it_is(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.approve()
    with monkeypatch.context() as killed:
        killed.setattr(JunosDevice, "confirm", _killed)
        with pytest.raises(KilledError):
            site.push()
    site.journal.unlink()
    said = site.installation.run("router", "deliver", "--router", "r1", "--commit", expect=3).stderr
    assert "awaits its confirmation" in said
    assert not {"loaded", "verified"} & set(site.log())
    site.router.clock.advance(1e6)
    site.installation.run("router", "deliver", "--router", "r1", "--commit")
    assert site.log()[-2:] == ["loaded", "verified"]
    alice = site.router.open("alice")
    site.router.load(alice, "set system host-name elsewhere", "set")
    site.router.commit(alice, confirm_s=600)
    assert "up to date" in site.installation.run("router", "deliver", "--router", "r1", "--commit").stdout
