"""A command line over SSH: emulated IOS-XR and IOS-XE routers on loopback."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hntes.platforms.cisco import channel
from hntes.platforms.cisco.channel import Channel, DeviceType, open_channel
from hntes.platforms.device_errors import DeliveryError, RefusedError, UnclearError, UnreachableError
from hntes.settings.delivery import Access
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal
from tests.support.devices.farm import EmulatedRouter, Farm

Opening = Callable[[], Channel]
ANSWER_S = 120


@pytest.fixture(params=["cisco_xe", "cisco_xr"])
def served(request: pytest.FixtureRequest, farm: Farm) -> tuple[EmulatedRouter, DeviceType]:
    if request.param == "cisco_xe":
        xe = XeRouter("r1")
        return farm.serve(xe, terminal=lambda user: XeTerminal(xe, user)), "cisco_xe"
    xr = XrRouter("r1")
    return farm.serve(xr, terminal=lambda user: XrTerminal(xr, user)), "cisco_xr"


@pytest.fixture
def opening(served: tuple[EmulatedRouter, DeviceType]) -> Iterator[Opening]:
    router, device_type = served
    access = Access(address=router.host, port=router.port, user="hntes", host_key=router.host_key)
    opened: list[Channel] = []

    def open_one() -> Channel:
        opened.append(open_channel(access, ANSWER_S, device_type))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def test_lines_are_answered_and_refused(opening: Opening) -> None:
    channel = opening()
    assert "hostname r1" in channel.ask("show running-config").splitlines()
    channel.ask("configure terminal")
    assert channel.mode == "config"
    channel.enter("interface Gi1")
    channel.enter("shutdown")
    assert channel.mode == "config-if"
    with pytest.raises(RefusedError, match=r"refused `serve`: .*Invalid input"):
        channel.enter("serve")
    channel.enter("description after a refusal")


@pytest.mark.parametrize("first", ["", "show clock"], ids=["before the echo", "after the echo"])
def test_an_answer_without_end_is_refused_by_its_length(
    opening: Opening, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setattr(channel, "_LARGEST_CHARACTERS", 100_000)
    endless, read = opening(), 0

    def more(*_: object) -> str:
        nonlocal read
        read += 1
        return f"{first if read == 1 else ''}{'x' * 1000}"

    monkeypatch.setattr(endless, "_more", more)
    with pytest.raises(DeliveryError, match="`show clock` has more than 100000 characters"):
        endless.ask("show clock")
    assert read == 101


def test_a_connection_that_is_cut_is_noticed_at_once(
    opening: Opening, served: tuple[EmulatedRouter, DeviceType]
) -> None:
    channel = opening()
    served[0].faults.cut_after = served[0].faults.seen + 1
    begun_s = time.monotonic()
    with pytest.raises(UnclearError, match="the connection ended before"):
        channel.ask("show running-config")
    assert time.monotonic() - begun_s < ANSWER_S / 2, "the whole time for an answer was waited for"


def test_another_host_key_or_a_refused_login_ask_nothing(
    opening: Opening, served: tuple[EmulatedRouter, DeviceType]
) -> None:
    router, _ = served
    router.faults.authentication_refused = True
    with pytest.raises(UnreachableError, match="login of hntes refused"):
        opening()
    router.faults.authentication_refused = False
    router.change_host_key()
    with pytest.raises(UnreachableError, match="host key differs"):
        opening()
    router.stop()
    with pytest.raises(UnreachableError, match="no session"):
        opening()
    assert router.faults.seen == 0


def test_what_the_user_trusts_elsewhere_is_not_trusted_here(
    opening: Opening,
    served: tuple[EmulatedRouter, DeviceType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    router, _ = served
    router.change_host_key()
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "known_hosts").write_text(f"[{router.host}]:{router.port} {router.host_key}\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UnreachableError, match="host key differs"):
        opening()
