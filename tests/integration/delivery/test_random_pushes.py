"""Some of the pushes that are disturbed at random; the campaigns of 500 are in tests/long."""

from pathlib import Path

import pytest

from tests.support.devices.farm import Farm
from tests.support.random_pushes import disturbed_push


@pytest.mark.parametrize(
    ("platform", "seed"),
    [
        *(("junos", seed) for seed in range(1, 21)),
        *(("iosxe", seed) for seed in range(1, 25)),
        *(("iosxr", seed) for seed in range(1, 31)),
    ],
)
def test_a_disturbed_push_leaves_one_text_or_the_other_and_the_next_calls_mend_it(
    tmp_path: Path, farm: Farm, platform: str, seed: int
) -> None:
    found = disturbed_push(farm, tmp_path, seed, platform)
    assert found.broken is None, found
