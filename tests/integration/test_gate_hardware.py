"""The gate on hardware whose levels preempt: the default plan passes there, that of other hardware starves beta."""

from dataclasses import replace

import pytest

from hntes.gate import Judgement, Subject, judge
from hntes.platforms.expected import effective_of
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Gate
from tests.support.gate_subjects import shared_lab, subject_of
from tests.support.hardware import hardware_model

pytestmark = pytest.mark.timeout(900)
# One kind of hosts and one round trip: levels do not depend on them.
GATE = Gate(tcp_profiles=("linux-6",), round_trips_ms=(20.0,))


def judged(made: RouterModel, hardware: str) -> Judgement:
    subject: Subject = replace(subject_of(made), hardware=hardware, expected=effective_of(made))
    return judge(subject, GATE, shared_lab())


def one_core(hardware: str) -> RouterModel:
    made = hardware_model("junos", hardware)
    return replace(made, interfaces=made.interfaces[:2])


def test_a_plan_of_ranks_fails_where_levels_preempt() -> None:
    made = one_core("mx")
    text = render(made)
    assert "priority medium-high" in text
    outcomes = {each.criterion: each.outcome for each in judged(made, "acx7000").verdicts if each.outcome == "failed"}
    assert {"structure", "beta"} <= set(outcomes)


def test_the_default_of_the_hardware_passes() -> None:
    found = judged(one_core("acx7000"), "acx7000")
    failed = [(each.criterion, each.sentence) for each in found.verdicts if not each.is_passing]
    assert [name for name, _ in failed if name != "reach"] == [], failed
