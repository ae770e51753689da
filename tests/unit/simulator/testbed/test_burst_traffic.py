"""Schedules of bursts: their mean, their tail and their busiest tenth of a second."""

import numpy as np
import pytest

from hntes.simulator.testbed.burst_traffic import BURSTS_PER_S, BurstTraffic, burst_schedule

DURATION_S = 4.5


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("mean_bps", "factor"), [(3e9, 2.0), (1e9, 2.0), (3e9, 1.5)])
def test_mean_and_peak_are_as_wanted(mean_bps: float, factor: float, seed: int) -> None:
    schedule = burst_schedule(BurstTraffic(mean_bps, factor, 1e9), DURATION_S, seed)
    assert schedule.sizes_bytes.sum() * 8 / DURATION_S == pytest.approx(mean_bps)
    # a fifth of the excess is lost to slow starts
    assert schedule.peak_factor == pytest.approx(1 + 1.2 * (factor - 1), abs=0.06)


def test_the_busiest_tenth_of_a_second_is_that_of_its_bursts() -> None:
    """Counted again, millisecond by millisecond."""
    schedule = burst_schedule(BurstTraffic(3e9, 2.0, 1e9), DURATION_S, 5)
    at_s = np.arange(0, DURATION_S, 0.001)
    ends_s = schedule.starts_s + schedule.sizes_bytes * 8 / 1e9
    sending = ((schedule.starts_s <= at_s[:, None]) & (at_s[:, None] < ends_s)).sum(axis=1)
    busiest_bps = np.convolve(sending, np.ones(100) / 100, "valid").max() * 1e9
    assert schedule.peak_factor == pytest.approx(busiest_bps / 3e9, rel=0.02)


def test_sizes_are_of_a_pareto_distribution_with_a_mean_of_4_mb() -> None:
    schedule = burst_schedule(BurstTraffic(3e9, 2.0, 1e9), DURATION_S, 1)
    sizes = np.sort(schedule.sizes_bytes)
    assert len(sizes) == pytest.approx(BURSTS_PER_S * DURATION_S, abs=1)
    assert sizes.mean() == pytest.approx(4e6, rel=0.01)
    # of shape 1.5: ten times the size is 32 times as rare
    assert (sizes > 10 * sizes[0]).mean() == pytest.approx(10**-1.5, rel=0.1)


def test_the_seed_determines_the_schedule() -> None:
    traffic = BurstTraffic(3e9, 2.0, 1e9)
    first, again, other = (burst_schedule(traffic, DURATION_S, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.starts_s, again.starts_s)
    assert not np.array_equal(first.starts_s, other.starts_s)
