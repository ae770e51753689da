"""Observers of several runs: progress as one share of all work, or one line of text per finished run."""

import time
from collections.abc import Callable, Iterable
from typing import Protocol

from hntes.simulator.engine import ShareCallback
from hntes.simulator.runs.progress import RunProgress
from hntes.simulator.runs.task import FinishedRun, RunTask


class Observer(Protocol):
    """Hears how runs get on, always in the calling thread."""

    def moved(self, task: RunTask, share: float) -> None:
        """A run has come to this share of its simulated time."""

    def finished(self, run: FinishedRun) -> None:
        """A run has ended and is kept."""

    def spare(self, tasks: Iterable[RunTask]) -> None:
        """Runs that were planned are not needed."""

    def note(self, text: str) -> None:
        """Something that does not stop the runs."""


class ShareObserver:
    """Reports the share of all work that is done, 0 to 1, whenever it has grown."""

    def __init__(self, tasks: Iterable[RunTask], report: ShareCallback) -> None:
        self._progress = RunProgress.of(tasks)
        self._report = report
        self._reported = 0.0

    def moved(self, task: RunTask, share: float) -> None:
        self._progress.move(task.key, share)
        self._report_growth()

    def finished(self, run: FinishedRun) -> None:
        self._progress.finish(run.task.key, reused=run.reused)
        self._report_growth()

    def spare(self, tasks: Iterable[RunTask]) -> None:
        for task in tasks:
            self._progress.spare(task.key)
        self._report_growth()

    def note(self, text: str) -> None:
        """Nothing: a share has no place for words."""

    def _report_growth(self) -> None:
        share = self._progress.share
        if share > self._reported:
            self._reported = share
            self._report(share)


class LineObserver:
    """Writes a line for each run that has ended: what became of it, how far all are, how long the rest will take."""

    def __init__(self, tasks: Iterable[RunTask], write: Callable[[str], object]) -> None:
        self._progress = RunProgress.of(tasks)
        self._write = write
        self._started = time.monotonic()

    def moved(self, task: RunTask, share: float) -> None:
        """Remembered, for the estimate."""
        self._progress.move(task.key, share)

    def finished(self, run: FinishedRun) -> None:
        self._progress.finish(run.task.key, reused=run.reused)
        left = time_left_words(self._progress.remaining_s(time.monotonic() - self._started))
        done = (
            f"{self._progress.finished} of {len(self._progress.costs)}, {100 * self._progress.share:.0f} % of the work"
        )
        self._write(f"{run.task.name}: {outcome_words(run)} ({', '.join(part for part in (done, left) if part)})")

    def spare(self, tasks: Iterable[RunTask]) -> None:
        for task in tasks:
            self._progress.spare(task.key)

    def note(self, text: str) -> None:
        self._write(text)


def time_left_words(seconds: float | None) -> str:
    """A duration for people: `about 3 min left`; nothing if it is not known."""
    if seconds is None or seconds <= 0:
        return ""
    return f"about {seconds:.0f} s left" if seconds < 90 else f"about {seconds / 60:.0f} min left"


def outcome_words(run: FinishedRun) -> str:
    """The outcome of a run, in a few words."""
    if run.not_applicable:
        return f"the engine does not apply: {run.not_applicable}"
    return "kept from before" if run.reused else f"{run.elapsed_s:.1f} s"
