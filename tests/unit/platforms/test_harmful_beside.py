"""Each harmful statement of an operator's is refused, or not judged, beside a configuration that passes without it."""

from pathlib import Path

import pytest

from hntes.rules.qos.model import RouterModel
from tests.contract.platform.case import case_of
from tests.support.harmful_beside import harmful_beside
from tests.support.qos_models import PLATFORMS, model
from tests.support.real_configurations import Listing, fate_of, plan

# Plans with one edge and one core port; the others', whose plans need more than ports, have the suite's router.
PORTS = {
    "junos": ("xe-0/0/0", 100, "xe-0/0/1"),
    "iosxr": ("TenGigE0/0/0/0", 100, "TenGigE0/0/0/1"),
    "iosxe": ("TenGigabitEthernet0/0/0", 100, "TenGigabitEthernet0/0/1"),
}


def made_for(platform: str) -> RouterModel:
    if platform not in PORTS:
        return model(platform)
    edge, unit, core = PORTS[platform]
    return plan(platform, (edge, unit, (4,)), core, 0)


CASES = [(platform, index) for platform in PLATFORMS for index in range(len(harmful_beside(made_for(platform))))]


@pytest.mark.parametrize(("platform", "index"), CASES)
def test_it_does_not_pass(platform: str, index: int, tmp_path: Path) -> None:
    path = tmp_path / "running.conf"
    path.write_text(case_of(platform).running)
    listing, made = Listing(path, platform, has_qos=True), made_for(platform)
    assert fate_of(listing, made).outcome == "passed"
    text = harmful_beside(made)[index]
    assert fate_of(listing, made, text).outcome in ("collides", "not judged", "failed"), text
