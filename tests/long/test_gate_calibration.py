"""Criteria 2, 3 and 5 at their limits: away from a stated band, both engines and three seeds give the same verdict."""

from pathlib import Path

import pytest

from hntes.gate.criteria import THROUGHPUT
from hntes.simulator import RunFolder
from tests.support.calibration import LEVERS, found_by

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
SEEDS = (1, 2, 3)


@pytest.mark.parametrize("name", LEVERS)
@pytest.mark.parametrize("passes", [False, True], ids=["fails", "passes"])
def test_outside_of_the_band_engines_and_seeds_give_one_verdict(name: str, passes: bool, tmp_path: Path) -> None:
    lever, store = LEVERS[name], RunFolder(tmp_path)
    value = lever.passes if passes else lever.fails
    found = {"fluid": found_by(lever, value, "fluid", SEEDS[0], store=store)}
    found |= {f"packet, seed {seed}": found_by(lever, value, "packet", seed, store=store) for seed in SEEDS}
    told = {who: (verdict.outcome, verdict.value) for who, verdict in found.items()}
    assert {verdict.is_passing for verdict in found.values()} == {passes}, told


@pytest.mark.parametrize("name", [name for name, lever in LEVERS.items() if lever.criterion is not THROUGHPUT])
def test_cubic_gives_the_verdict_of_h_tcp_outside_of_the_band(name: str, tmp_path: Path) -> None:
    """The gate asks these criteria with H-TCP alone; CUBIC's goodput is a verdict of its own."""
    lever, store = LEVERS[name], RunFolder(tmp_path)
    for value, passes in ((lever.fails, False), (lever.passes, True)):
        verdict = found_by(lever, value, "packet", SEEDS[0], "cubic", store)
        assert verdict.is_passing is passes, (value, verdict.outcome, verdict.value)
