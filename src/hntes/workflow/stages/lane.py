"""One piece of a night beside others: in a process of its own, or in a thread where a cluster does the work."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stages.beside import Beside, in_process, in_thread
from hntes.workflow.stages.ingest import ingest
from hntes.workflow.stages.judge import lab_of
from hntes.workflow.stages.night import StageResult, router_stages
from hntes.workflow.stages.signs import Reading, Signs


@dataclass(frozen=True)
class Step:
    """A piece that needs nothing but the pieces before it: the files of a folder, or all stages of a router ("")."""

    folder: Path
    router: str = ""

    @property
    def name(self) -> str:
        return self.router or str(self.folder)


@dataclass(frozen=True)
class Ended:
    """The last message of a piece; `problem` is empty if all went well."""

    problem: str = ""


# In the order in which they come.
Message = StageResult | logging.LogRecord | Reading | Ended


def lane_in_process(context: Context, day: date, step: Step) -> Beside:
    """Begins the piece in a process, which has its own connections and ends with this one."""
    return in_process(context, partial(_run, day=day, step=step), (__name__,))


def lane_in_thread(context: Context, day: date, step: Step) -> Beside:
    """Begins the piece in a thread, which shares the session of the cluster; it cannot be ended, only left alone."""
    return in_thread(context, partial(_run, day=day, step=step), f"night of {step.name}")


def _run(context: Context, messages: Connection, day: date, step: Step) -> None:
    _tell(messages, _results(context, day, step, Signs(messages.send)))


def _tell(messages: Connection, results: Iterable[StageResult]) -> None:
    """Sends the results. An error that nobody expects leaves the messages without an end, and its traceback behind."""
    try:
        for result in results:
            messages.send(result)
    except expected() as problem:
        messages.send(Ended(message(problem)))
    else:
        messages.send(Ended())


def _results(context: Context, day: date, step: Step, signs: Signs) -> Iterable[StageResult]:
    if not step.router:
        yield ingest(context, step.folder, day, signs.has_read)
        return
    (router,) = context.chosen([step.router])
    yield from router_stages(context, day, router, lab_of(context))
