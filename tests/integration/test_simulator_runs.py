"""Several runs by the compiled engine: kept and re-used, in order of cost, stopped, and judged."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.papers.hntes.paper import HNTES
from hntes.papers.reproduction import CaseSelection, reproduce
from hntes.papers.reproduction.rows import rows_of
from hntes.papers.reproduction.write import write_reproduction
from hntes.simulator import Case, Experiment, ScenarioError, load_experiment
from hntes.simulator.runs.files import RunFolder, read_run
from hntes.simulator.runs.pool import run_all
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.scenario import Flow
from hntes.simulator.testbed.files import load_parameters

ROOT = Path(__file__).resolve().parent.parent.parent


class _Heard:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.runs: list[FinishedRun] = []
        self.notes: list[str] = []
        self.shares: dict[str, list[float]] = {}

    def moved(self, task: RunTask, share: float) -> None:
        self.shares.setdefault(task.name, []).append(share)

    def finished(self, run: FinishedRun) -> None:
        self.runs.append(run)

    def spare(self, tasks: Iterable[RunTask]) -> None:
        """Not looked at here."""

    def note(self, text: str) -> None:
        self.notes.append(text)


def _task(name: str, duration_s: float) -> RunTask:
    scenario = load_experiment(1).case("work-conserving").scenario(1, load_parameters())
    flows = tuple(_until(duration_s, flow) for flow in scenario.flows)
    return RunTask(name, replace(scenario, duration_s=duration_s, flows=flows))


def _until(duration_s: float, flow: Flow) -> Flow:
    return replace(flow, intervals_s=((0, duration_s),))


def test_the_longest_goes_first_and_results_keep_their_order() -> None:
    heard = _Heard()
    tasks = [_task("short", 0.1), _task("long", 0.3), _task("middle", 0.2)]
    runs = run_all(tasks, jobs=1, observer=heard)
    assert [run.task.name for run in heard.runs] == ["long", "middle", "short"]
    assert [run.task.name for run in runs] == ["short", "long", "middle"]
    assert [run.result.duration_s for run in runs if run.result] == [0.1, 0.3, 0.2]
    assert all(shares == sorted(shares) and shares[-1] == 1.0 for shares in heard.shares.values())


def test_a_kept_run_is_used_again_unless_fresh_ones_are_asked_for(tmp_path: Path) -> None:
    task = _task("a", 0.1)
    (first,) = run_all([task], store=RunFolder(tmp_path))
    (second,) = run_all([task], store=RunFolder(tmp_path))
    (third,) = run_all([task], store=RunFolder(tmp_path, fresh=True))
    assert [run.reused for run in (first, second, third)] == [False, True, False]
    assert first.result is not None
    assert second.result is not None
    assert second.result.trace_hash == first.result.trace_hash
    assert second.result.intervals().equals(first.result.intervals())


def test_a_broken_kept_run_is_run_again_and_mended(tmp_path: Path) -> None:
    task = _task("a", 0.1)
    run_all([task], store=RunFolder(tmp_path))
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2])
    heard = _Heard()
    (again,) = run_all([task], store=RunFolder(tmp_path), observer=heard)
    assert not again.reused
    assert len(heard.notes) == 1
    assert str(kept) in heard.notes[0]
    assert heard.notes[0].endswith("it is run again")
    assert kept.read_bytes() == whole


def test_an_unsound_scenario_names_its_run_and_stops_the_others() -> None:
    wrong = _task("wrong", 0.2)
    wrong = replace(wrong, scenario=replace(wrong.scenario, routers=()))
    heard = _Heard()
    with pytest.raises(ScenarioError, match=r"^wrong: links\[0\]\.to: no host or router is called \"WR\""):
        run_all([_task("never", 0.1), wrong], jobs=1, observer=heard)
    assert heard.runs == []


def test_where_the_fluid_engine_does_not_apply_nothing_is_judged_and_nothing_kept(tmp_path: Path) -> None:
    selection = _short(4, "3-queues+policing1", 1.0)
    result = reproduce([selection], engine="fluid", store=RunFolder(tmp_path))
    rows = rows_of(result)
    assert {row.verdict for row in rows} == {"not applicable"}
    assert all(row.cause.startswith("fluid engine does not apply: ") and row.simulated is None for row in rows)
    assert not result.missed
    assert list(tmp_path.iterdir()) == []


def test_one_folder_keeps_the_runs_of_both_engines_apart(tmp_path: Path) -> None:
    for engine in ("packet", "fluid"):
        (run,) = run_all([replace(_task("a", 0.1), engine=engine)], store=RunFolder(tmp_path))
        assert run.result is not None
        assert (run.result.engine, run.reused) == (engine, False)
    assert len(list(tmp_path.iterdir())) == 2


def _short(number: int, configuration: str, duration_s: float) -> CaseSelection:
    """An experiment, shortened through its data."""
    file = replace(load_experiment(number).file, duration_s=duration_s)
    return CaseSelection(HNTES, str(number), (Case(Experiment(number, file), configuration, ""),), whole=False)


def test_a_reproduction_judges_its_cells_and_leaves_the_same_files_each_time(tmp_path: Path) -> None:
    selections = [_short(4, "2-queues", 4.0), _short(4, "3-queues+policing1", 4.0)]
    selections = [CaseSelection(HNTES, "4", tuple(case for one in selections for case in one.cases), whole=False)]
    folder = RunFolder(tmp_path / "runs")
    result = reproduce(selections, seeds=2, store=folder)
    # the first is stated not to hang on chance, and runs once
    assert [len(case.runs) for case in result.cases] == [1, 2]
    rows = {(row.configuration, row.measure): row for row in rows_of(result)}
    throughput = rows["3-queues+policing1", "tcp_gbps"]
    # a link of 10 Gb/s carries at most 9.415 Gb/s of TCP payload in packets of 1538 bytes of link time
    assert throughput.lowest is not None
    assert throughput.highest is not None
    assert 0 < throughput.lowest <= throughput.simulated <= throughput.highest <= 9.415  # type: ignore[operator]
    assert throughput.simulated == pytest.approx((throughput.lowest + throughput.highest) / 2)
    assert {row.verdict for row in rows.values()} <= {"reproduced", "missed", "reported"}
    write_reproduction(result, tmp_path / "first")
    write_reproduction(reproduce(selections, seeds=2, store=folder), tmp_path / "second")
    first, second = (
        {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "first", tmp_path / "second")
    )
    assert first == second
    assert {"report.md", "report.html", "cells.csv", "cells.json", "cells.parquet", "cells.arrow", "runs.json",
            "flows.parquet", "queues.parquet", "series/experiment4.parquet", "pings/experiment4.parquet",
            "figures/experiment4-throughput.svg", "figures/experiment4-2-queues.png"} <= set(first)  # fmt: skip
    assert not [name for name in first if name.endswith(".new")]


# The second run is under way for as long as nobody stops it.
ENDLESS_SECOND = """
import itertools, sys, time
from hntes.cli.cli import main
from hntes.simulator.runs import pool

run, numbers = pool.run_task, itertools.count()

def run_or_wait(task, engines, progress):
    while next(numbers):
        progress(0.0)
        time.sleep(0.01)
    return run(task, engines, progress)

pool.run_task = run_or_wait
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_finished_and_the_same_command_goes_on(tmp_path: Path) -> None:
    arguments = ["reproduce", "1/strictly-partitioned", "1/work-conserving", "--jobs", "1", "--runs", str(tmp_path)]
    started = subprocess.Popen(
        [sys.executable, "-c", ENDLESS_SECOND, *arguments],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # a shell has what it starts in the background ignore Ctrl-C, tests and their children too
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert started.stderr is not None
    line = started.stderr.readline()
    assert "(1 of 2, " in line
    started.send_signal(signal.SIGINT)
    said, told = started.communicate(timeout=60)
    assert (started.returncode, said) == (130, "")
    finished = line.partition(":")[0]
    assert "interrupted: 1 of 2 runs were finished and are cached" in told
    assert f"  finished: {finished}" in told
    (kept,) = tmp_path.iterdir()
    assert read_run(kept, kept.stem).result.imbalances == ()
    command = [sys.executable, "-m", "hntes", *arguments]
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert f"{finished}: kept from before" in again.stderr
    assert "strictly-partitioned" in again.stdout
    assert "work-conserving" in again.stdout


@pytest.mark.slow
@pytest.mark.parametrize("main", ["hntes.cli.cli", "hntes.papers.reproduction.__main__"])
def test_ctrl_c_again_and_again_from_the_start_on_ends_without_a_traceback(tmp_path: Path, main: str) -> None:
    chosen = ["1", "--jobs", "2", "--runs", str(tmp_path)]
    arguments = ["reproduce", *chosen] if main == "hntes.cli.cli" else chosen
    # the first signal comes when the pool starts: what Python does while it loads is not the command's
    lines = [
        f"import sys, hntes.cli.commands.reproduce, {main}",
        "from threading import Thread",
        "start = Thread.start",
        "Thread.start = lambda thread: (start(thread), print('starts', file=sys.stderr, flush=True))",
        f"sys.exit({main}.main({arguments!r}))",
    ]
    started = subprocess.Popen(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert started.stderr is not None
    assert started.stderr.readline() == "starts\n"
    while started.poll() is None:
        started.send_signal(signal.SIGINT)
        time.sleep(0.01)
    said, told = started.communicate(timeout=60)
    assert (started.returncode, said) == (130, ""), told
    assert "Traceback" not in told
    assert "interrupted" in told
