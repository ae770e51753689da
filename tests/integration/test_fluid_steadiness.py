"""Results of the fluid engine that lost retransmissions or a slightly different network would change."""

import pytest

from hntes.simulator import run, sensitive_measures
from hntes.simulator.engine import run_perturbed
from hntes.simulator.steadiness.agreement import distance, measure
from hntes.simulator.steadiness.sensitivity import is_steady, neighbours
from tests.support.packet_medians import plan as compared_plan
from tests.support.packet_medians import stored_medians
from tests.support.random_plans import random_plan
from tests.support.scenarios import scenario_of


def test_a_retransmission_right_behind_an_overflow_may_be_lost_too() -> None:
    # The packet engine loses the first of 3300 here, and a timeout follows, which costs more than half of the limit.
    plan = scenario_of(random_plan(193, 1e9, 60.0))
    result = run(plan, engine="fluid")
    timeouts = [
        sum(flow.tcp["timeouts"] for flow in one.flows.values() if flow.tcp)
        for one in (result, run_perturbed(plan, lost_retransmissions=True))
    ]
    assert timeouts[0] == 0 < timeouts[1]
    assert sensitive_measures(plan, result) == ["tcp"]
    shares: list[float] = []
    assert not is_steady(plan, result, shares.append)
    assert shares.count(1.0) == 1, "one run is enough to see it"


def test_long_steps_are_fewer_and_give_nearly_the_same() -> None:
    plan = scenario_of(random_plan(0, 1e9, 20.0))
    usual, long = run(plan, engine="fluid"), run_perturbed(plan, step_factor=4.0)
    assert long.events == pytest.approx(usual.events / 4, rel=0.01)
    assert long.imbalances == ()
    assert distance(measure(long), measure(usual)).decisive_misses() == []
    for wrong in (0.5, 9.0, float("nan")):
        with pytest.raises(ValueError, match=r"^step_factor is .*, not 1 to 8$"):
            run_perturbed(plan, step_factor=wrong)


@pytest.mark.parametrize(
    ("number", "runs"), [pytest.param(0, 5, id="plainly near"), pytest.param(197, 9, id="far in long steps alone")]
)
def test_long_steps_leave_a_doubt_to_usual_ones(number: int, runs: int) -> None:
    plan = scenario_of(random_plan(number, 1e9, 60.0))
    shares: list[float] = []
    assert is_steady(plan, run(plan, engine="fluid"), shares.append)
    assert shares.count(1.0) == runs


@pytest.mark.parametrize(
    ("number", "missed", "moved"),
    [
        pytest.param(80, ["delay_ms"], ["delay_ms"], id="80"),
        pytest.param(219, ["delay_ms"], ["delay_ms"], id="219"),
        pytest.param(29, ["delay_ms"], ["delay_ms"], id="29: one try per round trip is not enough"),
        pytest.param(258, ["tcp"], ["tcp"], id="258: nor are four"),
    ],
)
def test_recovery_at_a_full_queue_may_be_followed_by_another(number: int, missed: list[str], moved: list[str]) -> None:
    # To the byte all fits; of the packet engine's bursts one does not, the window is halved once more, and pings wait
    # much less. No neighbour of another size shows it, as a larger or smaller buffer is just full, too.
    plan, stored = scenario_of(compared_plan(number, "linux-6")), stored_medians("linux-6")[number]
    result = run(plan, engine="fluid")
    own = measure(result)
    assert distance(own, stored.median).decisive_misses() == missed
    assert sensitive_measures(plan, result) == moved
    others = [distance(measure(run(each, engine="fluid")), own) for each in neighbours(plan)]
    assert [one.decisive_misses() for one in others] == [[], [], [], []]
    assert run_perturbed(plan, lost_retransmissions=True).imbalances == ()
