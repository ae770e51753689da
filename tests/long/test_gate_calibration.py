"""Criteria at their limits: away from a stated band, both engines and three seeds give the same verdict."""

from pathlib import Path

import pytest

from hntes.simulator import RunFolder
from tests.support.calibration import LEVERS, found_by

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
SEEDS = (1, 2, 3)


@pytest.mark.parametrize("name", LEVERS)
@pytest.mark.parametrize("passes", [False, True], ids=["fails", "passes"])
def test_outside_of_the_band_engines_and_seeds_give_one_verdict(name: str, passes: bool, tmp_path: Path) -> None:
    lever, store = LEVERS[name], RunFolder(tmp_path)
    value = lever.passes if passes else lever.fails
    found = {"fluid where it serves": found_by(lever, value, "fluid", SEEDS[0], store=store)}
    found |= {f"packet, seed {seed}": found_by(lever, value, "packet", seed, store=store) for seed in SEEDS}
    told = {who: (verdict.outcome, verdict.value) for who, verdict in found.items()}
    assert {verdict.is_passing for verdict in found.values()} == {passes}, told


# Those over 2 ms with Junos' ranks: the campaign has the others (docs/reference/gate-cubic.csv).
WITH_CUBIC = ("one queue for all, ms", "beta's share, per cent")


@pytest.mark.parametrize("name", WITH_CUBIC)
def test_cubic_gives_the_verdict_of_h_tcp_outside_of_the_band(name: str, tmp_path: Path) -> None:
    """Goodput apart: a verdict of its own has that of CUBIC."""
    lever, store = LEVERS[name], RunFolder(tmp_path)
    for value, passes in ((lever.fails, False), (lever.passes, True)):
        verdict = found_by(lever, value, "packet", SEEDS[0], "cubic", store)
        assert verdict.is_passing is passes, (value, verdict.outcome, verdict.value)
