"""Structured logs are JSON, one line an event, and never hold what a log must not."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from pipeline import stage_log


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    stage_log.write_to(stream, logging.DEBUG)
    yield stream
    logging.getLogger("hntes").handlers.clear()


@stage_log.stage
def reads(folder: Path, day: date, password: str) -> str:
    if password == "wrong":
        raise PermissionError("password 'wrong' refused")
    return f"{folder} {day} {password}"


def test_a_stage_tells_its_beginning_and_its_end_with_what_it_was_called_for(lines: io.StringIO) -> None:
    assert reads(Path("/flows/r1"), day=date(2026, 11, 20), password="secret") == "/flows/r1 2026-11-20 secret"
    begun, done = (json.loads(line) for line in lines.getvalue().splitlines())
    about = {"stage": "reads", "folder": "/flows/r1", "day": "2026-11-20"}
    assert begun.items() >= (about | {"event": "begun", "level": "debug"}).items()
    assert done.items() >= (about | {"event": "done", "level": "info"}).items()
    assert done["duration_s"] >= 0
    assert done["time"].endswith("Z")


def test_a_failure_goes_on_to_the_caller_and_is_told_by_its_kind_alone(lines: io.StringIO) -> None:
    with pytest.raises(PermissionError):
        reads(Path("x\ny"), date(2026, 11, 20), "wrong")
    told = lines.getvalue()
    assert json.loads(told.splitlines()[-1])["error"] == "PermissionError"
    assert len(told.splitlines()) == 2
    assert "wrong" not in told
