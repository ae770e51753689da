"""The structured log of the stages: one JSON object per line when a stage starts, ends or fails.

It uses Python's logging under the name `hntes.stage`, so that a scheduler with its own handlers receives it, too.
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

from hntes.settings.model import Router

P = ParamSpec("P")
R = TypeVar("R")

# The logger of messages that the command line prints.
WARNINGS = "hntes.warning"
_log = logging.getLogger("hntes.stage")
# Without a configured log, errors must not appear on standard error in addition to the user's message.
logging.getLogger("hntes").addHandler(logging.NullHandler())


def warn(text: str) -> None:
    """Logs a warning on something that was repaired automatically."""
    logging.getLogger(WARNINGS).warning(text)


def stage(
    outcome: Callable[[R], str], *, day_of: Callable[[R], date | None] = lambda _: None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Logs the start of the stage, named by its function, and its end and outcome.

    The lines name the router or folder and the day of the call. A failure is logged by its error type only: the caller
    reports the message, once.

    Args:
        outcome: The outcome as one word, from the function's result.
        day_of: The day of the result, for functions that can be called without one.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def logged(*args: P.args, **kwargs: P.kwargs) -> R:
            about = {"stage": function.__name__} | _subject(signature.bind(*args, **kwargs).arguments)
            _write(logging.DEBUG, "begun", about)
            started_s = time.monotonic()
            try:
                result = function(*args, **kwargs)
            except BaseException as problem:
                _write(logging.ERROR, "failed", about | _duration(started_s) | {"error": type(problem).__name__})
                raise
            if day := day_of(result):
                about["day"] = day.isoformat()
            _write(logging.INFO, "done", about | _duration(started_s) | {"outcome": outcome(result)})
            return result

        return logged

    return decorate


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON: time (RFC 3339, UTC), level, logger, event, and the event's own fields."""

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
    """Sends everything that HNTES logs to a stream as JSON lines, in place of any earlier handler."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger("hntes")
    root.handlers[:] = [handler]
    root.setLevel(level)
    root.propagate = False


def _write(level: int, event: str, about: dict[str, object]) -> None:
    # Another program's handler may show only the message, so the message contains the fields as well.
    fields = " ".join(f"{name}={value}" for name, value in about.items())
    _log.log(level, "%s %s", event, fields, extra={"hntes": {"event": event} | about})


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
