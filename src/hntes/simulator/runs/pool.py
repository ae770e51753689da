"""Several runs side by side: the longest first, kept ones re-used, Ctrl-C heeded within a second.

What another process makes meanwhile is left for the end: by then it is most likely kept.

Threads run the engine, which releases the interpreter; they report to the calling thread what happens, and only that
one talks to the observer.
"""

import time
from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from hntes.simulator.engine import NotApplicableError
from hntes.simulator.results import RunResult
from hntes.simulator.runs.engines import Engines, run_task
from hntes.simulator.runs.observer import Observer
from hntes.simulator.runs.store import BrokenRunError, MemoryRuns, RunStore
from hntes.simulator.runs.task import FinishedRun, RunTask

# A run looks whether it shall stop a hundred times; one too long for that is left behind after so much patience.
_STOP_PATIENCE_S = 0.7
# A run takes seconds. One that is claimed for longer is made here, too: whoever may open the file can hold its lock.
_CLAIM_PATIENCE_S = 120.0
_LOOKS_AGAIN_S = 0.2
COMPILED = Engines()


class RunsInterrupted(KeyboardInterrupt):
    """Ctrl-C: what was finished is kept. Who knows nothing of runs meets a KeyboardInterrupt.

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
    jobs: int = 2,
    store: RunStore | None = None,
    observer: Observer | None = None,
    engines: Engines = COMPILED,
) -> list[FinishedRun]:
    """Run all tasks; equal ones run once.

    Args:
        tasks: What to run.
        jobs: How many runs go side by side.
        store: Where results are looked for and kept; None keeps nothing.
        observer: Who follows the runs.
        engines: What runs a scenario.

    Returns:
        What became of each, in the order of `tasks`.

    Raises:
        ScenarioError: One of the scenarios is not sound; the message names run and key. Nothing further is started.
        UnsoundRunError: The books of a run do not balance.
        RunsInterrupted: Ctrl-C.
    """
    wanted = {task.key: task for task in tasks}
    batch = _Batch(list(wanted.values()), store or MemoryRuns(), engines)
    threads = [Thread(target=batch.work, daemon=True) for _ in range(min(jobs, len(wanted)))]
    done: dict[str, FinishedRun] = {}
    try:
        for thread in threads:
            thread.start()
        while len(done) < len(wanted):
            _pass_on_event(batch, done, observer)
    except BaseException as error:
        batch.stop.set()
        _wait(threads)
        if not isinstance(error, KeyboardInterrupt):
            raise
        _drain(batch, done)
        unfinished = [task.name for key, task in wanted.items() if key not in done]
        left_behind = any(thread.is_alive() for thread in threads)
        raise RunsInterrupted(list(done.values()), unfinished, left_behind) from error
    _wait(threads)
    return [done[task.key] for task in tasks]


class _StoppedError(Exception):
    """Ends a run from within its progress callback."""


class _Batch:
    """The state that the threads share."""

    def __init__(self, tasks: Sequence[RunTask], store: RunStore, engines: Engines) -> None:
        self.store = store
        self.engines = engines
        self.waiting = deque(sorted(tasks, key=lambda task: task.cost))
        self.events: SimpleQueue[object] = SimpleQueue()
        self.stop = Event()
        self._lock = Lock()
        self._claimed = set[str]()

    def work(self) -> None:
        """Take tasks until there are none; what goes wrong is raised in the calling thread."""
        waited_s = 0.0
        while (task := self._next()) is not None:
            try:
                if task.key in self._claimed:  # it was put off, and so is all that is left
                    waited_s += self._pause()
                finished = self._perform(task, heeds_claims=waited_s < _CLAIM_PATIENCE_S)
                if finished is None:
                    self._put_off(task)
                else:
                    self.events.put(finished)
            except _StoppedError:
                return
            except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
                self.events.put(error)
                return

    def _next(self) -> RunTask | None:
        with self._lock:
            return self.waiting.pop() if self.waiting and not self.stop.is_set() else None

    def _put_off(self, task: RunTask) -> None:
        with self._lock:
            self._claimed.add(task.key)
            self.waiting.appendleft(task)

    def _pause(self) -> float:
        """Waits so long that each run that was put off is looked at every _LOOKS_AGAIN_S; returns the time, in s."""
        begun = time.monotonic()
        self.stop.wait(_LOOKS_AGAIN_S / (len(self.waiting) + 1))
        return time.monotonic() - begun

    def _perform(self, task: RunTask, *, heeds_claims: bool) -> FinishedRun | None:
        """What became of a task; None: another process makes its run."""
        kept = None if task.key in self._claimed else self._kept(task.key)
        if kept is not None:
            return FinishedRun(task, kept, reused=True)
        claim = self.store.claim(task.key) if heeds_claims else nullcontext()
        if claim is None:
            return None
        with claim:
            # made between the look and the claim
            with suppress(BrokenRunError):
                kept = self.store.get(task.key)
            return FinishedRun(task, kept, reused=True) if kept is not None else self._made(task)

    def _made(self, task: RunTask) -> FinishedRun:
        reached = 0.0

        def progress(share: float) -> None:
            nonlocal reached
            if self.stop.is_set():
                raise _StoppedError
            # A run that may have to be repeated comes here a hundred times and stays where it was.
            if share > reached:
                reached = share
                self.events.put((task, share))

        started = time.monotonic()
        try:
            result = run_task(task, self.engines, progress)
        except NotApplicableError as error:
            return FinishedRun(task, None, str(error) or "no reason given", elapsed_s=time.monotonic() - started)
        self.store.put(task.key, result)
        return FinishedRun(task, result, elapsed_s=time.monotonic() - started)

    def _kept(self, key: str) -> RunResult | None:
        try:
            return self.store.get(key)
        except BrokenRunError as error:
            self.events.put(f"{error}; it is run again")
            return None


def _pass_on_event(batch: _Batch, done: dict[str, FinishedRun], observer: Observer | None) -> None:
    """Pass on one event; a wait is short, so that Ctrl-C is seen on every platform."""
    try:
        event = batch.events.get(timeout=0.2)
    except Empty:
        return
    match event:
        case BaseException():
            raise event
        case FinishedRun():
            done[event.task.key] = event
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
            done[event.task.key] = event


def _wait(threads: Sequence[Thread]) -> None:
    until = time.monotonic() + _STOP_PATIENCE_S
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(until - time.monotonic(), 0.0))
