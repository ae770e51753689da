"""The lab: each scenario runs once, whoever asks for it, and a stored run of another engine is none."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gate import FolderStore, Lab, MemoryStore, UnsoundRunError, judge
from gate.lab import scenario_hash
from gate.runs import Run
from gate.stores import TraceStore
from gate.trace import TraceError, from_json, to_json, trace_of
from settings.model import Gate
from settings.plans import TwoQueue
from simulator import FlowTotals, RunResult
from simulator.results import PingTotals
from tests.support.gate_subjects import small_model, subject_of

GATE = Gate()


def made_up(
    scenario: Any, progress: Any = None, engine: str = "packet", *, imbalances: tuple[str, ...] = ()
) -> RunResult:
    """A run of plausible shape: nothing lost, an even rate, pings of 2 ms."""
    seconds = round(scenario["duration_s"])
    series: dict[str, Any] = {"queue/WR->W1/alpha/dropped_early_pkts": np.zeros(seconds, "<u8")}
    flows = {}
    for flow in scenario["flows"]:
        name, kind = flow["name"], flow["traffic"]["kind"]
        if kind == "ping":
            series |= {f"flow/{name}/sent_at_s": np.arange(seconds) * 1.0, f"flow/{name}/rtt_ms": np.full(seconds, 2.0)}
        else:
            for measure, value in (("goodput_bytes", 10**9), ("sent_bytes", 10**9)):
                series[f"flow/{name}/{measure}"] = np.full(seconds, value, "<u8")
            for measure in ("dropped_pkts", "out_of_sequence_pkts"):
                series[f"flow/{name}/{measure}"] = np.zeros(seconds, "<u8")
        ping = PingTotals(1, 1, 2, 0, 2, 2, 2, 2) if kind == "ping" else None
        flows[name] = FlowTotals(name, 0, 0, 0, 0, {}, ping=ping)
    if progress is not None:
        progress(1.0)
    return RunResult(
        engine, scenario["name"], scenario["seed"], scenario["duration_s"], 1.0, "", 0, imbalances, flows, {}, series
    )


class Counting:
    """An engine that counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, scenario: Any, progress: Any, engine: str) -> RunResult:
        self.runs += 1
        return made_up(scenario, progress, engine)


def lab_on(
    store: TraceStore, engine: Any = made_up, *, workers: int = 2, applies: bool = True, steady: bool = True
) -> Lab:
    """A lab whose fluid engine applies to all scenarios, or to none, with steady results or unsteady ones."""
    return Lab(store, workers, engine, lambda _: applies, lambda _scenario, _result: steady)


def simple(seed: int = 1, duration_s: float = 3.0) -> Run:
    return Run({"name": "x", "seed": seed, "duration_s": duration_s, "flows": []}, duration_s)


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TraceStore:
    return MemoryStore() if request.param == "memory" else FolderStore(tmp_path / "simulations")


def test_a_hundred_routers_with_the_same_plan_run_each_scenario_once(store: TraceStore) -> None:
    engine = Counting()
    lab = lab_on(store, engine)
    judgements = []
    for number in range(100):
        model = small_model(("junos", "iosxr", "iosxe")[number % 3], TwoQueue(kind="two_queue"))
        judgements.append(judge(subject_of(model), GATE, lab))
        if number == 0:
            # delay, two loads, order, beta, fairness, surprise, and the idle network
            assert engine.runs == 8
    # Cisco ranks all queues alike, so its plan is another one; the idle network is the same.
    assert engine.runs == lab.engine_runs == 8 + 7
    assert len({judgement.verdicts for judgement in judgements if judgement.cases[0].port.ports == ("xe-0/0/1",)}) == 1


def test_another_lab_on_the_same_folder_runs_nothing(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue")))
    before = judge(subject, GATE, lab_on(FolderStore(tmp_path), first))
    after = judge(subject, GATE, lab_on(FolderStore(tmp_path), second))
    assert (first.runs, second.runs) == (8, 0)
    assert before.verdicts == after.verdicts


def test_another_seed_or_length_is_another_scenario(store: TraceStore) -> None:
    engine = Counting()
    lab = lab_on(store, engine)
    subject = subject_of(small_model("junos", TwoQueue(kind="two_queue")))
    judge(subject, GATE, lab)
    judge(subject, GATE.model_copy(update={"seed": 2}), lab)
    assert engine.runs == 16


def test_a_run_of_another_engine_is_not_taken(store: TraceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Counting()
    lab = lab_on(store, engine)
    lab.perform([simple(), simple()])
    monkeypatch.setattr("gate.lab.engine_version", lambda: "another")
    lab.perform([simple()])
    assert engine.runs == 2


def test_an_unsteady_result_is_replaced_by_the_packet_engine_s_and_stored(store: TraceStore) -> None:
    engine = Counting()
    wanted = Run(dict(simple(duration_s=9.0).scenario), packet_s=4.0)
    (first,) = lab_on(store, engine, steady=False).perform([wanted])
    assert (first.trace.engine, first.scenario["duration_s"]) == ("packet", 4.0)
    assert first.scenario_hash == scenario_hash({**wanted.scenario, "duration_s": 4.0})
    (again,) = lab_on(store, engine, steady=False).perform([wanted])
    assert again == first
    assert engine.runs == 2
    (steady,) = lab_on(MemoryStore(), engine).perform([wanted])
    assert (steady.trace.engine, steady.scenario["duration_s"]) == ("fluid", 9.0)


@pytest.mark.parametrize("steady", [True, False])
def test_progress_never_goes_back(steady: bool) -> None:
    def halves(scenario: Any, progress: Any, engine: str) -> RunResult:
        progress(0.5)
        return made_up(scenario, progress, engine)

    told: list[float] = []
    lab_on(MemoryStore(), halves, workers=1, steady=steady).perform([simple(1), simple(2)], told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.parametrize("content", ["", "{", '{"format": 0}', "[]", '{"format": 1, "flows": [["TCP1", {"what": 1}]]}'])
def test_a_damaged_file_is_run_again_and_replaced(tmp_path: Path, content: str) -> None:
    engine = Counting()
    lab = lab_on(FolderStore(tmp_path), engine)
    (before,) = lab.perform([simple()])
    (path,) = tmp_path.iterdir()
    path.write_text(content)
    with pytest.raises(TraceError):
        from_json(content)
    assert lab.perform([simple()]) == [before]
    assert engine.runs == 2
    assert lab.perform([simple()]) == [before]
    assert engine.runs == 2
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_trace_is_stored_and_read_without_loss() -> None:
    scenario = {
        "name": "x", "seed": 1, "duration_s": 3.0,
        "flows": [{"name": "TCP1", "traffic": {"kind": "tcp"}}, {"name": "ping", "traffic": {"kind": "ping"}}],
    }  # fmt: skip
    trace = trace_of(made_up(scenario), "packet")
    assert trace.flow("TCP1").goodput_bytes == (10**9,) * 3
    assert trace.ping_rtt_ms == (2.0,) * 3
    assert from_json(to_json(trace)) == trace


def test_books_that_do_not_balance_are_no_verdict() -> None:
    lab = lab_on(MemoryStore(), lambda scenario, *_: made_up(scenario, imbalances=("flow TCP1: 1 packet too many",)))
    with pytest.raises(UnsoundRunError, match="1 packet too many"):
        lab.perform([simple()])


def test_progress_goes_from_nothing_to_all() -> None:
    told: list[float] = []
    lab = lab_on(MemoryStore(), workers=1)
    lab.perform([simple(seed, 10.0 * seed) for seed in (1, 2, 3)], told.append)
    # the longest first: 30, 20 and 10 of 60 s
    assert told == pytest.approx([30 / 60, 50 / 60, 1.0])


def test_the_fluid_engine_runs_the_published_length_and_packets_a_shorter_one() -> None:
    run = Run({"name": "x", "seed": 1, "duration_s": 200.0, "flows": []}, packet_s=40.0)
    (fluid,) = lab_on(MemoryStore()).perform([run])
    assert (fluid.trace.engine, fluid.trace.duration_s, fluid.scenario["duration_s"]) == ("fluid", 200.0, 200.0)
    (packet,) = lab_on(MemoryStore(), applies=False).perform([run])
    assert (packet.trace.engine, packet.trace.duration_s, packet.scenario["duration_s"]) == ("packet", 40.0, 40.0)
    (wanted,) = lab_on(MemoryStore()).perform([Run(run.scenario, 40.0, needs_packets=True)])
    assert wanted.trace.engine == "packet"


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert scenario_hash({"a": 1, "b": 2}) == scenario_hash({"b": 2, "a": 1})
    assert scenario_hash({"a": 1}) != scenario_hash({"a": 2})
