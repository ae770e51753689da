"""Round trips of alpha flows: how a run changes over a longer path, when packets decide, and which verdict counts."""

from dataclasses import replace
from typing import Any

import pytest

from hntes.gate import Judgement, judge
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import BETA, DELAY, FAIRNESS, THROUGHPUT
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.ports import PlannedPort
from hntes.gate.round_trips import over, worst_round_trip
from hntes.gate.verdict import Verdict
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import EngineName, MemoryRuns, PortPlan, QueuePlan, RunResult
from hntes.simulator.scenario import Scenario
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on, made_up

GATE = Gate(tcp_profiles=("linux-2.6.33",), beta_loads_pct=(10.0,))
WORDS = (("alpha", "queue 4"), ("beta", "queue 0"))


def judged(round_trip_ms: float, alpha_ms: float = 55) -> JudgedPlan:
    plan = PortPlan((QueuePlan("alpha", 60, alpha_ms), QueuePlan("beta", 40, 40, 1)), "alpha", "beta")
    port = PlannedPort(("xe-0/0/1",), plan, WORDS, "", ())
    return JudgedPlan(port, GATE, BetaPeak(30.0, is_measured=True), round_trip_ms=round_trip_ms)


def test_over_the_testbeds_paths_runs_are_as_published() -> None:
    for criterion in (DELAY, THROUGHPUT, BETA, FAIRNESS):
        for run in criterion.wanted(judged(2)).values():
            assert over(run, judged(2)) is run


@pytest.mark.parametrize("criterion", [DELAY, THROUGHPUT, BETA, FAIRNESS])
def test_a_longer_path_is_longer_for_alpha_flows_alone(criterion: Any) -> None:
    name, near = next(iter(criterion.wanted(judged(80)).items()))
    far = over(near, judged(80))
    assert name == "loaded" or name.startswith("beside")
    assert far.scenario.ports == near.scenario.ports
    senders = {flow.from_ for flow in near.scenario.flows if flow.traffic.kind == "tcp"}
    added = {
        one.ends: one.delay_us - other.delay_us
        for one, other in zip(far.scenario.links, near.scenario.links, strict=True)
    }
    assert {ends for ends, more_us in added.items() if more_us} == {ends for ends in added if ends & senders}
    # both directions together: 78 ms more than the testbed's 2
    assert {more_us for more_us in added.values() if more_us} == {39_000.0}


def test_hosts_are_tuned_for_the_path_and_measured_after_their_start() -> None:
    (near,) = THROUGHPUT.wanted(judged(80)).values()
    far = over(near, judged(80))
    # 10 Gb/s for the 80 ms of the path and 100 ms of queue
    assert far.scenario.tcp.window_bytes == 225_000_000
    assert far.scenario.tcp.clamped_window_bytes == 120_000_000
    assert (near.start_up_s, far.start_up_s) == (5.0, 31.0)
    assert (near.measured_s, far.measured_s) == (105.0, 131.0)
    assert far.reading is not None
    assert far.reading.from_s == 31.0
    assert far.packet_s == 120.0


@pytest.mark.parametrize(("alpha_ms", "round_trip_ms", "by_packets"), [(55, 80, False), (39, 80, True), (9, 20, True)])
def test_packets_decide_where_a_queue_is_short_beside_the_round_trip(
    alpha_ms: float, round_trip_ms: float, by_packets: bool
) -> None:
    plan = judged(round_trip_ms, alpha_ms)
    (run,) = THROUGHPUT.wanted(plan).values()
    assert over(run, plan).needs_packets is by_packets
    # what waits beside alpha flows does not depend on single bursts of theirs
    assert not over(DELAY.wanted(plan)["loaded"], plan).needs_packets


def test_all_round_trips_are_asked_of_a_plan_until_it_fails() -> None:
    asked: list[Scenario] = []

    def engine(scenario: Scenario, progress: Any, name: EngineName) -> RunResult:
        asked.append(scenario)
        return made_up(scenario, progress, name)

    def judgement(throughput_pct: float) -> Judgement:
        asked.clear()
        gate = GATE.model_copy(update={"throughput_pct": throughput_pct})
        return judge(subject_of(small_model("junos", TwoQueue(kind="two_queue"))), gate, lab_on(MemoryRuns(), engine))

    passing = judgement(0.0)
    assert passing.is_passing
    assert {_round_trip_ms(each) for each in asked} == {2, 20, 80}
    assert len({(each.criterion, each.measure) for each in passing.verdicts}) == len(passing.verdicts)
    assert not judgement(100.0).is_passing
    assert {_round_trip_ms(each) for each in asked} == {2}


def _round_trip_ms(scenario: Scenario) -> int:
    return 2 + round(2 * max(link.delay_us for link in scenario.links if "E2" in link.ends) / 1000 - 1.8)


def test_the_worst_round_trip_counts_and_is_named() -> None:
    near = Verdict("throughput", "goodput", "passed", "it gets 99.9%", 95.0, 99.9, "%", "fluid")
    far = replace(near, sentence="it gets 96%", value=96.0)
    worst = worst_round_trip({2: near, 80: far})
    assert (worst.value, worst.round_trip_ms) == (96.0, 80)
    assert worst.sentence == "at a round trip of 80 ms, it gets 96% (99.9 % at 2 ms)"
    # where it makes no difference, none is named
    assert worst_round_trip({2: near, 80: near}) == near
