"""What the gate simulates of an SR OS text is what it simulates of the same plan elsewhere."""

import pytest

from hntes.gate import planned_ports
from hntes.platforms.parse import parse_config
from hntes.settings.plans import Plan, SingleQueue, TwoQueue
from hntes.simulator import PortPlan
from tests.support.gate_subjects import small_model, subject_of


def plan_of(platform: str, plan: Plan) -> PortPlan:
    subject = subject_of(small_model(platform, plan))
    parsed = parse_config(platform, subject.text, subject.interfaces)
    (port,) = planned_ports(parsed, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=100)
    return port.plan


@pytest.mark.parametrize(
    "plan",
    [
        SingleQueue(kind="single_queue"),
        TwoQueue(kind="two_queue"),
        TwoQueue(kind="two_queue", alpha_share_pct=55, beta_share_pct=40),
        TwoQueue(kind="two_queue", alpha_priority="low"),
    ],
)
def test_queues_shares_and_ranks_are_those_of_junos(plan: Plan) -> None:
    assert plan_of("sros", plan) == plan_of("junos", plan)
