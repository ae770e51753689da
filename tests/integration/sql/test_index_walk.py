"""Sampling factors found step by step in an index are those of all rows."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, delete

from hntes.sql import ledger
from hntes.sql.entries import FactorSeen, SamplingEntry
from hntes.sql.index_walk import least_of_each
from hntes.sql.session import transaction
from tests.support.databases import opened
from tests.support.entries import flow_file

exporters = st.sampled_from(["", "192.0.2.1", "192.0.2.10", "2001:db8::1"])
sources = st.sampled_from(["announced", "assumed_unsampled", "collector"])
kinds = st.tuples(exporters, st.sampled_from([0, 1, 100, 2**40]), sources)
files = st.lists(st.tuples(st.sampled_from(["/flows", "/other"]), st.integers(0, 5), st.sets(kinds)), max_size=8)


@given(files)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_factors_are_those_of_all_files_each_since_its_first(
    store: Engine, files: list[tuple[str, int, set[tuple[str, int, str]]]]
) -> None:
    with transaction(store) as session:
        session.execute(delete(ledger.FLOW_FILE))
        for number, (folder, start_ms, seen) in enumerate(files):
            entry = replace(flow_file(), folder=folder, path=f"f{number}", file_start_ms=start_ms)
            ledger.replace_file(session, entry, evidence=[SamplingEntry(*kind, 1, 1) for kind in seen])
    for folder in ("/flows", "/other", "/none"):
        first_ms: dict[tuple[str, int, str], int] = {}
        for where, start_ms, seen in files:
            for kind in seen if where == folder else ():
                first_ms[kind] = min(start_ms, first_ms.get(kind, start_ms))
        with transaction(store) as session:
            found = ledger.factors_of_folder(session, folder)
        assert found == tuple(FactorSeen(*kind, first_ms[kind]) for kind in sorted(first_ms))


def test_files_with_known_factors_cost_no_more_steps(tmp_path: Path) -> None:
    database = opened(f"sqlite:///{tmp_path}/hntes.db")
    few = steps_with(database, range(20))
    assert steps_with(database, range(20, 2000)) < 2 * few


def steps_with(database: Engine, numbers: Iterable[int]) -> int:
    """Fives of instructions of SQLite for a folder's factors, once it has these files, too."""
    with transaction(database) as session:
        for number in numbers:
            entry = replace(flow_file(), path=f"f{number}", file_start_ms=number)
            ledger.replace_file(session, entry, evidence=[SamplingEntry("192.0.2.1", 100, "collector", 1, 1)])
    of = ledger.SAMPLING_EVIDENCE.c
    keys = (of.exporter, of.source, of.factor)
    statement = least_of_each(keys, of.file_start_ms, of.folder == flow_file().folder)
    text = str(statement.compile(database, compile_kwargs={"literal_binds": True}))
    counted: list[int] = []
    with closing(sqlite3.connect(database.url.database or "")) as connection:
        connection.set_progress_handler(lambda: counted.append(1), 5)
        assert connection.execute(text).fetchall() == [("192.0.2.1", "collector", 100, 0)]
    return len(counted)
