"""Some random calendars, edge by edge on emulated routers; the campaign of many is in tests/long."""

from pathlib import Path

import pytest

from tests.contract.platform.models import taking
from tests.support.devices.farm import Farm
from tests.support.random_calendars import walked


@pytest.mark.parametrize(("platform", "seed"), [(name, seed) for name in taking("premium") for seed in (1, 2)])
def test_a_router_polices_what_is_reserved_after_each_edge_and_nothing_in_the_end(
    tmp_path: Path, farm: Farm, platform: str, seed: int
) -> None:
    walk = walked(farm, tmp_path, seed, platform)
    assert walk.edges > 5
    assert walk.changes >= walk.edges - 1
