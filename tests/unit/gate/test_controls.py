"""CUBIC and BBR: the runs that ask, which verdicts fail, and when nothing is asked."""

from dataclasses import replace
from typing import Any

import pytest

from hntes.gate import BetaPeak, JudgedPlan, Verdict, judge
from hntes.gate.controls import control_verdicts
from hntes.gate.ports import PlannedPort
from hntes.settings.hosts import CongestionControl, HostProfile
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import EngineName, MemoryRuns, PortPlan, QueuePlan, RunResult
from hntes.simulator.scenario import Scenario, TcpTraffic
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on, made_up

PLAN = PortPlan((QueuePlan("alpha", 60, 55), QueuePlan("beta", 40, 40, 1)), "alpha", "beta")
PORT = PlannedPort(("xe-0/0/1",), PLAN, (("alpha", "queue 4"), ("beta", "queue 0")), "", ())
# Beside 10 % of load 8.9 Gb/s are left; made runs carry 4 in each flow.
PASSING = Gate().model_copy(update={"throughput_pct": 44.0})


def asked(gate: Gate) -> tuple[list[Scenario], list[Verdict]]:
    """The scenarios that a plan is asked with, and the verdicts on made runs."""
    ran: list[Scenario] = []

    def engine(scenario: Scenario, progress: Any, name: EngineName) -> RunResult:
        assert name == "packet"
        ran.append(scenario)
        return made_up(scenario, progress, name)

    plan = JudgedPlan(PORT, gate, BetaPeak(30.0, is_measured=True))
    return ran, control_verdicts([plan], lab_on(MemoryRuns(), engine, workers=1))


def controls(scenario: Scenario) -> dict[str, tuple[str, float, float]]:
    return {
        flow.name: (flow.traffic.congestion, *flow.intervals_s[0])
        for flow in scenario.flows
        if isinstance(flow.traffic, TcpTraffic)
    }


def test_bbr_joins_cubic_over_the_longest_round_trip_and_runs_alone() -> None:
    (joined, alone), _ = asked(Gate())
    # 31 s of start-up at 80 ms, 15 s alone, 20 s together
    assert controls(joined) == {"TCP2": ("cubic", 0, 66), "TCP1": ("bbr", 46, 66)}
    assert controls(alone) == {"TCP1": ("bbr", 0, 12)}
    for scenario in (joined, alone):
        assert (scenario.tcp.profile, scenario.tcp.segment_data_bytes) == ("linux-6", 8948)
        senders = [link.delay_us for link in scenario.links if link.ends & {"E1", "E2"}]
        assert min(senders) > 39_000
        # the port, and neither sender's card, is what limits them
        rates = {tuple(sorted(link.ends)): link.rate_bps for link in scenario.links}
        assert rates["E2", "WR"] > 2 * rates["W1", "WR"]


def test_both_run_beside_the_lightest_load_in_the_queues_of_the_plan() -> None:
    (joined, alone), _ = asked(Gate())
    for scenario in (joined, alone):
        (udp,) = (flow for flow in scenario.flows if flow.traffic.kind == "udp")
        assert udp.intervals_s == ((0, scenario.duration_s),)
        (port,) = scenario.ports
        of_alpha = {rule.flow for rule in port.classifier if rule.class_ == "alpha"}
        assert of_alpha == set(controls(scenario))
        assert port.default_class == "beta"


def test_cubic_fails_a_plan_and_bbr_is_reported() -> None:
    _, found = asked(Gate())
    told = [(each.criterion, each.measure, each.outcome) for each in found]
    assert told == [
        ("throughput", "cubic_goodput", "failed"),
        ("fairness", "cubic_beside_bbr", "reported"),
        ("fairness", "bbr_retransmissions", "reported"),
    ]
    assert found[0].limit == 95
    assert found[0].sentence.startswith(
        "at a round trip of 80 ms, a CUBIC flow would get 44.9% of what 10% of beta load"
    )
    assert found[1].value == pytest.approx(50)
    assert found[2].value == 0
    assert {(each.port, each.round_trip_ms, each.engine) for each in found} == {("xe-0/0/1", 80.0, "packet")}


@pytest.mark.parametrize(
    ("kept", "flows", "measures"),
    [(("htcp", "cubic"), [{"TCP2": ("cubic", 0, 46)}], ["cubic_goodput"]), (("htcp",), [], [])],
)
def test_what_the_settings_leave_out_is_not_run(
    kept: tuple[CongestionControl, ...], flows: list[Any], measures: list[str]
) -> None:
    ran, found = asked(Gate(congestion=kept))
    assert [controls(each) for each in ran] == flows
    assert [each.measure for each in found] == measures


@pytest.mark.parametrize(("hosts", "runs"), [("linux-2.6.33", 0), ("linux-6", 2)])
def test_they_are_asked_of_hosts_of_today(hosts: HostProfile, runs: int) -> None:
    ran, _ = asked(Gate(tcp_profiles=(hosts,)))
    assert len(ran) == runs


@pytest.mark.parametrize(("gate", "is_asked"), [(PASSING, True), (Gate(), False)])
def test_a_judgement_asks_them_of_plans_that_pass_all_else(gate: Gate, is_asked: bool) -> None:
    judgement = judge(subject_of(small_model("junos", TwoQueue(kind="two_queue"))), gate, lab_on(MemoryRuns()))
    measures = [each.measure for each in judgement.verdicts]
    assert ("cubic_goodput" in measures) == ("cubic_beside_bbr" in measures) == is_asked
    order = [each.criterion for each in judgement.verdicts]
    assert [each for number, each in enumerate(order) if each not in order[:number]] == [
        *("structure", "delay", "throughput", "order", "beta", "fairness", "surprise", "premium", "reach", "bursts"),
        "classes",
    ]
    assert order == sorted(order, key=[*dict.fromkeys(order)].index)


def test_a_plan_that_cubic_fails_does_not_pass() -> None:
    gate = PASSING.model_copy(update={"jain_index": 0.5})
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue")))
    passing = judge(subject, gate, lab_on(MemoryRuns()))
    assert passing.is_passing

    def without_cubic(scenario: Scenario, progress: Any, name: EngineName) -> RunResult:
        made = made_up(scenario, progress, name)
        key = "flow/TCP2/goodput_bytes"
        if controls(scenario).get("TCP2", ("",))[0] != "cubic":
            return made
        return replace(made, series={**made.series, key: made.series[key] // 2})

    failing = judge(subject, gate, lab_on(MemoryRuns(), without_cubic))
    assert [each.measure for each in failing.verdicts if not each.is_passing] == ["cubic_goodput"]
