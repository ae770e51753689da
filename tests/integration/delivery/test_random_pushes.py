"""Some of the pushes that are disturbed at random; the campaigns of hundreds are in tests/long."""

from pathlib import Path

import pytest

from tests.support.devices.farm import Farm
from tests.support.random_pushes import disturbed_push, push_while_the_clock_is_set


@pytest.mark.parametrize(
    ("platform", "seed"),
    [
        *(("junos", seed) for seed in range(1, 21)),
        *(("iosxe", seed) for seed in range(1, 25)),
        *(("iosxr", seed) for seed in range(1, 31)),
        *(("sros", seed) for seed in range(1, 31)),
        *(("eos", seed) for seed in range(1, 31)),
    ],
)
def test_a_disturbed_push_leaves_one_text_or_the_other_and_the_next_calls_mend_it(
    tmp_path: Path, farm: Farm, platform: str, seed: int
) -> None:
    found = disturbed_push(farm, tmp_path, seed, platform)
    assert found.broken is None, found


@pytest.mark.parametrize("platform", ["junos", "iosxe", "iosxr"])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_clock_that_is_set_misleads_no_push(tmp_path: Path, farm: Farm, platform: str, seed: int) -> None:
    found = push_while_the_clock_is_set(farm, tmp_path, seed, platform)
    assert found.broken is None, found
