"""Criterion 10 beside direct packet runs over many random plans, and at its limits with several seeds."""

import pytest

from hntes.settings.model import Gate
from tests.support.direct_bursts import RandomPlan, by_gate, direct, disagreements, random_plans

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
PLANS = random_plans(50, seed=40)
SEEDS = (1, 2, 3)


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_the_gate_says_what_direct_runs_say(plan: RandomPlan) -> None:
    assert disagreements(plan, by_gate(plan, Gate()), direct(plan, groups=2)) == []


@pytest.mark.parametrize(
    ("least_sure_pct", "most_sure_pct", "ranks"), [(54, 60, (1, 2)), (52, 56, (1, 1)), (50, 54, (2, 1))]
)
def test_outside_of_the_band_every_seed_gives_the_same_verdict(
    least_sure_pct: int, most_sure_pct: int, ranks: tuple[int, int]
) -> None:
    """Beside a peak of 30%: the least share fails, and the most passes, whatever the seed."""
    for share_pct, passes in ((least_sure_pct, False), (most_sure_pct, True)):
        for seed in SEEDS:
            verdicts = by_gate(RandomPlan(share_pct, 40, ranks, 30.0), Gate(seed=seed))
            assert all(each.is_passing for each in verdicts.values()) is passes, (share_pct, seed, verdicts)


@pytest.mark.parametrize(("beta_ms", "passes"), [(2.0, False), (4.0, True)])
def test_outside_of_the_band_every_seed_gives_the_same_verdict_on_loss(beta_ms: float, passes: bool) -> None:
    for seed in SEEDS:
        verdicts = by_gate(RandomPlan(65, beta_ms, (1, 2), 30.0), Gate(seed=seed))
        assert verdicts["burst_loss"].is_passing is passes, (seed, verdicts["burst_loss"])
