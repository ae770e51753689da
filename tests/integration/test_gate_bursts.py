"""Criterion 10: what plans make of bursts, its levers, and its word beside direct runs; more in the long run."""

import pytest

from hntes.gate import JudgedPlan, Lab, Verdict, judge_plans
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import BURSTS
from hntes.gate.ports import planned_ports
from hntes.platforms.parse import parse_config
from hntes.settings.model import Gate
from hntes.settings.plans import Plan, TwoQueue
from hntes.simulator.engine import NotApplicableError, check
from tests.support.direct_bursts import RandomPlan, by_gate, direct, disagreements, random_plans
from tests.support.gate_subjects import shared_lab, small_model, subject_of
from tests.support.qos_models import PLATFORMS, PUBLISHED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
GATE = Gate()


def judged(platform: str, plan: Plan, lab: Lab | None = None) -> dict[str, Verdict]:
    subject = subject_of(small_model(platform, plan))
    model = parse_config(platform, subject.text, subject.interfaces)
    ports = planned_ports(model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=100)
    plans = [JudgedPlan(port, GATE, BetaPeak(30.0, is_measured=False)) for port in ports]
    return {each.measure: each for each in judge_plans(plans, lab or shared_lab(), [BURSTS])}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_recommended_plan_lets_bursts_through_and_the_published_one_does_not(platform: str) -> None:
    recommended, published = judged(platform, TwoQueue(kind="two_queue")), judged(platform, PUBLISHED)
    assert {name: each.outcome for name, each in recommended.items() if each.outcome != "passed"} == {}
    delays = ("burst_delay_increase", "burst_delay_sd", "burst_delay_p99")
    assert [published[name].outcome for name in delays] == ["failed"] * 3
    # by so many times less is what alpha does to bursts
    for name, factor in zip(delays, (20, 8, 5), strict=True):
        assert (published[name].value or 0) > factor * (recommended[name].value or 0)
    assert "is guaranteed 40% of" in published["burst_delay_increase"].sentence


def test_where_reservations_are_idle_the_rank_decides() -> None:
    """Network control's and premium's idle shares are 35%, which go to whoever ranks first."""
    shares = {"premium_share_pct": 30, "premium_cap_pct": 10, "alpha_share_pct": 30, "beta_share_pct": 35}
    alpha_first = TwoQueue.model_validate({"kind": "two_queue", **shares})
    beta_first = alpha_first.model_copy(update={"alpha_priority": "medium-low", "beta_priority": "medium-high"})
    assert judged("junos", alpha_first)["burst_delay_increase"].outcome == "failed"
    assert {each.outcome for each in judged("junos", beta_first).values()} == {"passed"}


def test_the_fluid_engine_refuses_bursts() -> None:
    wanted = BURSTS.wanted(RandomPlan(60, 40, (1, 2), 30.0).judged(GATE))
    assert {each.needs_packets for each in wanted.values()} == {True}
    with pytest.raises(NotApplicableError):
        check(wanted["beside 0"].scenario, "fluid")


@pytest.mark.parametrize("number", range(3))
def test_the_gate_says_of_a_random_plan_what_direct_runs_say(number: int) -> None:
    plan = random_plans(3, seed=7)[number]
    assert disagreements(plan, by_gate(plan, GATE), direct(plan, groups=1)) == []
