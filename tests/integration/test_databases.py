"""The databases that tests get: both kinds answer, each test gets an empty one, nothing is open to the network."""

import pytest
from sqlalchemy import MetaData, NullPool, create_engine, inspect, text
from sqlalchemy.engine import Engine
from sqlalchemy.schema import CreateTable

from hntes.sql.engine import current_revision, downgrade, head_revision, open_database, upgrade
from tests.support import postgres


@pytest.fixture
def engine(empty_database_url: str) -> Engine:
    return create_engine(empty_database_url, poolclass=NullPool)


def test_a_copied_schema_is_the_migrated_one(database_url: str) -> None:
    """Copies stand for migrations in all other tests."""
    database = open_database(database_url)
    with database.connect() as connection:
        assert current_revision(connection) == head_revision()
    copied = _schema(database)
    downgrade(database, "base")
    upgrade(database)
    assert _schema(database) == copied
    assert len(copied) > 10
    database.dispose()


def _schema(database: Engine) -> list[str]:
    metadata = MetaData()
    metadata.reflect(database)
    return [str(CreateTable(table).compile(dialect=database.dialect)) for table in metadata.sorted_tables]


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_gets_a_fresh_database(engine: Engine, turn: int) -> None:
    assert inspect(engine).get_table_names() == []
    with engine.begin() as connection:
        connection.execute(text("create table seen (turn integer)"))
        connection.execute(text("insert into seen values (:turn)"), {"turn": turn})
    with engine.connect() as connection:
        assert connection.execute(text("select turn from seen")).scalars().all() == [turn]


def test_the_address_names_the_kind_in_the_test_id(engine: Engine, request: pytest.FixtureRequest) -> None:
    assert engine.dialect.name in request.node.callspec.id


def test_a_connection_left_open_does_not_keep_the_database(postgresql_only: postgres.Server) -> None:
    with postgresql_only.database() as url:
        left_open = create_engine(url, poolclass=NullPool).connect()
    left_open.invalidate()
    left_open.close()


def test_the_server_listens_on_its_socket_only(postgresql_only: postgres.Server) -> None:
    with postgresql_only.database() as url, create_engine(url, poolclass=NullPool).connect() as connection:
        assert connection.execute(text("show listen_addresses")).scalar_one() == ""
        assert connection.execute(text("show server_encoding")).scalar_one() == "UTF8"


@pytest.fixture
def postgresql_only(request: pytest.FixtureRequest) -> postgres.Server:
    chosen = request.config.getoption("--database")
    if chosen == "sqlite" or postgres.find_binaries() is None:
        pytest.skip("PostgreSQL was not asked for, or is not on this machine")
    server: postgres.Server = request.getfixturevalue("postgresql_server")
    return server
