"""The migrations lead to the models' schema, back, and are safe when several processes run them."""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from hntes.sql import entries, migrations, observations
from hntes.sql.counter_readings import CounterReadingEntry, KnownCounter, add, known_counters
from hntes.sql.edge_changes import EdgeChangeEntry
from hntes.sql.engine import (
    BUSY_TIMEOUT_S,
    NEWEST_SQLITE,
    current_revision,
    downgrade,
    head_revision,
    migrate,
    open_database,
    upgrade,
)
from hntes.sql.errors import SchemaVersionError
from hntes.sql.judgements import judgement_of, outdated
from hntes.sql.models import Base
from hntes.sql.observations import DayDigest
from hntes.sql.quotas import QuotaEntry
from hntes.sql.reservations import ReservationEntry, ReservationPortEntry
from hntes.sql.rules_by_history import RulesByHistoryEntry
from hntes.sql.session import reading, transaction
from hntes.sql.simulated_runs import SimulatedRunEntry
from hntes.sql.verdicts import verdicts
from tests.support.entries import observation
from tests.support.gate_verdicts import judgement

ENTRIES = {
    "flow_file": entries.FileEntry,
    "flow_file_count": entries.OutcomeCount,
    "flow_file_part": entries.FilePart,
    "sampling_evidence": entries.SamplingEntry,
    "day_status": entries.DayEntry,
    "observation": entries.ObservationEntry,
    "observation_digest": DayDigest,
    "rules_by_history": RulesByHistoryEntry,
    "load_day": entries.LoadDayEntry,
    "interface_load": entries.InterfaceLoadEntry,
    "pin": entries.PinEntry,
    "exclusion": entries.ExclusionEntry,
    "change_set": entries.ChangeSetEntry,
    "in_force": entries.InForceEntry,
    "judgement": entries.JudgementEntry,
    "simulated_run": SimulatedRunEntry,
    "gate_verdict": entries.GateVerdictEntry,
    "audit_event": entries.AuditEventEntry,
    "approved_text": entries.ApprovedTextEntry,
    "counter_reading": CounterReadingEntry,
    "counter_known": KnownCounter,
    "reservation": ReservationEntry,
    "reservation_port": ReservationPortEntry,
    "edge_change": EdgeChangeEntry,
    "reservation_quota": QuotaEntry,
}


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    engine = open_database(empty_database_url)
    yield engine
    engine.dispose()


def test_migrations_and_models_agree(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_migrations_and_models_have_the_same_constraints(engine: Engine) -> None:
    """Alembic's comparison does not look at checks, nor at what a deletion does."""
    migrate(engine)
    migrated = _constraints(engine)
    downgrade(engine, "base")
    Base.metadata.create_all(engine)
    assert _constraints(engine) == migrated
    assert sum(len(checks) for checks, _, _ in migrated.values()) == 12


def test_a_new_database_is_what_the_migrations_make(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    """Tables, indexes and triggers, and all rows; Alembic writes constraints in no certain order."""
    migrated, made = (open_database(f"sqlite:///{tmp_path / name}.db") for name in ("migrated", "made"))
    migrate(migrated)
    objects, rows = _contents(migrated)
    values = ", ".join(f"'{revision}'" for revision in rows.pop("alembic_version"))
    assert not any(rows.values()), "a migration fills a new table: newest_sqlite.sql has to do so, too"
    head = "-- What the migrations make of an empty SQLite database; see tests/integration/sql/test_migrations.py.\n"
    golden(NEWEST_SQLITE, head + "".join(f"{sql};\n" for *_, sql in objects if sql) + _REVISION.format(values))
    upgrade(made)
    assert _contents(made) == _contents(migrated)
    for engine in (migrated, made):
        engine.dispose()


_REVISION = "INSERT INTO alembic_version VALUES ({});\n"


def _contents(engine: Engine) -> tuple[list[tuple[object, ...]], dict[str, list[object]]]:
    with engine.connect() as connection:
        found = connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_master"))
        objects = [(*names, sql and _with_constraints_in_order(sql)) for *names, sql in found]
        tables = [str(name) for kind, name, *_ in objects if kind == "table"]
        rows = {table: list(connection.execute(text(f'SELECT * FROM "{table}"')).scalars()) for table in tables}
    return objects, rows


def _with_constraints_in_order(sql: str) -> str:
    lines = [line.rstrip() for line in sql.split("\n")]
    places = [place for place, line in enumerate(lines) if line.startswith("\tCONSTRAINT ")]
    for place, line in zip(places, sorted(lines[place].rstrip(",") for place in places), strict=True):
        lines[place] = line + "," * (place != places[-1])
    return "\n".join(lines)


def test_a_database_with_a_table_of_its_own_is_migrated(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE of_another_program (number INTEGER)"))
    upgrade(engine)
    assert _revision(engine) == head_revision()
    engine.dispose()


def test_downgrade_leaves_nothing_and_upgrade_works_again(engine: Engine) -> None:
    upgrade(engine)
    downgrade(engine, "base")
    assert set(inspect(engine).get_table_names()) <= {"alembic_version"}
    upgrade(engine)
    assert _revision(engine) == head_revision()


def test_revisions_are_those_that_alembic_knows(engine: Engine) -> None:
    folder = Path(migrations.__file__).parent
    script = ScriptDirectory(str(folder))
    assert head_revision() == script.get_current_head()
    upgrade(engine)
    for revision in ("head", *(found.down_revision or "base" for found in script.walk_revisions())):
        if revision != "head":
            downgrade(engine, str(revision))
        with engine.connect() as connection:
            assert current_revision(connection) == MigrationContext.configure(connection).get_current_revision()


def test_upgrade_twice_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO in_force VALUES ('r1', 'hash', '2026-01-01')"))
    upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM in_force")).scalar() == 1


def test_upgrade_does_not_wait_for_a_writer_when_there_is_nothing_to_do(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as writer:
        writer.execute(text("INSERT INTO in_force VALUES ('r1', 'hash', '2026-01-01')"))
        started = time.monotonic()
        upgrade(engine)
        assert time.monotonic() - started < BUSY_TIMEOUT_S / 4


def test_a_newer_database_is_refused_by_all(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for refused in (upgrade, lambda e: downgrade(e, "base")):
        with pytest.raises(SchemaVersionError, match=rf"9999.*{head_revision()}"):
            refused(engine)


def test_a_failed_upgrade_leaves_the_database_as_it_was(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE change_set (in_the_way INTEGER)"))
    with pytest.raises(Exception, match="change_set"):
        upgrade(engine)
    assert inspect(engine).get_table_names() == ["change_set"]
    with engine.connect() as connection:
        assert current_revision(connection) is None


def test_processes_that_upgrade_at_once_all_succeed(empty_database_url: str, engine: Engine) -> None:
    fork = get_context("fork")
    start = fork.Barrier(4)
    processes = [fork.Process(target=_upgrade, args=(empty_database_url, start)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    assert _revision(engine) == head_revision()


def test_entries_have_their_tables_columns() -> None:
    for table in Base.metadata.sorted_tables:
        of_file = {key.parent.name for key in table.foreign_keys if key.column.table.name == "flow_file"}
        names = {field.name for field in dataclasses.fields(ENTRIES[table.name])}
        assert names | of_file == {column.name for column in table.columns}, table.name


def test_every_table_states_its_grain() -> None:
    for mapper in Base.registry.mappers:
        assert (mapper.class_.__doc__ or "").startswith("One row per "), mapper.class_


def test_no_table_keeps_the_time_of_writing_or_running_numbers() -> None:
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            assert column.server_default is None, column
            assert column.default is None, column
            assert column.identity is None, column


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return current_revision(connection)


def _upgrade(url: str, start: object) -> None:
    start.wait(30)  # type: ignore[attr-defined]
    upgrade(open_database(url))


def _constraints(engine: Engine) -> dict[str, tuple[Sequence[object], Sequence[object], object]]:
    inspector = inspect(engine)
    return {
        table: (
            sorted((check["name"], check["sqltext"]) for check in inspector.get_check_constraints(table)),
            sorted((f["name"], f["options"].get("ondelete")) for f in inspector.get_foreign_keys(table)),
            inspector.get_pk_constraint(table),
        )
        for table in Base.metadata.tables
    }


def test_verdicts_of_before_there_were_judgements_stay_and_approve_nothing(engine: Engine) -> None:
    upgrade(engine)
    downgrade(engine, "0003")
    values = "'r1', 'candidate A', 'delay', 'm', '', 'passed', 's', NULL, 0.5, 'ms', 'fluid', 1, 'hash'"
    names = (
        "router, candidate_hash, criterion, measure, port, outcome, sentence, limit_value, found_value, unit, engine, "
        "seed, scenario_hash"
    )
    with engine.begin() as connection:
        connection.execute(text(f"INSERT INTO gate_verdict ({names}) VALUES ({values})"))
    upgrade(engine)
    with reading(engine) as session:
        (verdict,) = verdicts(session, "r1", "candidate A")
        stored = judgement_of(session, "r1", "candidate A")
    assert (verdict.found_value, verdict.seed, verdict.scenario_hash) == (0.5, 1, "hash")
    assert stored is not None
    assert (stored.judgement_id, stored.day) == ("", None)
    assert "earlier version" in outdated(stored, judgement())[0]
    downgrade(engine, "0003")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT found_value FROM gate_verdict")).scalar() == 0.5


def test_days_of_before_there_were_digests_get_their_bytes(engine: Engine) -> None:
    upgrade(engine)
    day, large = date(2026, 3, 1), observation(day=date(2026, 3, 1), flow_bytes=2**62, burst_bytes=1)
    with transaction(engine) as session:
        observations.replace_day(session, "r1", day, [large, replace(large, flow_id="f2", implausible=True)])
        third = [replace(large, router="r2", flow_id=f"f{number}") for number in range(3)]
        observations.replace_day(session, "r2", day, third)
    downgrade(engine, "0010")
    upgrade(engine)
    with reading(engine) as session:
        assert [entry.digest for entry in observations.day_digests(session, "r1")] == [""]
        assert observations.believed_bytes_by_day(session, "r1", day, day) == {day: 2**62}
        assert observations.believed_bytes_by_day(session, "r2", day, day) == {day: 2**63 - 1}


def test_of_flows_of_before_it_is_not_known_whether_they_had_ecn(engine: Engine) -> None:
    upgrade(engine)
    flow = observation(ecn_records=3)
    with transaction(engine) as session:
        observations.replace_day(session, "r1", flow.day, [flow])
    downgrade(engine, "0011")
    upgrade(engine)
    with reading(engine) as session:
        assert observations.history(session, "r1", flow.day) == (replace(flow, ecn_records=None),)


def test_what_is_known_of_counters_is_made_from_the_readings_of_before(engine: Engine) -> None:
    upgrade(engine)
    with transaction(engine) as session:
        for read_ms, packets in ((5, 0), (7, 3), (9, 0)):
            ends = ("198.18.10.0/24", "203.0.113.0/24")
            readings = [("", "a", *ends, packets), ("xe-0/0/1", "b", None, None, 0)]
            add(session, [CounterReadingEntry("r1", read_ms, *each, 64 * each[-1]) for each in readings])
        before = known_counters(session, "r1")
    assert [(each.first_read_ms, each.last_read_ms, each.first_matched_ms) for each in before] == [
        (5, 9, 7),
        (5, 9, None),
    ]
    downgrade(engine, "0014")
    upgrade(engine)
    with reading(engine) as session:
        assert known_counters(session, "r1") == before
