"""Many runs by an engine that is made up: kept, shared, replaced by packets, and reported."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.simulator import NotApplicableError, RunResult, ScenarioError, UnsoundRunError
from hntes.simulator.engine import ShareCallback
from hntes.simulator.results import EngineName
from hntes.simulator.runs.engines import Engines
from hntes.simulator.runs.files import RunFolder
from hntes.simulator.runs.observer import LineObserver, ShareObserver
from hntes.simulator.runs.pool import RunsInterrupted, run_all
from hntes.simulator.runs.store import MemoryRuns, RunStore
from hntes.simulator.runs.task import RunTask, fluid_or_packets
from hntes.simulator.scenario import Flow, Link, Scenario, Tcp, TcpTraffic
from tests.support.runs import made_up_run


def _scenario(seed: int, duration_s: float = 1.0) -> Scenario:
    flow = Flow("TCP1", "a", "b", ((0, duration_s),), TcpTraffic("reno"))
    return Scenario("x", duration_s, seed, (), (), (Link("a", "b", 1e9, 0),), Tcp(), (flow,))


def _task(seed: int, duration_s: float = 1.0, engine: EngineName = "packet") -> RunTask:
    return RunTask(f"run {seed}", _scenario(seed, duration_s), engine)


def _with_fallback(seed: int) -> RunTask:
    return replace(_task(seed, 4.0, "fluid"), fallback=_task(seed, 2.0))


class MadeUp:
    """An engine that gives plausible results, and remembers what it was asked for."""

    def __init__(self, imbalances: tuple[str, ...] = ()) -> None:
        self.asked: list[tuple[int, EngineName]] = []
        self._imbalances = imbalances

    def __call__(self, scenario: Scenario, progress: ShareCallback, engine: EngineName) -> RunResult:
        self.asked.append((scenario.seed, engine))
        for share in (0.0, 0.5, 1.0):
            progress(share)
        made = made_up_run(scenario.seed)
        return replace(made, engine=engine, duration_s=scenario.duration_s, imbalances=self._imbalances)


def _engines(run: Callable[[Scenario, ShareCallback, EngineName], RunResult], *, steady: bool = True) -> Engines:
    return Engines(run, lambda _: True, lambda _scenario, _result, _progress: steady)


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> RunStore:
    return MemoryRuns() if request.param == "memory" else RunFolder(tmp_path / "runs")


def test_equal_tasks_run_once_and_each_gets_its_result(store: RunStore) -> None:
    engine = MadeUp()
    runs = run_all([_task(1), _task(2), _task(1)], store=store, engines=_engines(engine))
    assert sorted(engine.asked) == [(1, "packet"), (2, "packet")]
    assert [run.result.seed for run in runs if run.result] == [1, 2, 1]


def test_what_is_kept_is_not_run_again(store: RunStore) -> None:
    engine = MadeUp()
    (first,) = run_all([_task(1)], store=store, engines=_engines(engine))
    (second,) = run_all([_task(1)], store=store, engines=_engines(engine))
    assert (first.reused, second.reused) == (False, True)
    assert len(engine.asked) == 1
    assert first.result is not None
    assert second.result is not None
    assert first.result.series.keys() == second.result.series.keys()


def test_a_run_of_another_engine_version_is_not_taken(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = MadeUp()
    run_all([_task(1)], store=store, engines=_engines(engine))
    monkeypatch.setattr("hntes.simulator.runs.task.engine_version", lambda: "another")
    run_all([_task(1)], store=store, engines=_engines(engine))
    assert len(engine.asked) == 2


def test_a_steady_fluid_result_counts(store: RunStore) -> None:
    engine = MadeUp()
    (run,) = run_all([_with_fallback(1)], store=store, engines=_engines(engine))
    assert run.result is not None
    assert (run.result.engine, run.scenario.duration_s) == ("fluid", 4.0)
    assert engine.asked == [(1, "fluid")]


def test_an_unsteady_fluid_result_gives_way_to_packets_and_the_decision_is_kept(store: RunStore) -> None:
    engine = MadeUp()
    for reused in (False, True):
        (run,) = run_all([_with_fallback(1)], store=store, engines=_engines(engine, steady=False))
        assert run.result is not None
        assert (run.result.engine, run.scenario.duration_s, run.reused) == ("packet", 2.0, reused)
    assert engine.asked == [(1, "fluid"), (1, "packet")]
    # who wants the fluid engine's word whatever it is worth does not get the packet engine's
    (fluid,) = run_all([_task(1, 4.0, "fluid")], store=store, engines=_engines(engine))
    assert fluid.result is not None
    assert fluid.result.engine == "fluid"


def test_where_the_fluid_engine_does_not_apply_packets_are_asked_at_once() -> None:
    fluid, packets = _task(1, 4.0, "fluid"), _task(1, 2.0)
    assert fluid_or_packets(fluid, packets, lambda _: False) == packets
    assert fluid_or_packets(fluid, packets, lambda _: True) == replace(fluid, fallback=packets)


def test_without_a_fallback_the_reason_is_reported_and_nothing_kept(tmp_path: Path) -> None:
    def refuse(*_: object) -> RunResult:
        raise NotApplicableError("ports[0].policers: needs packets")

    folder = tmp_path / "runs"
    (run,) = run_all([_task(1, engine="fluid")], store=RunFolder(folder), engines=_engines(refuse))
    assert (run.result, run.not_applicable) == (None, "ports[0].policers: needs packets")
    assert not list(folder.glob("*"))


def test_books_that_do_not_balance_stop_everything_and_are_not_kept(tmp_path: Path) -> None:
    engine = MadeUp(imbalances=("flow TCP1: 1 packet too many",))
    with pytest.raises(UnsoundRunError, match="run 1: the books do not balance: flow TCP1: 1 packet too many"):
        run_all([_task(1)], store=RunFolder(tmp_path / "runs"), engines=_engines(engine))
    assert not list((tmp_path / "runs").glob("*"))


def test_an_unsound_scenario_is_named() -> None:
    def refuse(*_: object) -> RunResult:
        raise ScenarioError("duration_s: missing")

    with pytest.raises(ScenarioError, match="run 1: duration_s: missing"):
        run_all([_task(1)], engines=_engines(refuse))


@pytest.mark.parametrize("content", [b"", b"PAR1", b'{"format": 1}'])
def test_a_foreign_file_is_run_again_and_replaced(tmp_path: Path, content: bytes) -> None:
    engine = MadeUp()
    lines: list[str] = []
    path = tmp_path / f"{_task(1).key}.parquet"
    path.write_bytes(content)
    observer = LineObserver([_task(1)], lines.append)
    for reused in (False, True):
        (run,) = run_all([_task(1)], store=RunFolder(tmp_path), engines=_engines(engine), observer=observer)
        assert run.reused == reused
    assert [line for line in lines if line.startswith(str(path))] == [lines[0]]
    assert lines[0].endswith("it is run again")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("steady", [True, False])
def test_a_share_never_goes_back_and_ends_at_one(steady: bool) -> None:
    tasks = [_with_fallback(1), _with_fallback(2), _task(3)]
    shares: list[float] = []
    run_all(tasks, jobs=1, observer=ShareObserver(tasks, shares.append), engines=_engines(MadeUp(), steady=steady))
    assert shares == sorted(set(shares))
    assert shares[-1] == 1.0


def test_the_longest_goes_first() -> None:
    engine = MadeUp()
    run_all([_task(1, 1.0), _task(2, 3.0), _task(3, 2.0)], jobs=1, engines=_engines(engine))
    assert [seed for seed, _ in engine.asked] == [2, 3, 1]


def test_ctrl_c_is_one_for_whoever_knows_nothing_of_runs() -> None:
    class Interrupting(LineObserver):
        def finished(self, _: object) -> None:
            raise KeyboardInterrupt

    tasks = [_task(1), _task(2)]
    with pytest.raises(KeyboardInterrupt) as stopped:
        run_all(tasks, jobs=1, observer=Interrupting(tasks, print), engines=_engines(MadeUp()))
    assert isinstance(stopped.value, RunsInterrupted)
    assert {run.task.name for run in stopped.value.finished} | set(stopped.value.unfinished) == {"run 1", "run 2"}


def test_nothing_to_run_is_nothing_run() -> None:
    assert run_all([], engines=_engines(MadeUp())) == []
