"""All criteria together: what is judged of several ports, and by which beta peak."""

from dataclasses import replace

from hntes.gate import Judgement, judge
from hntes.rules.qos.model import InterfaceBinding
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue, WredPolicer
from hntes.simulator import MemoryRuns
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on

FAST = InterfaceBinding("xe-0/0/9", 0, "core", 20_000_000_000)
TWO = TwoQueue(kind="two_queue")


def test_each_different_plan_of_a_router_gets_its_own_verdicts() -> None:
    # the same policer is another share of a port of another rate
    model = small_model("junos", WredPolicer(kind="wred_policer"))
    subject = subject_of(replace(model, interfaces=(*model.interfaces, FAST)))
    judgement = judge(subject, Gate(), lab_on(MemoryRuns()))
    assert [plan.port.name for plan in judgement.plans] == ["xe-0/0/1", "xe-0/0/9"]
    keys = [(verdict.criterion, verdict.measure, verdict.port) for verdict in judgement.verdicts]
    assert len(set(keys)) == len(keys) == 1 + 2 * 20 + 2
    assert [verdict.port for verdict in judgement.verdicts if verdict.measure == "jain_index"] == [
        "xe-0/0/1",
        "xe-0/0/9",
    ]


def test_the_beta_peak_is_the_highest_share_among_ports_of_one_plan() -> None:
    model = small_model("junos", TWO)
    # 1.5 of 10 Gb/s, and 4 of 20 Gb/s
    peaks = {"xe-0/0/1": 1.5e9, "xe-0/0/9": 4e9, "xe-9/9/9": 9e9}
    subject = subject_of(replace(model, interfaces=(*model.interfaces, FAST)), beta_peak_bps=peaks)
    (plan,) = judge(subject, Gate(), lab_on(MemoryRuns())).plans
    assert (plan.beta_peak.pct, plan.beta_peak.is_measured) == (20.0, True)


def test_without_a_measurement_the_settings_peak_is_assumed() -> None:
    gate = Gate(beta_peak_pct=12.5)
    (plan,) = judge(subject_of(small_model("junos", TWO), beta_peak_bps={}), gate, lab_on(MemoryRuns())).plans
    assert (plan.beta_peak.pct, plan.beta_peak.is_measured) == (12.5, False)


def test_passing_needs_every_criterion() -> None:
    # Below what settings may say: the made runs carry little.
    gate = Gate(jain_index=0.5).model_copy(update={"throughput_pct": 0.0})
    judgement = judge(subject_of(small_model("junos", TWO)), gate, lab_on(MemoryRuns()))
    assert judgement.is_passing
    assert not Judgement((), ()).is_passing
    for left_out in {verdict.criterion for verdict in judgement.verdicts}:
        others = tuple(verdict for verdict in judgement.verdicts if verdict.criterion != left_out)
        assert not Judgement(others, ()).is_passing
