"""The lab: each scenario runs once, whoever asks for it, in the engine that can answer for it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hntes.gate import Lab, judge
from hntes.gate.runs import WantedRun
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import (
    EngineName,
    FlowTotals,
    MemoryRuns,
    NotApplicableError,
    RunFolder,
    RunResult,
    UnsoundRunError,
)
from hntes.simulator.results import PingTotals
from hntes.simulator.runs.engines import Engines
from hntes.simulator.runs.store import RunStore
from hntes.simulator.scenario import Flow, Link, Scenario, Tcp, TcpTraffic, scenario_hash
from tests.support.gate_subjects import small_model, subject_of

GATE = Gate(tcp_profiles=("linux-2.6.33",))


def made_up(scenario: Scenario, progress: Any, engine: EngineName, *, imbalances: tuple[str, ...] = ()) -> RunResult:
    """A run of plausible shape: nothing lost, an even rate, pings of 2 ms."""
    seconds = round(scenario.duration_s)
    series: dict[str, Any] = {"queue/WR->W1/alpha/dropped_early_pkts": np.zeros(seconds, "<u8")}
    flows = {}
    for flow in scenario.flows:
        name, kind = flow.name, flow.traffic.kind
        if kind == "ping":
            series |= {f"flow/{name}/sent_at_s": np.arange(seconds) * 1.0, f"flow/{name}/rtt_ms": np.full(seconds, 2.0)}
        else:
            for measure, value in (("goodput_bytes", 5 * 10**8), ("sent_bytes", 5 * 10**8)):
                series[f"flow/{name}/{measure}"] = np.full(seconds, value, "<u8")
            for measure in ("dropped_pkts", "out_of_sequence_pkts", "retransmitted_pkts"):
                series[f"flow/{name}/{measure}"] = np.zeros(seconds, "<u8")
        ping = PingTotals(1, 1, 2, 0, 2, 2, 2, 2) if kind == "ping" else None
        flows[name] = FlowTotals(name, 0, 0, 0, 0, {}, ping=ping)
    progress(1.0)
    return RunResult(
        engine, scenario.name, scenario.seed, scenario.duration_s, 1.0, "", 0, imbalances, flows, {}, series
    )


class Counting:
    """An engine that counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, scenario: Scenario, progress: Any, engine: EngineName) -> RunResult:
        self.runs += 1
        return made_up(scenario, progress, engine)


def lab_on(
    store: RunStore,
    engine: Any = made_up,
    *,
    workers: int = 2,
    applies: bool = True,
    steady: bool = True,
    only: EngineName | None = None,
) -> Lab:
    """A lab whose fluid engine applies to all scenarios, or to none, with steady results or unsteady ones."""
    return Lab(store, workers, Engines(engine, lambda _: applies, lambda _scenario, _result, _progress: steady), only)


def wanted(seed: int = 1, duration_s: float = 3.0, packet_s: float | None = None, **changes: Any) -> WantedRun:
    flow = Flow("TCP1", "a", "b", ((0, duration_s),), TcpTraffic("reno"))
    scenario = Scenario("x", duration_s, seed, (), (), (Link("a", "b", 1e9, 0),), Tcp(), (flow,))
    return WantedRun(scenario, duration_s if packet_s is None else packet_s, **changes)


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> RunStore:
    return MemoryRuns() if request.param == "memory" else RunFolder(tmp_path / "simulations")


def test_a_hundred_routers_with_the_same_plan_run_each_scenario_once(store: RunStore) -> None:
    engine = Counting()
    lab = lab_on(store, engine)
    judgements = []
    for number in range(100):
        model = small_model(("junos", "iosxr", "iosxe")[number % 3], TwoQueue(kind="two_queue"))
        judgements.append(judge(subject_of(model), GATE, lab))
        if number == 0:
            # delay, two loads of which one serves order, too, beta, fairness with equal and unequal paths, surprise,
            # and the idle network
            assert engine.runs == 8
    # Cisco ranks all queues alike, so its plan is another one; the idle network is the same.
    assert engine.runs == lab.engine_runs == 8 + 7
    assert len({judgement.verdicts for judgement in judgements if judgement.plans[0].port.ports == ("xe-0/0/1",)}) == 1


def test_hosts_of_two_kinds_share_the_idle_network() -> None:
    engine = Counting()
    lab = Lab(MemoryRuns(), engines=Engines(engine, lambda scenario: scenario.tcp.profile is None, lambda *_: True))
    judge(subject_of(small_model("junos", TwoQueue(kind="two_queue"))), Gate(), lab)
    # of hosts of today: delay, two loads of which one serves order, too, beta, fairness, surprise
    assert engine.runs == 8 + 6


def test_another_lab_on_the_same_folder_runs_nothing(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue")))
    before = judge(subject, GATE, lab_on(RunFolder(tmp_path), first))
    after = judge(subject, GATE, lab_on(RunFolder(tmp_path), second))
    assert (first.runs, second.runs) == (8, 0)
    assert before.verdicts == after.verdicts


def test_another_seed_or_length_is_another_scenario(store: RunStore) -> None:
    engine = Counting()
    lab = lab_on(store, engine)
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue")))
    judge(subject, GATE, lab)
    judge(subject, GATE.model_copy(update={"seed": 2}), lab)
    assert engine.runs == 16


def test_equal_runs_are_made_once_and_come_back_under_each_name(store: RunStore) -> None:
    engine = Counting()
    lab = lab_on(store, engine)
    ran = lab.perform({"a": wanted(), "b": wanted(), "c": wanted(2)})
    assert engine.runs == lab.engine_runs == 2
    assert ran["a"] == ran["b"] != ran["c"]
    assert list(ran) == ["a", "b", "c"]


def test_an_unsteady_result_gives_way_to_packets_under_the_hash_of_what_was_run(store: RunStore) -> None:
    engine = Counting()
    asked = wanted(duration_s=9.0, packet_s=3.0)
    for _ in range(2):
        ran = lab_on(store, engine, steady=False).perform({"it": asked})["it"]
        assert (ran.engine, ran.result.duration_s, ran.scenario.duration_s) == ("packet", 3.0, 3.0)
        (flow,) = asked.scenario.flows
        shorter = replace(asked.scenario, duration_s=3.0, flows=(replace(flow, intervals_s=((0.0, 3.0),)),))
        assert ran.scenario_hash == scenario_hash(shorter)
    assert engine.runs == 2


def test_the_fluid_engine_runs_the_published_length_and_packets_a_shorter_one() -> None:
    long = wanted(duration_s=200.0, packet_s=40.0)
    by_packets = wanted(duration_s=200.0, packet_s=40.0, needs_packets=True)

    def engine_and_length(lab: Lab, run: WantedRun) -> tuple[str, float]:
        ran = lab.perform({"it": run})["it"]
        assert ran.scenario.duration_s == ran.result.duration_s
        return ran.engine, ran.result.duration_s

    assert engine_and_length(lab_on(MemoryRuns()), long) == ("fluid", 200.0)
    assert engine_and_length(lab_on(MemoryRuns(), applies=False), long) == ("packet", 40.0)
    assert engine_and_length(lab_on(MemoryRuns()), by_packets) == ("packet", 40.0)
    assert engine_and_length(lab_on(MemoryRuns(), only="packet"), long) == ("packet", 40.0)
    assert engine_and_length(lab_on(MemoryRuns(), only="fluid", steady=False), long) == ("fluid", 200.0)


# 101 of 200 s are 20.2 of 40, and 5 s and half of the rest 25; with the second that arrivals take, in whole seconds
@pytest.mark.parametrize(
    ("measured_s", "start_up_s", "packet_end_s", "fluid_end_s"), [(101.0, 0.0, 22.0, 102.0), (105.0, 5.0, 26.0, 106.0)]
)
def test_runs_go_on_until_all_that_is_measured_has_arrived(
    measured_s: float, start_up_s: float, packet_end_s: float, fluid_end_s: float
) -> None:
    run = wanted(duration_s=200.0, packet_s=40.0)
    run = WantedRun(run.scenario, run.packet_s, measured_s=measured_s, start_up_s=start_up_s)
    for applies, end_s in ((False, packet_end_s), (True, fluid_end_s)):
        ran = lab_on(MemoryRuns(), applies=applies).perform({"it": run})["it"]
        assert ran.scenario.duration_s == ran.result.duration_s == end_s
        assert [flow.intervals_s for flow in ran.scenario.flows] == [((0.0, end_s),)]


def test_what_only_the_fluid_engine_should_run_is_left_out_where_it_does_not_apply() -> None:
    runs = {"reported": wanted(is_fluid_only=True), "judged": wanted(2)}
    assert list(lab_on(MemoryRuns()).perform(runs)) == ["reported", "judged"]
    assert list(lab_on(MemoryRuns(), applies=False).perform(runs)) == ["judged"]
    assert list(lab_on(MemoryRuns(), only="packet").perform(runs)) == ["judged"]
    engine = Counting()
    (ran,) = lab_on(MemoryRuns(), engine, steady=False).perform({"reported": runs["reported"]}).values()
    assert (ran.engine, engine.runs) == ("fluid", 1)


def test_what_is_only_reported_counts_steady_or_not_and_is_run_by_packets_where_fluid_does_not_apply() -> None:
    def engine_and_runs(lab_engine: Counting, **changes: Any) -> tuple[str, int]:
        run = wanted(is_only_reported=True)
        (ran,) = lab_on(MemoryRuns(), lab_engine, steady=False, **changes).perform({"it": run}).values()
        return ran.engine, lab_engine.runs

    assert engine_and_runs(Counting()) == ("fluid", 1)
    assert engine_and_runs(Counting(), applies=False) == ("packet", 1)


def test_a_lab_of_the_fluid_engine_alone_refuses_what_needs_packets() -> None:
    def refuse(*_: object) -> RunResult:
        raise NotApplicableError("ports[0].policers: moves packets")

    with pytest.raises(NotApplicableError, match=r"x: ports\[0\].policers: moves packets"):
        lab_on(MemoryRuns(), refuse, only="fluid").perform({"it": wanted()})


def test_books_that_do_not_balance_are_no_verdict() -> None:
    def unsound(scenario: Any, progress: Any, engine: EngineName) -> RunResult:
        return made_up(scenario, progress, engine, imbalances=("flow TCP1: 1 packet too many",))

    with pytest.raises(UnsoundRunError, match="1 packet too many"):
        lab_on(MemoryRuns(), unsound).perform({"it": wanted()})


def test_progress_goes_by_cost_from_nothing_to_all() -> None:
    shares: list[float] = []
    runs = {seed: wanted(seed, 10.0 * seed) for seed in (1, 2, 3)}
    lab_on(MemoryRuns(), workers=1).perform(runs, shares.append)
    # the longest first: 30, 20 and 10 of 60 s; what a flow costs however long it runs is little beside 10 s of it
    assert shares == pytest.approx([30 / 60, 50 / 60, 1.0], abs=0.002)
    assert shares[-1] == 1.0
