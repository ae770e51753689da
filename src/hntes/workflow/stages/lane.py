"""One piece of a night beside others: in a process of its own, or in a thread where a cluster does the work."""

import logging
import logging.handlers
import math
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from hntes.etl.workers import worker_process
from hntes.settings import Settings
from hntes.sql.engine import open_database
from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stages.ingest import WAIT_S, ingest
from hntes.workflow.stages.judge import lab_of
from hntes.workflow.stages.night import StageResult, router_stages

_PRELOADED = (__name__, "hntes.etl.ingest.flow_file", "hntes.etl.engines.duck")


@dataclass(frozen=True)
class Step:
    """A piece that needs nothing but the pieces before it: the files of a folder, or all stages of a router ("")."""

    folder: Path
    router: str = ""

    @property
    def name(self) -> str:
        return self.router or str(self.folder)


@dataclass(frozen=True)
class Reading:
    """A file of the folder is done: the piece does not wait for its file server. Sent at most once a second."""


@dataclass(frozen=True)
class Ended:
    """The last message of a piece; `problem` is empty if all went well."""

    problem: str = ""


# In the order in which they come.
Message = StageResult | logging.LogRecord | Reading | Ended


@dataclass(frozen=True)
class Lane:
    """A running piece: its messages, and how to end it before its end."""

    step: Step
    messages: Connection
    stop: Callable[[], None]


def lane_in_process(context: Context, day: date, step: Step) -> Lane:
    """Begins the piece in a process, which has its own connections and ends with this one."""
    ours, theirs = Pipe(duplex=False)
    process = worker_process(_in_process, (theirs, context.settings, context.most_workers, day, step), _PRELOADED)
    # the end of the process is then the end of the messages
    theirs.close()

    def stop() -> None:
        process.kill()
        process.join(1.0)  # one that waits for a file server may stay longer

    return Lane(step, ours, stop)


def lane_in_thread(context: Context, day: date, step: Step) -> Lane:
    """Begins the piece in a thread, which shares the session of the cluster; it cannot be ended, only left alone."""
    ours, theirs = Pipe(duplex=False)

    def run() -> None:
        # left alone at its limit, nobody listens to it
        with theirs, suppress(BrokenPipeError):
            _tell(theirs, _results(context, day, step, _Reader(theirs)))

    threading.Thread(target=run, daemon=True, name=f"night of {step.name}").start()
    return Lane(step, ours, lambda: None)


def _in_process(messages: Connection, settings: Settings, most_workers: int | None, day: date, step: Step) -> None:
    logger = logging.getLogger("hntes")
    logger.handlers[:] = [_Sending(messages)]
    logger.setLevel(logging.DEBUG)
    chosen = settings.database
    # other pieces and programs have the connections of a busy server; they end
    database = open_database(chosen.url, statement_limit_s=chosen.statement_limit_s, connection_wait_s=WAIT_S)
    context = Context(settings, database, most_workers)
    try:
        _tell(messages, _results(context, day, step, _Reader(messages)))
    finally:
        context.close()


def _tell(messages: Connection, results: Iterable[StageResult]) -> None:
    """Sends the results. An error that nobody expects leaves the messages without an end, and its traceback behind."""
    try:
        for result in results:
            messages.send(result)
    except expected() as problem:
        messages.send(Ended(message(problem)))
    else:
        messages.send(Ended())


def _results(context: Context, day: date, step: Step, reader: "_Reader") -> Iterable[StageResult]:
    if not step.router:
        yield ingest(context, step.folder, day, reader.has_read)
        return
    (router,) = context.chosen([step.router])
    yield from router_stages(context, day, router, lab_of(context))


class _Reader:
    """Tells the process that the user started that files are read."""

    def __init__(self, messages: Connection) -> None:
        self._messages = messages
        self._told_s = -math.inf

    def has_read(self, _done: int, _all: int, _path: str) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s >= 1.0:
            self._messages.send(Reading())
            self._told_s = now_s


class _Sending(logging.handlers.QueueHandler):
    """Sends what is logged, so that it is written by the process that the user started."""

    def __init__(self, messages: Connection) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self._messages = messages

    def enqueue(self, record: logging.LogRecord) -> None:
        self._messages.send(record)


def with_workers(context: Context, workers: int) -> Context:
    """The context of a piece that may have so many workers."""
    return replace(context, most_workers=workers)
