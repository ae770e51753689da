"""The campaign of CUBIC beside H-TCP: rows around the limit, run again, are those of the file."""

import pytest

from hntes.gate import Lab
from hntes.gate.criteria import BETA
from hntes.settings.hosts import CongestionControl
from hntes.simulator import RunFolder
from scripts.compare_cubic import NUMBERS, SHARED_MS, ComparedPlan, ask, asked, compared_plans, plan_of, read
from tests.support.gate_subjects import SIMULATIONS

CONTROLS: tuple[CongestionControl, ...] = ("htcp", "cubic")
pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
# Where CUBIC alone fails a plan: one queue for all of 1.4 to 2.4 ms, over 2 ms.
AROUND = {ComparedPlan(100, length_ms, length_ms, 1, 1, 2.0) for length_ms in SHARED_MS if 1.4 <= length_ms <= 2.4}


@pytest.mark.parametrize("number", range(len(AROUND) * 2))
def test_rows_are_as_they_were_written(number: int) -> None:
    compared, criterion = [each for each in compared_plans() if each[0] in AROUND][number]
    kept = [row for row in read(NUMBERS) if (plan_of(row), row.criterion) == (compared, criterion.name)]
    found = ask(compared, criterion, Lab(RunFolder(SIMULATIONS)))
    assert [row.measure for row in found] == [row.measure for row in kept]
    for again, row in zip(found, kept, strict=True):
        assert (again.htcp, again.cubic) == pytest.approx((row.htcp, row.cubic), rel=1e-3, abs=1e-9)
        assert (again.htcp_outcome, again.cubic_outcome, again.engine) == (
            row.htcp_outcome,
            row.cubic_outcome,
            row.engine,
        )


@pytest.mark.parametrize("beta_pct", [31.0, 33.0])
def test_over_a_long_path_a_tiny_beta_queue_loses_with_either_control_what_the_fluid_engine_does_not_see(
    beta_pct: float,
) -> None:
    """0.1 ms for beta, 80 ms: no question of the control. Criterion 10 refuses such a queue."""
    compared, lab = ComparedPlan(beta_pct, 55, 0.1, 1, 2, 80), Lab(RunFolder(SIMULATIONS))
    fluid, _ = asked(compared, BETA, lab, "htcp")
    assert (fluid.engine, fluid.value) == ("fluid", 0)
    for control in CONTROLS:
        loss, _ = asked(compared, BETA, Lab(RunFolder(SIMULATIONS), only="packet"), control)
        assert loss.value == pytest.approx(0.016, abs=0.004), control
