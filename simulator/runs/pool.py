"""Several runs side by side: the longest first, kept ones re-used, Ctrl-C heeded within a second.

Threads run the engine, which releases the interpreter; they tell the calling thread what happens, and only that one
talks to the observer.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Protocol

from base.errors import HntesError
from simulator.engine import EngineName, NotApplicableError, ScenarioError, run
from simulator.results import RunResult
from simulator.runs.cost import expected_pkts
from simulator.runs.files import BrokenRunFileError, RunFolder, run_key
from simulator.version import engine_version

# A run looks whether it shall stop a hundred times; one too long for that is left behind after so much patience.
_STOP_PATIENCE_S = 0.7


@dataclass(frozen=True)
class RunTask:
    """A scenario to be run, under a name that no other task of the batch has."""

    name: str
    scenario: Mapping[str, Any]

    @property
    def cost_pkts(self) -> float:
        """What it is expected to cost."""
        return expected_pkts(self.scenario)


@dataclass(frozen=True)
class FinishedRun:
    """What became of a task: a result, or why the engine does not apply."""

    task: RunTask
    result: RunResult | None
    not_applicable: str = ""
    reused: bool = False
    elapsed_s: float = 0.0


class Observer(Protocol):
    """Who is told about the way there, always in the calling thread."""

    def moved(self, task: RunTask, share: float) -> None:
        """A run has come to this share of its simulated time."""

    def finished(self, run: FinishedRun) -> None:
        """A run has ended and is kept."""

    def note(self, text: str) -> None:
        """Something that does not stop the runs."""


class UnsoundRunError(HntesError):
    """A run's books do not balance: a defect of the engine."""


class RunsInterruptedError(HntesError):
    """Ctrl-C: what was finished is kept.

    Attributes:
        finished: Runs that had ended.
        unfinished: Names of those that had not.
        left_behind: A thread still computes; the process must be ended hard.
    """

    def __init__(self, finished: Sequence[FinishedRun], unfinished: Sequence[str], left_behind: bool) -> None:
        super().__init__(f"interrupted: {len(finished)} of {len(finished) + len(unfinished)} runs were finished")
        self.finished = tuple(finished)
        self.unfinished = tuple(unfinished)
        self.left_behind = left_behind


def run_all(
    tasks: Sequence[RunTask],
    *,
    engine: EngineName = "packet",
    jobs: int = 2,
    folder: RunFolder | None = None,
    observer: Observer | None = None,
) -> list[FinishedRun]:
    """Run all tasks.

    Returns:
        What became of each, in the order of `tasks`.

    Raises:
        ScenarioError: One of the scenarios is not sound; the message names run and key. Nothing further is started.
        UnsoundRunError: The books of a run do not balance.
        RunsInterruptedError: Ctrl-C.
    """
    batch = _Batch(tasks, engine, folder)
    threads = [Thread(target=batch.work, daemon=True) for _ in range(max(1, min(jobs, len(tasks))))]
    done: dict[str, FinishedRun] = {}
    try:
        for thread in threads:
            thread.start()
        while len(done) < len(tasks):
            _tell(batch, done, observer)
    except BaseException as error:
        batch.stop.set()
        _wait(threads)
        if not isinstance(error, KeyboardInterrupt):
            raise
        _drain(batch, done)
        unfinished = [task.name for task in tasks if task.name not in done]
        left_behind = any(thread.is_alive() for thread in threads)
        raise RunsInterruptedError(list(done.values()), unfinished, left_behind) from error
    _wait(threads)
    return [done[task.name] for task in tasks]


class _StoppedError(Exception):
    """Ends a run from within its progress callback."""


class _Batch:
    """What the threads share."""

    def __init__(self, tasks: Sequence[RunTask], engine: EngineName, folder: RunFolder | None) -> None:
        self.engine = engine
        self.version = engine_version()
        self.folder = folder
        self.waiting = sorted(tasks, key=lambda task: task.cost_pkts)
        self.events: SimpleQueue[object] = SimpleQueue()
        self.stop = Event()
        self._lock = Lock()

    def work(self) -> None:
        """Take tasks until there are none; what goes wrong is raised in the calling thread."""
        while (task := self._next()) is not None:
            try:
                self.events.put(self._perform(task))
            except _StoppedError:
                return
            except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
                self.events.put(error)
                return

    def _next(self) -> RunTask | None:
        with self._lock:
            return self.waiting.pop() if self.waiting and not self.stop.is_set() else None

    def _perform(self, task: RunTask) -> FinishedRun:
        started = time.monotonic()
        key = run_key(task.scenario, self.engine, self.version)
        kept = self._kept(key)
        if kept is not None:
            return FinishedRun(task, kept, reused=True)

        def progress(share: float) -> None:
            if self.stop.is_set():
                raise _StoppedError
            self.events.put((task, share))

        try:
            result = run(task.scenario, progress, self.engine)
        except NotApplicableError as error:
            return FinishedRun(task, None, str(error) or "no reason given", elapsed_s=time.monotonic() - started)
        except ScenarioError as error:
            raise ScenarioError(f"{task.name}: {error}") from error
        if result.imbalances:
            raise UnsoundRunError(f"{task.name}: the books do not balance: {'; '.join(result.imbalances)}")
        if self.folder is not None:
            self.folder.keep(key, result)
        return FinishedRun(task, result, elapsed_s=time.monotonic() - started)

    def _kept(self, key: str) -> RunResult | None:
        if self.folder is None:
            return None
        try:
            return self.folder.find(key)
        except BrokenRunFileError as error:
            self.events.put(f"{error}; it is run again")
            return None


def _tell(batch: _Batch, done: dict[str, FinishedRun], observer: Observer | None) -> None:
    """Pass on one event; a wait is short, so that Ctrl-C is seen on every platform."""
    try:
        event = batch.events.get(timeout=0.2)
    except Empty:
        return
    match event:
        case BaseException():
            raise event
        case FinishedRun():
            done[event.task.name] = event
            if observer:
                observer.finished(event)
        case str() if observer:
            observer.note(event)
        case (RunTask() as task, float(share)) if observer:
            observer.moved(task, share)


def _drain(batch: _Batch, done: dict[str, FinishedRun]) -> None:
    """Runs that ended while the others were being stopped count as finished: they are kept."""
    while True:
        try:
            event = batch.events.get_nowait()
        except Empty:
            return
        if isinstance(event, FinishedRun):
            done[event.task.name] = event


def _wait(threads: Sequence[Thread]) -> None:
    until = time.monotonic() + _STOP_PATIENCE_S
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(until - time.monotonic(), 0.0))
