"""Of several processes that want the same run one makes it; where that cannot be told all do, and none waits long."""

import errno
import fcntl
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from hntes.simulator.engine import ShareCallback
from hntes.simulator.results import EngineName, RunResult
from hntes.simulator.runs import pool
from hntes.simulator.runs.claims import claim
from hntes.simulator.runs.engines import Engines
from hntes.simulator.runs.files import RunFolder
from hntes.simulator.runs.pool import run_all
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.scenario import Flow, Link, Scenario, Tcp, TcpTraffic
from tests.support.runs import made_up_run


class Slow:
    """An engine that takes a while, and remembers what it made."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.made: list[int] = []
        self.begun = Event()
        self._seconds = seconds

    def __call__(self, scenario: Scenario, _progress: ShareCallback, _engine: EngineName) -> RunResult:
        self.made.append(scenario.seed)
        self.begun.set()
        time.sleep(self._seconds)
        return made_up_run(scenario.seed)


def _task(seed: int) -> RunTask:
    flow = Flow("TCP1", "a", "b", ((0, 1.0),), TcpTraffic("reno"))
    return RunTask(f"run {seed}", Scenario("x", 1.0, seed, (), (), (Link("a", "b", 1e9, 0),), Tcp(), (flow,)), "packet")


def _run(folder: Path, engine: Slow, *seeds: int) -> list[FinishedRun]:
    engines = Engines(engine, lambda _: True, lambda _scenario, _result, _progress: True)
    return run_all([_task(seed) for seed in seeds], jobs=1, store=RunFolder(folder), engines=engines)


def test_eight_routers_of_one_plan_make_each_of_its_runs_once(tmp_path: Path) -> None:
    """Each batch has a store of its own, as each process has; the locks of one process exclude each other, too."""
    engine = Slow(0.1)
    with ThreadPoolExecutor(8) as beside:
        nights = list(beside.map(lambda _: _run(tmp_path, engine, 1, 2, 3, 4), range(8)))
    assert sorted(engine.made) == [1, 2, 3, 4]
    assert all([run.result.seed for run in night if run.result] == [1, 2, 3, 4] for night in nights)
    assert {path.name for path in tmp_path.iterdir()} == {f"{_task(seed).key}.parquet" for seed in (1, 2, 3, 4)}


def test_what_another_makes_is_left_for_the_end(tmp_path: Path) -> None:
    engine, (first, second) = Slow(), (_task(2), _task(1))
    held = claim(tmp_path, first.key)
    assert held is not None
    with ThreadPoolExecutor(1) as beside:
        with held:
            running = beside.submit(_run, tmp_path, engine, 1, 2)
            assert engine.begun.wait(10.0)
            assert claim(tmp_path, first.key) is None
            time.sleep(0.5)
            assert engine.made == [1]
            RunFolder(tmp_path).put(first.key, made_up_run(2))
        runs = running.result(10.0)
    assert engine.made == [1]
    assert {run.task.key: run.reused for run in runs} == {first.key: True, second.key: False}


def test_a_lock_that_is_held_for_long_delays_a_batch_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may write to the folder; who holds every lock there stops nothing."""
    monkeypatch.setattr(pool, "_CLAIM_PATIENCE_S", 1.0)
    engine = Slow()
    held = [claim(tmp_path, _task(seed).key) for seed in (1, 2, 3)]
    assert None not in held
    begun = time.monotonic()
    runs = _run(tmp_path, engine, 1, 2, 3)
    assert 1.0 <= time.monotonic() - begun < 3.0
    assert sorted(engine.made) == [1, 2, 3]
    assert not any(run.reused for run in runs)


def _no_locks(_handle: int, _how: int) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def test_without_locks_runs_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", _no_locks)
    engine = Slow()
    (run,) = _run(tmp_path, engine, 1)
    assert (run.reused, engine.made) == (False, [1])
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"]


@pytest.mark.parametrize("problem", [PermissionError(errno.EACCES, "no"), OSError(errno.EROFS, "read-only")])
def test_a_folder_that_cannot_be_written_to_has_no_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: OSError
) -> None:
    def refuse(*_: object) -> int:
        raise problem

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        claims = [claim(tmp_path, "key"), claim(tmp_path, "key")]
    assert None not in claims


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    with claim(folder, "key") or pytest.fail("it was free"):
        (path,) = folder.iterdir()
    path.symlink_to(tmp_path / "elsewhere")
    assert claim(folder, "key") is not None
    assert not (tmp_path / "elsewhere").exists()


def test_fresh_runs_are_made_whatever_others_make(tmp_path: Path) -> None:
    held = claim(tmp_path, "key")
    assert held is not None
    with held:
        assert RunFolder(tmp_path, fresh=True).claim("key") is not None
