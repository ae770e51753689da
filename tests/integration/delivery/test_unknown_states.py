"""While it is not known what a router holds, it is asked again, and nothing is said to be held."""

from collections.abc import Callable
from pathlib import Path

import pytest

from delivery import junos
from delivery.errors import DeliveryError, NotKeptError, UnclearError
from delivery.order import Order
from delivery.push import push
from tests.support.delivery import Site
from tests.support.devices.farm import Farm
from tests.support.pushes import MINUTES, Bench, KilledError, bench
from tests.support.pushes_iosxe import xe_bench
from tests.support.pushes_iosxr import xr_bench


@pytest.fixture(params=["junos", "iosxe", "iosxr"])
def routed(request: pytest.FixtureRequest, tmp_path: Path, farm: Farm) -> Bench:
    if request.param == "junos":
        return bench(farm, tmp_path)
    return xe_bench(tmp_path) if request.param == "iosxe" else xr_bench(tmp_path)


def _failing() -> None:
    raise OSError("the probe failed")


def _killed(*_: object) -> None:
    raise KilledError


def _misread(routed: Bench, monkeypatch: pytest.MonkeyPatch, said: str, when: Callable[[], bool]) -> None:
    """Readings of the router give this in the place of its configuration, as long as it is so."""
    device = routed.opened()
    reader = type(device)
    device.close()
    name = {"JunosDevice": "_configuration", "IosxeDevice": "_listed", "IosXrDevice": "_configuration"}[reader.__name__]
    read = getattr(reader, name)
    monkeypatch.setattr(reader, name, lambda self, which: said if when() else read(self, which))


@pytest.mark.parametrize("said", ["}\n", " permit any\n"])
def test_what_is_no_configuration_does_not_end_the_wait_for_the_routers_return(
    routed: Bench, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    routed.extra = _failing
    _misread(routed, monkeypatch, said, lambda: 0 < routed.pace.waited_s < 30)
    with pytest.raises(NotKeptError, match="the probe failed\nThe router holds what it held before"):
        routed.push()
    assert routed.pace.waited_s >= 60 * MINUTES
    assert routed.log == ["trial begins", "back: the router holds the text before"]


def test_a_router_that_never_shows_a_configuration_again_leaves_a_journal(
    routed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    routed.extra = _failing
    with monkeypatch.context() as misread:
        _misread(routed, misread, " permit any\n", lambda: routed.pace.waited_s > 0)
        with pytest.raises(UnclearError, match="the probe failed\nThe router does not answer, or not with a config"):
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
    _misread(routed, monkeypatch, " permit any\n", lambda: bool(confirming) and routed.pace.waited_s == 0)
    assert routed.push().outcome == "done"
    assert routed.log[-1] == "kept"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"


def test_an_answer_to_a_trial_that_is_too_long_to_be_read_lets_it_go_back(
    tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    routed = bench(farm, tmp_path)
    largest = junos._LARGEST_BYTES
    routed.at["trial begins"] = lambda: monkeypatch.setattr(junos, "_LARGEST_BYTES", 10)
    routed.pace.during = lambda: monkeypatch.setattr(junos, "_LARGEST_BYTES", largest)
    with pytest.raises(NotKeptError, match="at most 10 are read"):
        routed.push()
    assert routed.holds == "before"
