"""Answers come in whatever pieces the network makes of them, and may hold an operator's letters of any language."""

from collections.abc import Callable
from pathlib import Path

import paramiko
import pytest

from hntes.platforms.cisco import channel
from tests.support.devices.farm import Farm
from tests.support.pushes import Bench, bench
from tests.support.pushes_iosxe import xe_bench
from tests.support.pushes_iosxr import xr_bench

NAMES = "Zürich Süd, Île-de-France, Łódź, 東京"
# Each platform's router, and where its operator has written that.
ROUTERS: dict[str, tuple[Callable[[Path, Farm], Bench], str]] = {
    "junos": (lambda folder, farm: bench(farm, folder), f'set interfaces xe-0/0/0 description "{NAMES}"'),
    "iosxe": (xe_bench, f"interface TenGigabitEthernet0/0/1\ndescription {NAMES}"),
    "iosxr": (xr_bench, f"interface TenGigE0/0/0/1\n description {NAMES}"),
}


@pytest.mark.parametrize("octets", [1, 3, 7])
@pytest.mark.parametrize("platform", ROUTERS)
def test_a_letter_that_comes_in_two_pieces_is_one(
    farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, octets: int
) -> None:
    made, written = ROUTERS[platform]
    routed = made(tmp_path, farm)
    routed.changed_by_alice(written)
    received = paramiko.Channel.recv
    monkeypatch.setattr(paramiko.Channel, "recv", lambda self, size: received(self, min(size, octets)))
    assert routed.push().outcome == "done"
    assert NAMES in routed.shown()
    routed.router.clock.advance(1e6)
    assert routed.push().outcome == "held"


def test_octets_that_are_no_letters_are_shown_and_two_of_them_are_not_alike() -> None:
    said = [channel._text(octets.decode("latin-1")) for octets in (b"S\xfcd", b"S\xf6d", "Süd".encode())]
    assert said == [r"S\xfcd", r"S\xf6d", "Süd"]
