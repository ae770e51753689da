"""Work beside other work: in a process of its own, or in a thread where a cluster does what takes time."""

import logging
import logging.handlers
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from sqlalchemy import Engine

from hntes import left_alone
from hntes.etl.workers import worker_process
from hntes.settings import Settings
from hntes.sql.engine import open_database
from hntes.workflow.context import Context
from hntes.workflow.stages.ingest import WAIT_S

# Work sends what it has to say; in a process it can be pickled.
Work = Callable[[Context, Connection], None]
_PRELOADED = (__name__, "hntes.etl.ingest.flow_file", "hntes.etl.engines.duck")


@dataclass(frozen=True)
class Beside:
    """Work that has begun: its messages, of which what is logged is one, and how to stop it before its end.

    stopped: what then becomes of it, in words.
    """

    messages: Connection
    stop: Callable[[], None]
    stopped: str


def in_process(context: Context, work: Work, preloaded: Sequence[str] = ()) -> Beside:
    """Begins work in a process, which has its own connections and ends with this one.

    `preloaded` are modules that the first such process loads for all.
    """
    ours, theirs = Pipe(duplex=False)
    arguments = (theirs, context.settings, context.most_workers, work)
    process = worker_process(_in_process, arguments, (*_PRELOADED, *preloaded))
    # the end of the process is then the end of the messages
    theirs.close()

    def stop() -> None:
        process.kill()
        process.join(1.0)
        if process.is_alive():  # it waits for a file server, or a disk, and the kernel cannot end it
            left_alone.leave(process)

    return Beside(ours, stop, "was ended")


def in_thread(context: Context, work: Work, name: str) -> Beside:
    """Begins work in a thread, which shares the session of the cluster; it cannot be ended, only left alone.

    It has its own connections, as a process has: the engine of a command has a few, and refuses more after 30 s.
    """
    ours, theirs = Pipe(duplex=False)
    own = context.with_database(_own_database(context.settings))

    def run() -> None:
        try:
            # left alone, nobody listens to it
            with theirs, suppress(BrokenPipeError):
                work(own, theirs)
        finally:
            own.database.dispose()

    thread = threading.Thread(target=run, daemon=True, name=name)
    thread.start()
    return Beside(ours, lambda: left_alone.leave(thread), "is left alone until this command ends")


def with_workers(context: Context, workers: int) -> Context:
    """The context of work that may have so many workers."""
    return replace(context, most_workers=workers)


def log_here(record: logging.LogRecord) -> None:
    """Logs what work in a process has sent as if it were logged here."""
    if (logger := logging.getLogger(record.name)).isEnabledFor(record.levelno):
        logger.handle(record)


def _in_process(messages: Connection, settings: Settings, most_workers: int | None, work: Work) -> None:
    logger = logging.getLogger("hntes")
    logger.handlers[:] = [_Sending(messages)]
    logger.setLevel(logging.DEBUG)
    context = Context(settings, _own_database(settings), most_workers)
    try:
        work(context, messages)
    finally:
        context.close()


def _own_database(settings: Settings) -> Engine:
    chosen = settings.database
    # other work and programs have the connections of a busy server; they end
    return open_database(chosen.url, statement_limit_s=chosen.statement_limit_s, connection_wait_s=WAIT_S)


class _Sending(logging.handlers.QueueHandler):
    """Sends what is logged, so that it is written by the process that the user started."""

    def __init__(self, messages: Connection) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self._messages = messages

    def enqueue(self, record: logging.LogRecord) -> None:
        self._messages.send(record)
