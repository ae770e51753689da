"""The migrations lead to the declared tables, back, and are safe when several processes run them."""

import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from hntes.sql import migrations
from hntes.sql.engine import BUSY_TIMEOUT_S, current_revision, downgrade, head_revision, open_database, upgrade
from hntes.sql.errors import SchemaVersionError
from hntes.sql.schema import METADATA


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    engine = open_database(empty_database_url)
    yield engine
    engine.dispose()


def test_a_new_sqlite_database_is_what_the_migrations_make(tmp_path: Path) -> None:
    new, migrated = (open_database(f"sqlite:///{tmp_path / name}") for name in ("new.db", "migrated.db"))
    upgrade(new)
    _migrate(migrated)
    assert _definitions(new) == _definitions(migrated)
    assert _revision(new) == head_revision()
    for engine in (new, migrated):
        engine.dispose()


def test_migrations_and_declarations_agree(engine: Engine) -> None:
    _migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_migrations_and_declarations_have_the_same_constraints(engine: Engine) -> None:
    """Alembic's comparison does not look at checks, nor at what a deletion does."""
    _migrate(engine)
    migrated = _constraints(engine)
    downgrade(engine, "base")
    METADATA.create_all(engine)
    assert _constraints(engine) == migrated
    assert sum(len(checks) for checks, _, _ in migrated.values()) == 16


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
        connection.execute(text("CREATE TABLE change (in_the_way INTEGER)"))
    with pytest.raises(Exception, match="change"):
        upgrade(engine)
    assert inspect(engine).get_table_names() == ["change"]
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


def test_every_table_states_its_grain() -> None:
    for table in METADATA.sorted_tables:
        assert table.info["grain"].startswith("One row per "), table.name


def test_no_table_keeps_the_time_of_writing_or_running_numbers() -> None:
    for table in METADATA.sorted_tables:
        for column in table.columns:
            assert column.server_default is None, column
            assert column.default is None, column
            assert column.identity is None, column


def _migrate(engine: Engine) -> None:
    """Brings an empty database to the head revision by the migrations; Alembic's table makes it one that is not new."""
    upgrade(engine)
    downgrade(engine, "base")
    upgrade(engine)


def _definitions(engine: Engine) -> dict[str, list[str]]:
    """What SQLite was asked to make, by name; the order of a table's constraints is no matter."""
    with engine.connect() as connection:
        found = connection.execute(text("SELECT name, sql FROM sqlite_master")).all()
    return {name: _clauses(name, sql or "") for name, sql in found}


def _clauses(name: str, definition: str) -> list[str]:
    plain = " ".join(definition.split()).replace("( ", "(").replace(" )", ")").replace(f'"{name}"', name)
    columns, *constraints = plain.removesuffix(")").split(", CONSTRAINT ")
    return [columns, *sorted(constraints)]


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
        for table in METADATA.tables
    }
