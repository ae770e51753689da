"""A night of many routers side by side, each from its flow folder to its proposal without waiting for the others."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from logging import LogRecord
from multiprocessing.connection import Connection, wait
from typing import TypeVar

from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.stages.beside import log_here, with_workers
from hntes.workflow.stages.job_budget import Machine, jobs_within
from hntes.workflow.stages.lane import Ended, Lane, Reading, Step, lane_in_process, lane_in_thread
from hntes.workflow.stages.night import Night, StageResult, end_night

T = TypeVar("T")

# (pieces done, pieces, the one that ended last)
Progress = Callable[[int, int, str], object]

# A folder of which no file was read for so long waits for its file server or for another process, not for a processor.
SILENT_S = 60.0


def run_night_jobs(
    context: Context,
    day: date,
    routers: Sequence[Router],
    jobs: int,
    limit_s: float,
    progress: Progress = lambda _done, _all, _name: None,
    ended: Callable[[str, StageResult], object] = lambda _, __: None,
) -> Night:
    """As `run_night`, and with the same results, with up to `jobs` routers at once, as far as this machine goes.

    The files of a folder, and the stages of a router, may take `limit_s` seconds; then they are stopped and fail alone.
    Before that, a folder of which nothing is read for a minute leaves its place to the next, as far as memory goes.

    Raises:
        CommandError: the day is in the future.
        SparkError: there is no cluster.
    """
    context.require_come(day)
    machine = Machine.here()
    is_cluster = context.settings.analytics.kind == "spark"
    # more jobs than routers would only share out processors that nobody uses
    at_once = jobs_within(machine, max(1, min(jobs, len(routers))), is_cluster=is_cluster)
    if is_cluster:
        # a cluster that is away stops the night once, not each router after its wait; a busy one is waited for
        context.analytics.check(takes_turn=True)
    begin = lane_in_thread if is_cluster else lane_in_process
    of_router = context if is_cluster else _sharing(context, machine, at_once)
    of_folder = context if is_cluster else _sharing(context, machine, min(at_once, len(context.folders(list(routers)))))
    running = _Running(Night(day), list(routers), context, limit_s, at_once, progress, ended)
    try:
        while running.waiting or running.lanes:
            while running.waiting and running.has_room():
                step = running.waiting.popleft()
                running.add(begin(of_router if step.router else of_folder, day, step))
            running.listen()
    finally:
        running.stop()
    end_night(context)
    return running.in_order()


def _sharing(context: Context, machine: Machine, pieces: int) -> Context:
    """The context of each of so many pieces at once: the workers that it has on this machine."""
    return with_workers(context, max(1, machine.processors // max(1, pieces)))


@dataclass
class _Begun:
    """A piece that has begun. limit: when it is ended, heard: when it last read a file; monotonic clock, s."""

    lane: Lane
    limit: float
    heard: float

    @property
    def silent_from(self) -> float:
        """When it counts as one that waits; only folders do."""
        return math.inf if self.lane.step.router else self.heard + SILENT_S


@dataclass
class _Running:
    """The pieces that run and wait, and what has come of the others."""

    night: Night
    routers: list[Router]
    context: Context
    limit_s: float
    at_once: int
    progress: Progress
    ended: Callable[[str, StageResult], object]
    lanes: dict[Connection, _Begun] = field(default_factory=dict)
    waiting: deque[Step] = field(default_factory=deque)
    done: int = 0

    def __post_init__(self) -> None:
        folders = self.context.folders(self.routers)
        self.waiting.extend(Step(folder) for folder in folders)
        self.pieces = len(folders) + len(self.routers)

    def add(self, lane: Lane) -> None:
        """Takes a piece that has begun."""
        now = time.monotonic()
        self.lanes[lane.messages] = _Begun(lane, now + self.limit_s, now)

    def has_room(self) -> bool:
        """Whether another piece may begin: those that only wait take memory alone."""
        now = time.monotonic()
        working = sum(begun.silent_from > now for begun in self.lanes.values())
        return working < self.at_once and (len(self.lanes) < self.at_once or Machine.here().fits_another)

    def listen(self) -> None:
        """Waits for messages, for the first limit, or until a folder counts as silent, and acts on them."""
        now = time.monotonic()
        moments = [begun.limit for begun in self.lanes.values()]
        moments += [begun.silent_from for begun in self.lanes.values() if begun.silent_from > now]
        if self.waiting:
            moments.append(now + SILENT_S)  # memory may be there by then
        ready = wait(list(self.lanes), max(0.0, min(moments) - now))
        for messages in [each for each in self.lanes if each in ready]:
            self._receive(messages)
        for messages, begun in list(self.lanes.items()):
            if time.monotonic() >= begun.limit:
                begun.lane.stop()
                what = f"it took more than {self.limit_s:.0f} s and {begun.lane.stopped}"
                self._end(messages, f"{what}; run the night again")

    def stop(self) -> None:
        """Ends what still runs."""
        for begun in self.lanes.values():
            begun.lane.stop()

    def in_order(self) -> Night:
        """The night with its results in the order of the settings, as if one router had followed the other."""
        night = self.night
        names = [router.name for router in self.routers]
        places = {str(folder): place for place, folder in enumerate(self.context.folders(self.routers))}
        return Night(
            night.day,
            sorted(night.ingests, key=lambda report: places[report.folder]),
            _ordered(night.observed, names),
            _ordered(night.measured, names),
            _ordered(night.proposed, names),
            _ordered(night.judged, names),
            _ordered(night.edges, names),
            _ordered(night.failures, names),
        )

    def _receive(self, messages: Connection) -> None:
        begun = self.lanes[messages]
        try:
            received = messages.recv()
        except (EOFError, OSError):  # killed between two messages, or in one
            self._end(messages, "its process ended by itself; see the messages above and the kernel's log")
            return
        match received:
            case LogRecord():
                log_here(received)
            case Reading():
                begun.heard = time.monotonic()
            case Ended():
                self._end(messages, received.problem)
            case result:
                self.night.take(begun.lane.step.router, result)
                self.ended(begun.lane.step.router, result)

    def _end(self, messages: Connection, problem: str) -> None:
        """Ends a piece: what depends on it begins, before all others, or fails with it."""
        step = self.lanes.pop(messages).lane.step
        messages.close()
        names = [step.router] if step.router else [r.name for r in self.routers if r.flow_folder == step.folder]
        self.done += 1
        if problem:
            self.night.failures |= dict.fromkeys(names, problem)
            self.done += 0 if step.router else len(names)
        elif not step.router:
            self.waiting.extendleft(Step(step.folder, name) for name in reversed(names))
        self.progress(self.done, self.pieces, step.name)


def _ordered(found: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    return {name: found[name] for name in names if name in found}
