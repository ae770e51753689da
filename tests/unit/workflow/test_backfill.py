"""A part of a backfill when a day fails, and the days that it accepts."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hntes.etl.sources.registry import discover
from hntes.rules.changeset.candidate import CandidateStoreError
from hntes.settings.model import Router
from hntes.sql.engine import open_database, upgrade
from hntes.sql.errors import DatabaseUnreachableError
from hntes.workflow.errors import CommandError
from hntes.workflow.stages import backfill

DAYS = [date(2026, 10, 1) + timedelta(days=number) for number in range(4)]
ROUTER = cast(Router, SimpleNamespace(name="r1"))


def detecting(monkeypatch: pytest.MonkeyPatch, problem: Exception) -> list[date]:
    """Has the second day meet that problem; the days that are looked at."""
    looked_at = []

    def detect(_context: object, _router: object, day: date) -> Any:
        looked_at.append(day)
        if day == DAYS[1]:
            raise problem
        return SimpleNamespace(observations=(1, 2))

    monkeypatch.setattr(backfill, "detect", detect)
    return looked_at


def test_a_day_that_a_person_must_mend_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = detecting(monkeypatch, CandidateStoreError("a candidate is missing"))
    step = backfill.detect_days(cast(Any, None), ROUTER, DAYS)
    assert looked_at == DAYS
    assert (step.count, step.failures) == (6, {"r1 2026-10-02": "a candidate is missing"})


def proposing(monkeypatch: pytest.MonkeyPatch, prepare: Callable[[], Any], reservations: object = "any") -> Any:
    """Has proposals and preparations take note of each other; the context, and what was done in its order."""
    done: list[object] = []

    def propose(_context: object, _router: object, day: date) -> Any:
        done.append(day)
        return SimpleNamespace(change=SimpleNamespace(state="empty"))

    def prepare_scheduled(_context: object, router: Router, lab: object) -> Any:
        done.append((router.name, lab))
        return prepare()

    monkeypatch.setattr(backfill, "lab_of", lambda _: "lab")
    monkeypatch.setattr(backfill, "measure", lambda *_: None)
    monkeypatch.setattr(backfill, "propose", propose)
    monkeypatch.setattr(backfill, "prepare_scheduled", prepare_scheduled)
    return SimpleNamespace(settings=SimpleNamespace(reservations=reservations)), done


@pytest.mark.parametrize(("has_problems", "noted"), [(False, set()), (True, {"r1"})])
def test_scheduled_changes_are_prepared_once_on_the_rules_of_the_last_day(
    monkeypatch: pytest.MonkeyPatch, has_problems: bool, noted: set[str]
) -> None:
    context, done = proposing(monkeypatch, lambda: SimpleNamespace(has_problems=has_problems))
    part = backfill.propose_days(context, ROUTER, reversed(DAYS))
    assert done == [*DAYS, ("r1", "lab")]
    assert (part.count, part.failures, set(part.noted)) == (4, {}, noted)


def test_without_reservations_or_a_day_nothing_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    context, done = proposing(monkeypatch, lambda: pytest.fail("prepared"), reservations=None)
    backfill.propose_days(context, ROUTER, DAYS)
    assert done == DAYS
    context, done = proposing(monkeypatch, lambda: pytest.fail("prepared"))
    backfill.propose_days(context, ROUTER, [])
    assert done == []


def test_scheduled_changes_that_fail_are_named_by_their_router(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise CandidateStoreError("a candidate is missing")

    context, _ = proposing(monkeypatch, fail)
    part = backfill.propose_days(context, ROUTER, DAYS)
    assert (part.count, part.failures) == (4, {"r1": "a candidate is missing"})


def test_a_database_that_is_away_ends_the_part_so_that_it_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = detecting(monkeypatch, DatabaseUnreachableError("database gone"))
    with pytest.raises(DatabaseUnreachableError):
        backfill.detect_days(cast(Any, None), ROUTER, DAYS)
    assert looked_at == DAYS[:2]


def test_today_and_a_whole_year_may_be_asked_for() -> None:
    today = date(2026, 11, 21)
    assert backfill.days_between(today, today, today) == [today]
    assert len(backfill.days_between(today - timedelta(days=365), today, today)) == 366


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        (date(2026, 11, 21), date(2026, 11, 20), "swap them"),
        (date(2026, 11, 21), date(2026, 12, 23), "2026-12-23, is in the future: no day after 2026-11-21"),
        (date(2016, 11, 21), date(2026, 11, 21), "3653 days, at most 400"),
    ],
)
def test_days_that_cannot_be_meant_are_refused(first: date, last: date, told: str) -> None:
    with pytest.raises(CommandError, match=told):
        backfill.days_between(first, last, date(2026, 11, 21))


def test_days_before_the_first_flow_file_are_left_out_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nfcapd.202610030015").touch()
    (tmp_path / "nfcapd.202610040015").touch()
    context = _context(tmp_path)
    first = backfill.first_file_day(context, tmp_path)
    assert first == DAYS[2]
    assert backfill.folder_days(context, tmp_path, DAYS) == DAYS[2:]
    assert backfill.folder_days(context, tmp_path / "none", DAYS) == DAYS
    read = []

    def ingest(_context: object, _folder: Path, day: date, _progress: object) -> Any:
        read.append(day)
        return SimpleNamespace(ingested=1, set_aside={}, files=1)

    monkeypatch.setattr(backfill, "ingest", ingest)
    part = backfill.ingest_days(context, tmp_path, DAYS)
    assert (read, part.count, part.days) == (DAYS[2:], 2, tuple(DAYS[2:]))
    assert part.noted == {str(tmp_path): "2 days before the first flow file, of 2026-10-03: skipped"}


def test_a_folder_that_is_missing_is_left_to_the_part_that_reads_it(tmp_path: Path) -> None:
    context = _context(tmp_path)
    assert backfill.first_file_day(context, tmp_path / "none") is None
    assert backfill.first_file_day(context, tmp_path) is None


def _context(folder: Path) -> Any:
    """A context of an empty database."""
    database = open_database(f"sqlite:///{folder / 'hntes.db'}")
    upgrade(database)
    return SimpleNamespace(files_of=discover, database=database)
