"""A run killed at any statement and repeated leaves the same tables as one that was not disturbed."""

import os
import signal
from collections.abc import Callable
from datetime import date
from multiprocessing import get_context

import pytest
from sqlalchemy import Engine, delete, event, select

from hntes.sql import day_status, ledger, observations, proposals
from hntes.sql.engine import open_database
from hntes.sql.entries import DayEntry, FilePart, ObservationEntry, OutcomeCount, SamplingEntry
from hntes.sql.schema import METADATA
from hntes.sql.session import transaction
from tests.support.audit_log import comparable, unguarded
from tests.support.entries import change_set, flow_file, observation

DAYS = (date(2026, 3, 1), date(2026, 3, 2))


class _CutOffError(BaseException):
    """Ends the work at a statement, as a kill does for the database: its connection is gone."""


@pytest.mark.slow
def test_cut_off_at_any_statement_and_repeated(database_url: str) -> None:
    undisturbed, statements = _undisturbed(database_url)
    engine = open_database(database_url)
    for moment in range(statements):
        _emptied(engine)
        cut_off = open_database(database_url)
        _statements(cut_off, moment, _cut_off)
        with pytest.raises(_CutOffError):
            _nights(cut_off)
        cut_off.dispose()
        _nights(engine)
        assert _tables(engine) == undisturbed, moment
    engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
def test_killed_and_repeated(database_url: str, every: int) -> None:
    """The same with processes that kill themselves, at every so many statements."""
    undisturbed, statements = _undisturbed(database_url)
    engine = open_database(database_url)
    fork = get_context("fork")
    for moment in range(0, statements, every):
        _emptied(engine)
        engine.dispose()
        process = fork.Process(target=_killed, args=(database_url, moment))
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL, moment
        _nights(engine)
        assert _tables(engine) == undisturbed, moment
    engine.dispose()


def _undisturbed(url: str) -> tuple[dict[str, list[tuple[object, ...]]], int]:
    """The tables after an undisturbed run, and how many statements and commits it took."""
    engine = open_database(url)
    _emptied(engine)
    counted = _statements(engine)
    _nights(engine)
    statements = len(counted)
    tables = _tables(engine)
    assert all(tables[name] for name in ("flow_file", "flow_file_part", "observation", "change"))
    assert statements > 30
    engine.dispose()
    return tables, statements


def _emptied(engine: Engine) -> None:
    with engine.begin() as connection, unguarded(connection):
        for table in reversed(METADATA.sorted_tables):
            connection.execute(delete(table))


def test_processes_that_replace_one_partition_at_once(database_url: str) -> None:
    engine = open_database(database_url)
    _nights(engine)
    expected = _tables(engine)
    engine.dispose()
    fork = get_context("fork")
    processes = [fork.Process(target=_repeated, args=(database_url,)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    assert _tables(engine) == expected
    engine.dispose()


def _nights(engine: Engine) -> None:
    for day in DAYS:
        with transaction(engine) as session:
            entry = flow_file(path=f"f{day}", read_records=2, promised_records=2)
            part = FilePart("r1", day, f"{day}.parquet", 1, 1)
            counts = [OutcomeCount("r1", "kept", 1, 1), OutcomeCount("", "set_aside:no_time", 1, 1)]
            ledger.replace_file(session, entry, counts, [part], [SamplingEntry("192.0.2.1", 1, "settings", 1)])
        with transaction(engine) as session:
            day_status.replace_day_status(session, DayEntry("r1", day, 86_400, 86_400, 1, 0, 1, True, ""))
        with transaction(engine) as session:
            observations.replace_day(session, "r1", day, [_flow(day, n) for n in range(3)])
        with transaction(engine) as session:
            proposed = change_set(day=day, candidate_hash=f"candidate {day}")
            proposals.put(session, proposed)


def _flow(day: date, number: int) -> ObservationEntry:
    return observation(day=day, flow_id=f"flow{number}", source_port=50_000 + number)


def _killed(url: str, moment: int) -> None:
    engine = open_database(url)
    counted = _statements(engine, moment)
    _nights(engine)
    raise AssertionError(f"only {len(counted)} statements")


def _repeated(url: str) -> None:
    engine = open_database(url)
    for _ in range(5):
        _nights(engine)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _cut_off() -> None:
    raise _CutOffError


def _statements(engine: Engine, moment: int | None = None, end: Callable[[], None] = _kill) -> list[str]:
    """Counts statements and commits; before the given one `end` ends the work."""
    counted: list[str] = []

    def count(*_: object) -> None:
        if len(counted) == moment:
            end()
        counted.append("")

    event.listen(engine, "before_cursor_execute", count)
    event.listen(engine, "commit", count)
    return counted


def _tables(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    with engine.connect() as connection:
        return {
            table.name: sorted((comparable(table, row) for row in connection.execute(select(table))), key=repr)
            for table in METADATA.sorted_tables
        }
