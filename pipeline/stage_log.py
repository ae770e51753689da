"""Structured logs: one JSON object a line for every stage that begins, ends or fails, for whom that collects logs.

Python's own logging carries them, under the name `hntes.stage`, so a scheduler that has its own handlers gets them too.
"""

import functools
import inspect
import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import ParamSpec, TextIO, TypeVar

from settings.model import Router

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("hntes.stage")
# Where nobody asked for a log, errors must not go to standard error beside the sentence that a person gets.
logging.getLogger("hntes").addHandler(logging.NullHandler())


def stage(function: Callable[P, R]) -> Callable[P, R]:
    """Tells when a stage begins, and when and how it ends, with the router, folder and day it was called for.

    A failure is told by the kind of its error alone: the message is the caller's to tell, once.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        about = {"stage": function.__name__} | _subject(signature.bind(*args, **kwargs).arguments)
        _tell(logging.DEBUG, "begun", about)
        started_s = time.monotonic()
        try:
            result = function(*args, **kwargs)
        except BaseException as problem:
            _tell(logging.ERROR, "failed", about | _duration(started_s) | {"error": type(problem).__name__})
            raise
        _tell(logging.INFO, "done", about | _duration(started_s))
        return result

    return told


class JsonLines(logging.Formatter):
    """A record as one line of JSON: time (RFC 3339, UTC), level, logger, event, and the event's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= getattr(record, "hntes", {})
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False, default=str)


def write_to(stream: TextIO, level: int = logging.INFO) -> None:
    """Sends everything that HNTES logs to a stream, as JSON lines, in place of what was set before."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger("hntes")
    root.handlers[:] = [handler]
    root.setLevel(level)
    root.propagate = False


def _tell(level: int, event: str, about: dict[str, object]) -> None:
    # A handler of somebody else's shows the message alone, so the fields stand in it, too.
    words = " ".join(f"{name}={value}" for name, value in about.items())
    _log.log(level, "%s %s", event, words, extra={"hntes": {"event": event} | about})


def _subject(arguments: dict[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in arguments.items():
        if isinstance(value, Router):
            found["router"] = value.name
        elif isinstance(value, date):
            found[name] = value.isoformat()
        elif isinstance(value, Path):
            found[name] = str(value)
    return found


def _duration(started_s: float) -> dict[str, object]:
    return {"duration_s": round(time.monotonic() - started_s, 3)}
