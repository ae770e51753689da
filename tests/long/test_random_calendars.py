"""Many random calendars, edge by edge on emulated routers of each platform."""

from pathlib import Path

import pytest

from tests.contract.platform.models import taking
from tests.support.devices.clients import quick_clients
from tests.support.devices.farm import Farm
from tests.support.random_calendars import walked

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
CALENDARS = 60


@pytest.mark.parametrize("platform", taking("premium"))
def test_each_edge_leaves_what_is_reserved_and_the_last_one_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    edges = 0
    with quick_clients(), Farm() as farm:
        for seed in range(100, 100 + CALENDARS):
            try:
                edges += walked(farm, tmp_path / str(seed), seed, platform).edges
            except AssertionError as broken:
                raise AssertionError(f"seed {seed}: {broken}") from broken
    assert edges > 8 * CALENDARS, "the calendars are too short"
