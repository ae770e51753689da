"""Structured logs are JSON, one line per event, and never contain what a log must not."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.workflow import stage_log


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    stage_log.write_to(stream, logging.DEBUG)
    yield stream
    logging.getLogger("hntes").handlers.clear()


def outcome(text: str) -> str:
    return f"{len(text)}_letters"


def third_of_march(_text: str) -> date:
    return date(2026, 3, 3)


@stage_log.stage(outcome)
def reads(folder: Path, day: date, password: str) -> str:
    if password == "wrong":
        raise PermissionError("password 'wrong' refused")
    return f"{folder} {day} {password}"


@stage_log.stage(outcome, day_of=third_of_march)
def finds(day: date | None = None) -> str:
    return f"{day}"


def test_a_stage_logs_its_beginning_and_its_end_with_what_it_was_called_for(lines: io.StringIO) -> None:
    assert reads(Path("/flows/r1"), day=date(2026, 11, 20), password="secret") == "/flows/r1 2026-11-20 secret"
    begun, done = (json.loads(line) for line in lines.getvalue().splitlines())
    about = {"stage": "reads", "folder": "/flows/r1", "day": "2026-11-20"}
    assert begun.items() >= (about | {"event": "begun", "level": "debug"}).items()
    assert done.items() >= (about | {"event": "done", "level": "info", "outcome": "27_letters"}).items()
    assert done["duration_s"] >= 0
    assert done["time"].endswith("Z")


def test_the_day_of_the_result_counts_where_there_is_one(lines: io.StringIO) -> None:
    finds()
    begun, done = (json.loads(line) for line in lines.getvalue().splitlines())
    assert "day" not in begun
    assert done["day"] == "2026-03-03"


def test_a_failure_goes_on_to_the_caller_and_is_logged_by_its_type_alone(lines: io.StringIO) -> None:
    with pytest.raises(PermissionError):
        reads(Path("x\ny"), date(2026, 11, 20), "wrong")
    logged = lines.getvalue()
    assert json.loads(logged.splitlines()[-1])["error"] == "PermissionError"
    assert len(logged.splitlines()) == 2
    assert "wrong" not in logged
