"""A night of many routers side by side, each from its flow folder to its proposal without waiting for the others."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from logging import LogRecord
from multiprocessing.connection import Connection
from typing import TypeVar

from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.stages.beside import log_here, with_workers
from hntes.workflow.stages.job_budget import Machine, jobs_within
from hntes.workflow.stages.lane import Ended, Step, lane_in_process, lane_in_thread
from hntes.workflow.stages.night import Night, StageResult, end_night
from hntes.workflow.stages.places import Places
from hntes.workflow.stages.signs import Reading

T = TypeVar("T")

# (pieces done, pieces, the one that ended last)
Progress = Callable[[int, int, str], object]


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
    running = _Running(Night(day), list(routers), context, Places(at_once, limit_s), progress, ended)
    try:
        while running.waiting or running.places:
            while running.waiting and running.places.has_room():
                step = running.waiting.popleft()
                beside = begin(of_router if step.router else of_folder, day, step)
                running.places.add(beside, step, step.name, reads=not step.router)
            running.listen()
    finally:
        running.places.stop()
    end_night(context)
    return running.in_order()


def _sharing(context: Context, machine: Machine, pieces: int) -> Context:
    """The context of each of so many pieces at once: the workers that it has on this machine."""
    return with_workers(context, max(1, machine.processors // max(1, pieces)))


@dataclass
class _Running:
    """The pieces that run and wait, and what has come of the others."""

    night: Night
    routers: list[Router]
    context: Context
    places: Places[Step]
    progress: Progress
    ended: Callable[[str, StageResult], object]
    waiting: deque[Step] = field(default_factory=deque)
    done: int = 0

    def __post_init__(self) -> None:
        folders = self.context.folders(self.routers)
        self.waiting.extend(Step(folder) for folder in folders)
        self.pieces = len(folders) + len(self.routers)

    def listen(self) -> None:
        """Waits for messages, for the first limit, or until a folder counts as silent, and acts on them."""
        for messages in self.places.ready(is_more=bool(self.waiting)):
            self._receive(messages)
        for messages, stopped in self.places.overdue().items():
            self._end(messages, f"it took more than {self.places.limit_s:.0f} s and {stopped}; run the night again")

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
        router = self.places[messages].work.router
        try:
            received = messages.recv()
        except (EOFError, OSError):  # killed between two messages, or in one
            self._end(messages, "its process ended by itself; see the messages above and the kernel's log")
            return
        match received:
            case LogRecord():
                log_here(received)
            case Reading():
                self.places.heard(messages)
            case Ended():
                self._end(messages, received.problem)
            case result:
                self.night.take(router, result)
                self.ended(router, result)

    def _end(self, messages: Connection, problem: str) -> None:
        """Ends a piece: what depends on it begins, before all others, or fails with it."""
        step = self.places.leave(messages)
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
