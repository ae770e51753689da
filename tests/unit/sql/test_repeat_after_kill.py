"""A run killed at any statement and repeated leaves the same tables as one that was not disturbed."""

import os
import signal
from datetime import date
from multiprocessing import get_context

import pytest
from sqlalchemy import Engine, event, select

from sql import change_sets, day_status, ledger, observations
from sql.engine import downgrade, open_database, upgrade
from sql.entries import (
    ChangeSetEntry,
    DayEntry,
    FileEntry,
    FilePart,
    ObservationEntry,
    OutcomeCount,
    SamplingEntry,
)
from sql.models import Base
from sql.session import transaction

DAYS = (date(2026, 3, 1), date(2026, 3, 2))


@pytest.mark.slow
def test_killed_at_any_statement_and_repeated(database_url: str) -> None:
    engine = open_database(database_url)
    upgrade(engine)
    counted = _statements(engine)
    _nights(engine)
    statements = len(counted)
    undisturbed = _tables(engine)
    assert all(undisturbed[name] for name in ("flow_file", "flow_file_part", "observation", "change_set"))
    fork = get_context("fork")
    for moment in range(statements):
        downgrade(engine, "base")
        upgrade(engine)
        engine.dispose()
        process = fork.Process(target=_killed, args=(database_url, moment))
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL, moment
        _nights(engine)
        assert _tables(engine) == undisturbed, moment
    engine.dispose()


def test_processes_that_replace_one_partition_at_once(database_url: str) -> None:
    engine = open_database(database_url)
    upgrade(engine)
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
            entry = FileEntry("/flows", f"f{day}", "sha", 1, 1, "h", "ingested", "", 2, "1.7", 2, 2)
            part = FilePart("r1", day, f"{day}.parquet", 1, 1)
            counts = [OutcomeCount("r1", "kept", 1, 1), OutcomeCount("", "set_aside:no_time", 1, 1)]
            ledger.replace_file(session, entry, counts, [part], [SamplingEntry("192.0.2.1", 1, "settings", 1)])
        with transaction(engine) as session:
            day_status.replace_day_status(session, DayEntry("r1", day, 86_400, 86_400, 1, 0, 1, True, ""))
        with transaction(engine) as session:
            observations.replace_day(session, "r1", day, [_flow(day, n) for n in range(3)])
        with transaction(engine) as session:
            proposed = ChangeSetEntry("r1", day, None, f"candidate {day}", "m", "pending", 9, True, 1, 0, 0, "1 added")
            change_sets.put(session, proposed)


def _flow(day: date, number: int) -> ObservationEntry:
    return ObservationEntry(
        "r1", day, f"flow{number}", "five_tuple", "window", 10**9, 60, "192.0.2.1", 0, 4, "198.18.10.7", "203.0.113.9",
        50_000 + number, 2811, 6, 1, 2, 3, 3, 1, 3, 0, 1, 1, 0, False,
    )  # fmt: skip


def _killed(url: str, moment: int) -> None:
    engine = open_database(url)
    counted = _statements(engine, moment)
    _nights(engine)
    raise AssertionError(f"only {len(counted)} statements")


def _repeated(url: str) -> None:
    engine = open_database(url)
    for _ in range(5):
        _nights(engine)


def _statements(engine: Engine, kill_at: int | None = None) -> list[str]:
    """Counts statements and commits; before the given one the process kills itself."""
    counted: list[str] = []

    def count(*_: object) -> None:
        if len(counted) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        counted.append("")

    event.listen(engine, "before_cursor_execute", count)
    event.listen(engine, "commit", count)
    return counted


def _tables(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    with engine.connect() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }
