"""Pushes that are disturbed at random, hundreds per platform: one text or the other, and the next calls mend it."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.benches import DELIVERED_TO
from tests.support.devices.clients import quick_clients
from tests.support.devices.farm import Farm
from tests.support.random_pushes import disturbed_push, push_on_a_full_disk, push_while_the_clock_is_set

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
PUSHES, CLOCK_PUSHES, DISK_PUSHES = 500, 300, 150
PLATFORMS = pytest.mark.parametrize("platform", DELIVERED_TO)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB, for which the tests have to run as root."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode:
        pytest.skip("no file system may be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


@PLATFORMS
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


@PLATFORMS
def test_no_push_is_misled_by_a_clock_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    """With the wall clock alone, half of the pushes; others are killed, or fail, beside it."""
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    ends: Counter[tuple[str, str]] = Counter()
    with quick_clients(), Farm() as farm:
        for seed in range(CLOCK_PUSHES):
            found = push_while_the_clock_is_set(farm, tmp_path / str(seed), seed, platform)
            assert found.broken is None, found
            ends[found.disturbance, found.ended] += 1
    print(sorted(ends.items()))
    assert sum(count for (name, _), count in ends.items() if name == "wall_clock") > CLOCK_PUSHES // 4


@PLATFORMS
def test_no_push_is_misled_by_a_full_disk_of_its_own(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    ends: Counter[str] = Counter()
    with quick_clients(), Farm() as farm:
        for seed in range(DISK_PUSHES):
            found = push_on_a_full_disk(farm, small_disk, seed, platform)
            assert found.broken is None, found
            ends[found.ended] += 1
    print(sorted(ends.items()))
    assert len(ends) > 1, "the disk was never full where it mattered"
