"""The parts of a backfill side by side: each in a process of its own, or in a thread where a cluster does the work."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from logging import LogRecord
from multiprocessing.connection import Connection

from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stages.beside import Beside, in_process, in_thread, log_here
from hntes.workflow.stages.places import Places
from hntes.workflow.stages.signs import DayDone, Reading, Signs

_ENDED = "its process ended by itself; see the messages above and the kernel's log, and run the backfill again"


@dataclass(frozen=True)
class BackfillPart:
    """The result of one part of a backfill: files read, alpha flows found or changes proposed, and failures.

    days: of a folder, those that it can have flows of.
    """

    count: int
    failures: dict[str, str]
    noted: dict[str, str] = field(default_factory=dict)
    days: tuple[date, ...] = ()


@dataclass(frozen=True)
class Part:
    """What is to be done, which can be pickled, and the name under which it fails.

    then: takes the result, and gives the parts that it makes possible. reads: it reads a flow folder. workers: as many
    processes and threads may work for it at once; None: as in the settings.
    """

    name: str
    work: Callable[[Context, Signs], BackfillPart]
    then: Callable[[BackfillPart], Sequence[Part]] = lambda _: ()
    reads: bool = False
    workers: int | None = None


@dataclass
class _Begun:
    part: Part
    result: BackfillPart | None = None

    def failed(self, reason: str) -> BackfillPart:
        return BackfillPart(0, {self.part.name: reason})


def run_parts(context: Context, parts: Iterable[Part], jobs: int, limit_s: float) -> None:
    """Runs parts, up to `jobs` at once, each followed by those that it makes possible; one that is killed fails alone.

    A day of one may take `limit_s` seconds. A folder of which nothing is read for a minute leaves its place to others,
    as far as memory goes. They are stopped on an error, and on Ctrl-C: they may be repeated.
    """
    waiting, places = deque(parts), Places[_Begun](jobs, limit_s)

    def end(messages: Connection, reason: str) -> None:
        begun = places.leave(messages)
        waiting.extendleft(reversed(begun.part.then(begun.result or begun.failed(reason))))

    try:
        while waiting or places:
            while waiting and places.has_room():
                part = waiting.popleft()
                places.add(_begin(context, part), _Begun(part), part.name, reads=part.reads)
            for messages in places.ready(is_more=bool(waiting)):
                if _has_ended(places, messages):
                    end(messages, _ENDED)
            for messages, stopped in places.overdue().items():
                end(messages, f"a day of it took more than {limit_s:.0f} s, and it {stopped}; run the backfill again")
    finally:
        places.stop()


def _begin(context: Context, part: Part) -> Beside:
    work = partial(_answer, name=part.name, work=part.work)
    if context.settings.analytics.kind == "spark":
        return in_thread(context, work, f"backfill of {part.name}")
    return in_process(replace(context, most_workers=part.workers), work, ("hntes.workflow.stages.backfill",))


def _answer(context: Context, messages: Connection, name: str, work: Callable[[Context, Signs], BackfillPart]) -> None:
    # Errors are passed between processes as messages: not every exception can be pickled.
    try:
        result = work(context, Signs(messages.send))
    except expected() as problem:
        result = BackfillPart(0, {name: message(problem)})
    messages.send(result)


def _has_ended(places: Places[_Begun], messages: Connection) -> bool:
    """Takes the next message of a part; whether there are no more, as its process has ended."""
    try:
        received = messages.recv()
    except (EOFError, OSError):  # an OSError: it was killed in a message
        return True
    match received:
        case LogRecord():
            log_here(received)
        case Reading():
            places.heard(messages)
        case DayDone():
            places.begins_anew(messages)
        case result:
            places[messages].work.result = result
    return False
