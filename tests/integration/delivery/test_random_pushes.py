"""Some of the pushes that are disturbed at random; the campaigns of hundreds are in tests/long."""

from pathlib import Path

import pytest

from tests.support.benches import DELIVERED_TO
from tests.support.devices.farm import Farm
from tests.support.random_pushes import disturbed_push, push_while_the_clock_is_set


@pytest.mark.parametrize(
    ("platform", "seed"),
    [
        (platform, seed)
        for platform in DELIVERED_TO
        for seed in range(1, {"junos": 20, "iosxe": 24}.get(platform, 30) + 1)
    ],
)
def test_a_disturbed_push_leaves_one_text_or_the_other_and_the_next_calls_mend_it(
    tmp_path: Path, farm: Farm, platform: str, seed: int
) -> None:
    found = disturbed_push(farm, tmp_path, seed, platform)
    assert found.broken is None, found


@pytest.mark.parametrize("platform", DELIVERED_TO)
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_clock_that_is_set_misleads_no_push(tmp_path: Path, farm: Farm, platform: str, seed: int) -> None:
    found = push_while_the_clock_is_set(farm, tmp_path, seed, platform)
    assert found.broken is None, found
