"""A candidate that is judged as a part of what a router has."""

from dataclasses import replace

import pytest

from hntes.gate import Judgement, judge
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from tests.support.gate_subjects import refusing_lab, small_model, subject_of
from tests.support.qos_models import PLATFORMS, PORTS
from tests.unit.platforms.test_conflicts import CORE, RUNNING

PLAN = TwoQueue(kind="two_queue")
# What the gate cannot look past, by platform.
UNCLEAR = {
    "junos": "chassis { fpc 0 { pic 0 { max-queues-per-interface 4; } } }\n",
    "iosxr": "hw-module profile qos hqos-enable\n",
    "iosxe": "mls qos\n",
    "sros": "/configure card 1 fp 1 egress wred-queue-control admin-state enable\n",
    "eos": "platform sand qos map traffic-class 4 to cos 1\n",
}


def judged(platform: str, running: str | None) -> Judgement:
    """The judgement on a candidate beside this; beta alone fills the port, so that nothing runs."""
    subject = subject_of(small_model(platform, PLAN), beta_peak_bps={PORTS[platform][1]: 9.5e9})
    return judge(replace(subject, running=running), Gate(), refusing_lab())


@pytest.mark.parametrize("platform", PLATFORMS)
def test_beside_what_is_understood_a_candidate_is_judged_as_alone(platform: str) -> None:
    alone, beside = judged(platform, None).verdicts, judged(platform, RUNNING[platform]).verdicts
    assert [verdict.outcome for verdict in beside] == [verdict.outcome for verdict in alone]
    assert beside[0].outcome == "passed"
    assert "Not parsed, without effect on the judgement" in beside[0].sentence
    assert beside[1:] == alone[1:]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_passed_over_and_could_matter_makes_not_judged(platform: str) -> None:
    first = judged(platform, RUNNING[platform] + UNCLEAR[platform]).verdicts[0]
    assert first.outcome == "not_judged"
    assert "Not parsed, and therefore not judged" in first.sentence
    assert "If these statements stay: with simulate_with_running_config = false" in first.sentence


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_what_cannot_be_read_on_a_judged_port_makes_not_judged(platform: str) -> None:
    running = RUNNING[platform].replace(CORE[platform], f"{CORE[platform]} traffic-shape rate 5\n")
    verdicts = judged(platform, running).verdicts
    assert {verdict.outcome for verdict in verdicts} == {"not_judged"}
    assert "not with the router's running configuration: line" in verdicts[0].sentence
    assert "simulate_with_running_config = false" in verdicts[0].sentence
    assert "traffic-shape rate 5" in verdicts[0].sentence


def test_a_second_map_on_a_judged_port_makes_not_judged() -> None:
    second = "interfaces { xe-0/0/1 { scheduler-map own; } }"
    running = RUNNING["junos"].replace("    forwarding-classes", f"{second}\nforwarding-classes")
    assert "needs one value" in judged("junos", running).verdicts[0].sentence


def test_a_second_filter_on_a_judged_interface_makes_not_judged() -> None:
    second = "family inet { filter { input-list PROTECT; } }"
    running = RUNNING["junos"].replace("family inet { address 192.0.2.9/30; }", second)
    assert judged("junos", running).verdicts[0].outcome == "not_judged"
