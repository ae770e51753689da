"""Pushes that are disturbed at random, 500 per platform: one text or the other, and the next calls mend it."""

from collections import Counter
from pathlib import Path

import pytest

from tests.support.devices.clients import quick_clients
from tests.support.devices.farm import Farm
from tests.support.random_pushes import disturbed_push

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
PUSHES = 500


@pytest.mark.parametrize("platform", ["junos", "iosxe", "iosxr"])
def test_no_disturbed_push_leaves_half_a_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    ends: Counter[tuple[str, str]] = Counter()
    with quick_clients(), Farm() as farm:
        for seed in range(1000, 1000 + PUSHES):
            found = disturbed_push(farm, tmp_path / str(seed), seed, platform)
            assert found.broken is None, found
            ends[found.disturbance, found.ended] += 1
    print(sorted(ends.items()))
    assert len({ended for _, ended in ends}) >= 5, "the disturbances did not reach far enough"
