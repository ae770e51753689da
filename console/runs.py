"""What the commands that run the simulator share: progress, where runs are kept, how errors and Ctrl-C end."""

import functools
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from base.wording import counted
from console import output
from pipeline.errors import FAILED, CommandError, message
from simulator.engine import EngineMissingError, ScenarioError
from simulator.reproduction import SelectionError
from simulator.runs.files import RunFolder
from simulator.runs.pool import FinishedRun, Observer, RunsInterruptedError, RunTask, UnsoundRunError
from simulator.runs.progress import RunProgress

P = ParamSpec("P")
R = TypeVar("R")

INTERRUPTED = 130
_EXPECTED = (CommandError, EngineMissingError, OSError, ScenarioError, SelectionError, UnsoundRunError)

engine_option = click.option(
    "--engine",
    type=click.Choice(["packet", "fluid"]),
    default="packet",
    show_default=True,
    help="packet: every packet. fluid: flows of bytes, much faster; where order of packets matters it does not apply.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), default=os.cpu_count() or 1, help="Runs side by side.  [default: all cores]"
)
runs_option = click.option(
    "--runs",
    "runs_folder",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="HNTES_RUNS",
    help="Where finished runs are kept and looked for; deleting it is safe.  [default: $HNTES_RUNS, else the user's "
    "cache folder]",
)
fresh_option = click.option("--fresh", is_flag=True, help="Run everything again; take no kept run.")


def kept_runs(folder: Path | None, fresh: bool) -> RunFolder:
    """The folder of kept runs, writable; raises OSError where it is not."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = RunFolder(folder or cache / "hntes" / "runs", fresh)
    found.prepare()
    return found


def ends_well(command: Callable[P, R]) -> Callable[P, R]:
    """Expected errors become their message and status 1; Ctrl-C becomes status 130, with no thread left computing."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except RunsInterruptedError as stopped:
            _tell_interrupted(stopped)
            if stopped.left_behind:
                # Files are replaced whole, so that nothing is lost by not waiting for the thread.
                sys.stdout.flush()
                os._exit(INTERRUPTED)
            raise click.exceptions.Exit(INTERRUPTED) from stopped
        except KeyboardInterrupt as stopped:
            output.note("interrupted; finished runs are kept")
            raise click.exceptions.Exit(INTERRUPTED) from stopped
        except _EXPECTED as problem:
            output.note(f"hntes: {message(problem)}")
            raise click.exceptions.Exit(FAILED) from problem

    return run


@contextmanager
def following(tasks: Sequence[RunTask]) -> Iterator[Observer]:
    """Tells of runs on standard error: bars on a terminal, elsewhere a line for each that has finished."""
    progress = RunProgress({task.name: task.cost_pkts for task in tasks})
    if not sys.stderr.isatty():
        yield _Lines(progress)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as bars:
        yield _Bars(bars, progress)


def clock_words(seconds: float | None) -> str:
    """A duration for people: `about 3 min left`."""
    if seconds is None or seconds <= 0:
        return ""
    return f"about {seconds:.0f} s left" if seconds < 90 else f"about {seconds / 60:.0f} min left"


class _Lines:
    """One line for each finished run."""

    def __init__(self, progress: RunProgress) -> None:
        self._progress = progress
        self._started = time.monotonic()
        self._done = 0

    def moved(self, task: RunTask, share: float) -> None:
        """Remember, for the estimate."""
        self._progress.move(task.name, share)

    def finished(self, run: FinishedRun) -> None:
        """Say what became of it, how far all of them are, and how long the rest will take."""
        self._progress.finish(run.task.name, reused=run.reused)
        self._done += 1
        left = clock_words(self._progress.remaining_s(time.monotonic() - self._started))
        where = f"{self._done} of {len(self._progress.costs)}, {100 * self._progress.share:.0f} % of the work"
        output.note(f"{run.task.name}: {_became(run)} ({', '.join(part for part in (where, left) if part)})")

    def note(self, text: str) -> None:
        """Pass it on."""
        output.note(text)


class _Bars:
    """A bar for all runs, and one for each that is under way."""

    def __init__(self, bars: Progress, progress: RunProgress) -> None:
        self._bars = bars
        self._progress = progress
        self._started = time.monotonic()
        self._done = 0
        self._all = bars.add_task("", total=1.0, left="")
        self._running: dict[str, TaskID] = {}
        self._show()

    def moved(self, task: RunTask, share: float) -> None:
        """Move both bars."""
        if task.name not in self._running:
            self._running[task.name] = self._bars.add_task(f"  {task.name}", total=1.0, left="")
        self._progress.move(task.name, share)
        self._bars.update(self._running[task.name], completed=share)
        self._show()

    def finished(self, run: FinishedRun) -> None:
        """Its bar goes."""
        self._done += 1
        self._progress.finish(run.task.name, reused=run.reused)
        bar = self._running.pop(run.task.name, None)
        if bar is not None:
            self._bars.remove_task(bar)
        self._show()

    def note(self, text: str) -> None:
        """Above the bars."""
        self._bars.console.print(text, markup=False)

    def _show(self) -> None:
        left = clock_words(self._progress.remaining_s(time.monotonic() - self._started))
        words = f"{self._done} of {counted(len(self._progress.costs), 'run')}"
        self._bars.update(self._all, description=words, completed=self._progress.share, left=left)


def _became(run: FinishedRun) -> str:
    if run.not_applicable:
        return f"the engine does not apply: {run.not_applicable}"
    return "kept from before" if run.reused else f"{run.elapsed_s:.1f} s"


def _tell_interrupted(stopped: RunsInterruptedError) -> None:
    output.note(f"{stopped} and are kept; the same command goes on from there")
    for run in stopped.finished:
        output.note(f"  finished: {run.task.name}")
