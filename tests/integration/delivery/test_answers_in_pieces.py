"""Answers come in whatever pieces the network makes of them, and may hold an operator's letters of any language."""

from pathlib import Path

import paramiko
import pytest

from hntes.platforms.cisco import channel
from tests.support.benches import DELIVERED_TO, bench_of
from tests.support.devices.farm import Farm

NAMES = "Zürich Süd, Île-de-France, Łódź, 東京"
# Where the operator of each platform's router has written that.
WRITTEN = {
    "junos": f'set interfaces xe-0/0/0 description "{NAMES}"',
    "iosxe": f"interface TenGigabitEthernet0/0/1\ndescription {NAMES}",
    "iosxr": f"interface TenGigE0/0/0/1\n description {NAMES}",
    "sros": f'port 1/1/c2/1 {{\n    description "{NAMES}"\n}}',
    "eos": f"interface Ethernet2/1\n   description {NAMES}",
}


@pytest.mark.parametrize("octets", [1, 3, 7])
@pytest.mark.parametrize("platform", DELIVERED_TO)
def test_a_letter_that_comes_in_two_pieces_is_one(
    farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, octets: int
) -> None:
    routed = bench_of(platform, tmp_path, farm, over_ssh=True)
    routed.changed_by_alice(WRITTEN[platform])
    received = paramiko.Channel.recv
    monkeypatch.setattr(paramiko.Channel, "recv", lambda self, size: received(self, min(size, octets)))
    assert routed.push().outcome == "done"
    assert NAMES in routed.shown()
    routed.router.clock.advance(1e6)
    assert routed.push().outcome == "held"


def test_octets_that_are_no_letters_are_shown_and_two_of_them_are_not_alike() -> None:
    said = [channel._text(octets.decode("latin-1")) for octets in (b"S\xfcd", b"S\xf6d", "Süd".encode())]
    assert said == [r"S\xfcd", r"S\xf6d", "Süd"]
