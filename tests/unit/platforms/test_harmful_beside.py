"""Each harmful statement of an operator's is refused, or not judged, beside a configuration that passes without it."""

from pathlib import Path

import pytest

from hntes.rules.qos.model import RouterModel
from tests.contract.platform.case import case_of
from tests.support.harmful_beside import harmful_beside
from tests.support.qos_models import model
from tests.support.real_configurations import Listing, fate_of, plan
from tests.unit.platforms.test_conflicts import RUNNING

PORTS = {
    "junos": ("xe-0/0/0", 100, "xe-0/0/1"),
    "iosxr": ("TenGigE0/0/0/0", 100, "TenGigE0/0/0/1"),
    "iosxe": ("TenGigabitEthernet0/0/0", 100, "TenGigabitEthernet0/0/1"),
}


# Those whose plans need more than ports have the suite's router.
OF_SUITE = ("sros", "eos")


def made_for(platform: str) -> RouterModel:
    if platform in OF_SUITE:
        return model(platform)
    edge, unit, core = PORTS[platform]
    return plan(platform, (edge, unit, (4,)), core, 0)


def running_of(platform: str) -> str:
    return case_of(platform).running if platform in OF_SUITE else RUNNING[platform]


CASES = [
    (platform, index) for platform in (*PORTS, *OF_SUITE) for index in range(len(harmful_beside(made_for(platform))))
]


@pytest.mark.parametrize(("platform", "index"), CASES)
def test_it_does_not_pass(platform: str, index: int, tmp_path: Path) -> None:
    path = tmp_path / "running.conf"
    path.write_text(running_of(platform))
    listing, made = Listing(path, platform, has_qos=True), made_for(platform)
    assert fate_of(listing, made).outcome == "passed"
    text = harmful_beside(made)[index]
    assert fate_of(listing, made, text).outcome in ("collides", "not judged", "failed"), text
