"""Shared parts of the commands that run the simulator: progress, cache folder, errors and Ctrl-C."""

import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from hntes.cli import output
from hntes.cli.options import SafePath
from hntes.format import counted
from hntes.papers.errors import SelectionError
from hntes.simulator.runs.engines import UnsoundRunError
from hntes.simulator.runs.files import RunFolder
from hntes.simulator.runs.interrupts import end_process, one_interrupt
from hntes.simulator.runs.observer import LineObserver, Observer, time_left_words
from hntes.simulator.runs.pool import RunsInterrupted
from hntes.simulator.runs.progress import RunProgress
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.scenario import ScenarioError
from hntes.workflow.errors import FAILED, CommandError, message

P = ParamSpec("P")
R = TypeVar("R")

INTERRUPTED = 130
_EXPECTED = (CommandError, OSError, ScenarioError, SelectionError, UnsoundRunError)

engine_option = click.option(
    "--engine",
    type=click.Choice(["packet", "fluid"]),
    default="packet",
    show_default=True,
    help="packet: simulates each packet. fluid: fluid flows, much faster; not applicable where packet order matters.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    help="Maximum parallel runs.  [default: all cores]",
)
runs_option = click.option(
    "--runs",
    "runs_folder",
    type=SafePath(file_okay=False, path_type=Path),
    envvar="HNTES_RUNS",
    help="Cache of finished runs; safe to delete.  [default: $HNTES_RUNS, else the user's cache folder]",
)
fresh_option = click.option("--fresh", is_flag=True, help="Ignore cached runs.")


def kept_runs(folder: Path | None, fresh: bool) -> RunFolder:
    """The writable folder of cached runs; raises OSError if it is not writable."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = RunFolder(folder or cache / "hntes" / "runs", fresh)
    found.prepare()
    return found


def ends_well(command: Callable[P, R]) -> Callable[P, R]:
    """Turns expected errors into their message and status 1, Ctrl-C into status 130 without a running thread."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with one_interrupt():
            return _end_well(command, *args, **kwargs)

    return run


def _end_well(command: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    try:
        return command(*args, **kwargs)
    except RunsInterrupted as stopped:
        _print_interrupted(stopped)
        if stopped.left_behind:
            end_process(INTERRUPTED)
        raise click.exceptions.Exit(INTERRUPTED) from stopped
    except KeyboardInterrupt as stopped:
        output.note("interrupted; finished runs are cached")
        raise click.exceptions.Exit(INTERRUPTED) from stopped
    except _EXPECTED as problem:
        output.note(f"hntes: {message(problem)}")
        raise click.exceptions.Exit(FAILED) from problem


@contextmanager
def following(tasks: Sequence[RunTask]) -> Iterator[Observer]:
    """Reports runs on standard error: bars on a terminal, elsewhere a line for each that has finished."""
    if not sys.stderr.isatty():
        yield LineObserver(tasks, output.note)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as bars:
        yield _Bars(bars, RunProgress.of(tasks))


class _Bars:
    """A bar for all runs, and one for each running one."""

    def __init__(self, bars: Progress, progress: RunProgress) -> None:
        self._bars = bars
        self._progress = progress
        self._started = time.monotonic()
        self._all = bars.add_task("", total=1.0, left="")
        self._running: dict[str, TaskID] = {}
        self._show()

    def moved(self, task: RunTask, share: float) -> None:
        """Move both bars."""
        if task.key not in self._running:
            self._running[task.key] = self._bars.add_task(f"  {task.name}", total=1.0, left="")
        self._progress.move(task.key, share)
        self._bars.update(self._running[task.key], completed=share)
        self._show()

    def finished(self, run: FinishedRun) -> None:
        """Its bar goes."""
        self._progress.finish(run.task.key, reused=run.reused)
        bar = self._running.pop(run.task.key, None)
        if bar is not None:
            self._bars.remove_task(bar)
        self._show()

    def spare(self, tasks: Iterable[RunTask]) -> None:
        """All that is left is less."""
        for task in tasks:
            self._progress.spare(task.key)
        self._show()

    def note(self, text: str) -> None:
        """Above the bars."""
        self._bars.console.print(text, markup=False)

    def _show(self) -> None:
        left = time_left_words(self._progress.remaining_s(time.monotonic() - self._started))
        words = f"{self._progress.finished} of {counted(len(self._progress.costs), 'run')}"
        self._bars.update(self._all, description=words, completed=self._progress.share, left=left)


def _print_interrupted(stopped: RunsInterrupted) -> None:
    output.note(f"{stopped} and are cached; the same command resumes from there")
    for run in stopped.finished:
        output.note(f"  finished: {run.task.name}")
