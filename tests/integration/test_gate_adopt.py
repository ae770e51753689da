"""The gate beside an operator's class of service: what passes, and what would cost his classes or the pairs."""

from dataclasses import replace

import pytest

from hntes.gate import Judgement, Lab, judge
from hntes.settings.model import Gate
from hntes.simulator.runs.store import MemoryRuns
from hntes.simulator.testbed.class_scenarios import class_plans
from tests.support.adopted import LISTINGS, plan_of, subject_of

# The shortest path and the hosts of today: the text and the other classes are what is asked here.
GATE = Gate(round_trips_ms=(2.0,), tcp_profiles=("linux-6",), congestion=("htcp",), run_s=20.0)
BULK = {"adopt": {"forwarding_class": "bulk", "policy": "wan"}}
RUNNING = LISTINGS["junos"]
pytestmark = pytest.mark.timeout(900)


def judged(running: str = RUNNING, gate: Gate = GATE, platform: str = "junos") -> Judgement:
    return judge(subject_of(plan_of(platform, **BULK), running), gate, Lab(MemoryRuns(), 2))


def failed(judgement: Judgement) -> dict[str, str]:
    return {each.criterion: each.sentence for each in judgement.verdicts if not each.is_passing}


def test_the_pairs_in_a_class_of_the_operators_pass_and_his_classes_keep_what_they_have() -> None:
    judgement = judged()
    assert judgement.is_passing, failed(judgement)
    of_classes = {each.measure: each for each in judgement.verdicts if each.criterion == "classes"}
    # offered: 90% of what is guaranteed, which a scheduler that holds its guarantees lets by
    assert of_classes["rate"].value == pytest.approx(100, abs=1)
    assert of_classes["delay_increase"].value is not None
    assert abs(of_classes["delay_increase"].value) < 0.1
    (plan,) = judgement.plans
    offered = sorted(each.rate_bps for each in class_plans(plan.port.plan, plan.port.kept))
    assert offered == pytest.approx([0.9 * share * 1e10 * 1500 / 1538 for share in (0.05, 0.10, 0.15)])


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_a_class_of_an_output_policy_of_cisco_passes_and_the_others_keep_what_they_have(platform: str) -> None:
    judgement = judged(LISTINGS[platform], platform=platform)
    assert judgement.is_passing, failed(judgement)
    of_classes = {each.measure: each for each in judgement.verdicts if each.criterion == "classes"}
    assert of_classes["rate"].value == pytest.approx(100, abs=1)
    assert of_classes["delay_increase"].value is not None
    assert abs(of_classes["delay_increase"].value) < 0.1
    (plan,) = judgement.plans
    offered = sorted(each.rate_bps for each in class_plans(plan.port.plan, plan.port.kept))
    # voice and business: their limit and their guarantee
    assert offered == pytest.approx([0.9 * share * 1e10 * 1500 / 1538 for share in (0.10, 0.15)])


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_a_class_of_cisco_with_one_per_cent_of_the_rate_fails_with_the_reason(platform: str) -> None:
    little = LISTINGS[platform].replace("bandwidth percent 20", "bandwidth percent 1")
    # On IOS-XR a time is one at the rate of the class: 200 ms of 1% are 2 ms of the port.
    little = little.replace("queue-limit 33333 packets", "queue-limit 1667 packets")
    far = GATE.model_copy(update={"round_trips_ms": (80.0,)})
    assert "has 1% of " in failed(judged(little, far, platform))["throughput"]


def test_a_class_with_one_per_cent_of_rate_and_buffer_fails_with_the_reason() -> None:
    little = RUNNING.replace("transmit-rate percent 20", "transmit-rate percent 1")
    little = little.replace("buffer-size percent 50", "buffer-size percent 1")
    far = GATE.model_copy(update={"round_trips_ms": (2.0, 80.0)})
    assert "has 1% of xe-0/1/0" in failed(judged(little, far))["throughput"]


def test_without_the_running_configuration_nothing_is_judged() -> None:
    subject = replace(subject_of(plan_of(**BULK), RUNNING), running=None)
    sentences = failed(judge(subject, GATE, Lab(MemoryRuns(), 2)))
    assert "in the running configuration alone" in sentences["structure"]
