"""The parts of a backfill side by side: each in a process of its own, or in a thread where a cluster does the work."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from logging import LogRecord
from multiprocessing.connection import Connection, wait
from typing import TypeVar

from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stages.beside import Beside, in_process, in_thread, log_here

Key = TypeVar("Key")

_ENDED = "its process ended by itself; see the messages above and the kernel's log, and run the backfill again"


@dataclass(frozen=True)
class BackfillPart:
    """The result of one part of a backfill: files read, alpha flows found or changes proposed, and failures."""

    count: int
    failures: dict[str, str]
    noted: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """What is to be done, which can be pickled, and the name under which it fails."""

    name: str
    work: Callable[[Context], BackfillPart]


@dataclass
class _Begun:
    part: Part
    beside: Beside
    result: BackfillPart | None = None


def run_parts(context: Context, parts: Mapping[Key, Part], jobs: int) -> dict[Key, BackfillPart]:
    """The results of parts that do not depend on each other, up to `jobs` at once; one that is killed fails alone.

    They are stopped on an error, and on Ctrl-C: they may be repeated.
    """
    waiting, running = deque(parts.items()), dict[Connection, tuple[Key, _Begun]]()
    found: dict[Key, BackfillPart] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                key, part = waiting.popleft()
                begun = _Begun(part, _begin(context, part))
                running[begun.beside.messages] = key, begun
            ready = wait(list(running))
            for messages in [each for each in running if each in ready]:
                key, begun = running[messages]
                if _has_ended(begun):
                    del running[messages]
                    found[key] = begun.result or BackfillPart(0, {begun.part.name: _ENDED})
    finally:
        for _, begun in running.values():
            begun.beside.stop()
    return {key: found[key] for key in parts}


def _begin(context: Context, part: Part) -> Beside:
    work = partial(_answer, part=part)
    if context.settings.analytics.kind == "spark":
        return in_thread(context, work, f"backfill of {part.name}")
    return in_process(context, work, ("hntes.workflow.stages.backfill",))


def _answer(context: Context, messages: Connection, part: Part) -> None:
    # Errors are passed between processes as messages: not every exception can be pickled.
    try:
        result = part.work(context)
    except expected() as problem:
        result = BackfillPart(0, {part.name: message(problem)})
    messages.send(result)


def _has_ended(begun: _Begun) -> bool:
    """Takes the next message of a part; whether there are no more, as its process has ended."""
    messages = begun.beside.messages
    try:
        received = messages.recv()
    except (EOFError, OSError):  # an OSError: it was killed in a message
        messages.close()
        return True
    if isinstance(received, LogRecord):
        log_here(received)
    else:
        begun.result = received
    return False
