"""Small running configurations: a plan beside each passes, or is refused with the line and the reason."""

from pathlib import Path

import pytest

from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PLATFORMS, model
from tests.support.real_configurations import Listing, fate_of, plan

FOLDER = Path(__file__).resolve().parents[2] / "data" / "running_configurations"
# Plans with one edge and one core port; the others', whose plans need more than ports, have the suite's router.
PORTS = {
    "junos": ("xe-0/0/0", "xe-0/1/0"),
    "iosxr": ("TenGigE0/0/0/0", "HundredGigE0/0/1/0"),
    "iosxe": ("TenGigabitEthernet0/0/0", "TenGigabitEthernet0/0/1"),
}
OTHER_PORTS = {
    "iosxe-port-channel-without-aggregate": ("TenGigabitEthernet0/0/0", "Port-channel1"),
    "junos-core-port-is-a-bundle": ("xe-0/0/0", "ae0"),
    "iosxr-unit-by-its-name": ("TenGigE0/0/0/3.100", "HundredGigE0/0/1/0"),
}
# Those that are refused: the first line, and words of the reason. The others pass.
REFUSED = {
    "iosxe-port-channel-without-aggregate": (0, "platform qos port-channel-aggregate 1"),
    "junos-range-with-an-input-filter": (30, "inherited from customers"),
    "junos-filter-name-with-a-blank": (19, "rename filter `customer in`"),
    "junos-default-class-in-use-loses-its-bandwidth": (13, "no scheduler in the map hntes"),
    "junos-own-classes-ef-af": (23, "no scheduler in the map hntes"),
    "iosxr-l2transport-unit-queues-by-itself": (19, "queues a unit of HundredGigE0/0/1/0 separately"),
    "iosxr-groups-1-to-7-in-use": (14, "QoS group 3 is used by the plan"),
    "sros-vprn-on-the-core-port": (87, "service vprn customer-a: can touch the judged ports"),
    "sros-filter-that-accepts": (45, "entry 10 that does not drop"),
    "sros-own-queues-on-the-core-port": (22, "in the place of"),
    "eos-own-profile-on-the-core-port": (17, "a port has one QoS profile"),
    "eos-voice-in-the-class-of-the-pairs": (31, "puts packets marked ef into class 4"),
}


# Those without a statement in the place of HNTES', but with one that could change what is judged.
NOT_JUDGED = ("sros-vprn-on-the-core-port",)


def made_for(name: str, platform: str) -> RouterModel:
    if platform not in PORTS:
        return model(platform)
    edge, core = OTHER_PORTS.get(name, PORTS[platform])
    return plan(platform, (edge, 0, (4,)), core, 0)


def test_each_file_is_of_a_platform() -> None:
    names = {path.stem for path in FOLDER.iterdir()}
    assert len(names) >= 23
    assert {name.split("-")[0] for name in names} == set(PLATFORMS)
    assert {name.split("-")[0] for name in REFUSED} == set(PLATFORMS)
    assert set(REFUSED) | set(OTHER_PORTS) <= names


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_what_becomes_of_a_plan_beside_it(path: Path) -> None:
    platform = path.stem.split("-")[0]
    fate = fate_of(Listing(path, platform, has_qos=True), made_for(path.stem, platform))
    if path.stem not in REFUSED:
        assert fate.outcome == "passed", fate
        return
    line, words = REFUSED[path.stem]
    outcome = "not judged" if path.stem in NOT_JUDGED else "collides"
    assert (fate.outcome, fate.line) == (outcome, line)
    assert words in fate.reason
