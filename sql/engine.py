"""Opening the database and bringing its schema up to date. SQLite and PostgreSQL behave alike from here on.

Alembic is loaded only to change a schema: every command checks its revision, and most find it up to date.

Every transaction on SQLite takes the write lock when it begins, except those of sql.session.reading: one that reads
first and writes later would otherwise fail, not wait, when another process wrote in between.

The migrations are written out in sql/migrations/versions; tests hold what they make equal to the tables' declarations.
So a new SQLite database is made from these, which takes a fifth of the time.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from hntes.files import make_folder
from hntes.sql.connection_wait import wait_for_connections
from hntes.sql.errors import DatabaseUnreachableError, DatabaseUrlError, SchemaVersionError
from hntes.sql.full_disk import name_full_disk

if TYPE_CHECKING:
    from alembic.config import Config

PASSWORD_VARIABLE = "HNTES_DATABASE_PASSWORD"  # noqa: S105  # the variable's name
PASSWORD_FILE_VARIABLE = "HNTES_DATABASE_PASSWORD_FILE"  # noqa: S105  # the variable's name
BUSY_TIMEOUT_S = 60
# The longest statement, a month of observations, takes seconds; one may also wait for another's lock.
STATEMENT_LIMIT_S = 600
# Any number that no other program takes for an advisory lock of the same database.
_UPGRADE_LOCK = 0x484E_5445_5301
_MIGRATIONS = Path(__file__).parent / "migrations"
_ITS_REVISION = text("SELECT version_num FROM alembic_version")
# As Alembic makes it.
_REVISION_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


def open_database(
    url: str,
    password: str | None = None,
    *,
    statement_limit_s: int = STATEMENT_LIMIT_S,
    connection_wait_s: float = 0.0,
) -> Engine:
    """The database's engine; connects to nothing yet. A SQLite file's parent folder is made.

    Args:
        url: `sqlite:///FILE` or `postgresql+psycopg://USER@HOST/NAME`.
        password: for PostgreSQL; None takes the environment variable HNTES_DATABASE_PASSWORD, or else the first line
            of the file that HNTES_DATABASE_PASSWORD_FILE names, if either is set.
        statement_limit_s: PostgreSQL ends a statement that takes longer, but for those of migrations. SQLite has no
            such limit; there each statement is one of this program's and no other holds it up for more than a minute.
        connection_wait_s: how long a connection is waited for while PostgreSQL has no more (`max_connections`).

    Raises:
        DatabaseUrlError: the URL is none of these, the folder cannot be made, or the password's file cannot be used.
    """
    parsed = _parse(url)
    if parsed.get_backend_name() == "sqlite":
        return _open_sqlite(parsed)
    secret = password if password is not None else _password_of_environment()
    if secret and parsed.password is None:
        parsed = parsed.set(password=secret)
    engine = create_engine(parsed, pool_pre_ping=True, hide_parameters=True)

    def set_up(connection: Any, _record: object) -> None:
        # not as a start-up option: connection poolers refuse those
        was_autocommit = connection.autocommit
        connection.autocommit = True
        # compiling a statement takes longer than all that HNTES asks for
        connection.execute(f"SET statement_timeout = {int(statement_limit_s) * 1000}; SET jit = off")
        connection.autocommit = was_autocommit

    event.listen(engine, "connect", set_up)
    wait_for_connections(engine, connection_wait_s)
    return engine


def _password_of_environment() -> str | None:
    """What the environment says; the variable itself wins over the file, so that a command can be run by hand."""
    if secret := os.environ.get(PASSWORD_VARIABLE):
        return secret
    name = os.environ.get(PASSWORD_FILE_VARIABLE)
    if not name:
        return None
    problem = f"{PASSWORD_FILE_VARIABLE} names {name!r}, which"
    try:
        first, *_ = Path(name).read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, ValueError) as cause:
        # A ValueError of decoding would repeat some of the file's bytes.
        reason = cause.strerror if isinstance(cause, OSError) else "not a text in UTF-8"
        raise DatabaseUrlError(f"{problem} cannot be read ({reason}); correct the variable or the file") from None
    if not first:
        raise DatabaseUrlError(f"{problem} has an empty first line; write the database's password there")
    return first


def upgrade(engine: Engine) -> None:
    """Brings the schema to the program's version, all or nothing; safe when two processes do it at once.

    Without a pending migration it takes no lock, so every command may call it.

    Raises:
        DatabaseUnreachableError: no connection.
        SchemaVersionError: the database is newer than the program.
    """
    if _revision(engine) == head_revision():
        return
    with _alone(engine) as connection:
        _refuse_newer(engine, current_revision(connection))
        if connection.dialect.name == "sqlite" and not inspect(connection).get_table_names():
            _make_new(connection)
            return
        from alembic import command

        command.upgrade(_config(connection), "head")


def _make_new(connection: Connection) -> None:
    """Makes the declared tables in an empty database, at the revision of the last migration."""
    from hntes.sql.schema import METADATA

    METADATA.create_all(connection, checkfirst=False)
    connection.execute(text(_REVISION_TABLE))
    connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": head_revision()})


def downgrade(engine: Engine, revision: str) -> None:
    """Takes the schema back to a revision ("base": no tables at all). What later revisions held is lost.

    Raises:
        DatabaseUnreachableError: no connection.
    """
    with _alone(engine) as connection:
        _refuse_newer(engine, current_revision(connection))
        from alembic import command

        command.downgrade(_config(connection), revision)


def head_revision() -> str:
    """The revision this program was written for: that of the last migration."""
    known = _known_revisions()
    if not known:
        raise SchemaVersionError("this program has no migrations in sql/migrations/versions; install it again")
    return known[-1]


def current_revision(connection: Connection) -> str | None:
    """The revision of the database, None for one without HNTES's tables."""
    # Alembic's table of one row, read as Alembic does; a test compares the two.
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    revision: str | None = connection.execute(_ITS_REVISION).scalar_one_or_none()
    return revision


def shown(engine: Engine) -> str:
    """The database's URL without its password, for messages."""
    return engine.url.render_as_string(hide_password=True)


def file_identity(url: str) -> tuple[int, int] | None:
    """Which file a database of SQLite is in: another one after a backup was put in its place. None of PostgreSQL."""
    parsed = _parse(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or not Path(parsed.database).exists():
        return None
    found = Path(parsed.database).stat()
    return found.st_dev, found.st_ino


def _parse(url: str) -> URL:
    remedy = "write sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # Neither the text nor the cause is repeated: they may hold a password.
        raise DatabaseUrlError(f"the database URL cannot be read; {remedy}") from None
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise DatabaseUrlError(f"database driver {parsed.drivername!r} is not supported; {remedy}")
    return parsed


def _open_sqlite(url: URL) -> Engine:
    file = Path(url.database) if url.database and url.database != ":memory:" else None
    if file:
        folder = file.parent
        try:
            make_folder(folder)
        except OSError as cause:
            raise DatabaseUrlError(
                f"database file {url.database}: its folder cannot be made: {cause.strerror}; "
                "make it, or change database.url in the settings"
            ) from cause
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    if file:
        name_full_disk(engine, file)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # None: the driver begins no transactions of its own; all begin in _begin_sqlite.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_S * 1000}")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    _use_write_ahead_log(connection)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    # Turning to the log needs the file alone and does not heed the busy timeout.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    kind = connection.get_execution_options().get("hntes_begin", "IMMEDIATE")
    connection.exec_driver_sql(f"BEGIN {kind}")


def _revision(engine: Engine) -> str | None:
    """The database's revision, without waiting for a writer."""
    with _connected(engine.execution_options(hntes_begin="DEFERRED")) as connection:
        return current_revision(connection)


def _refuse_newer(engine: Engine, current: str | None) -> None:
    if current is not None and current not in _known_revisions():
        raise SchemaVersionError(
            f"database {shown(engine)}: its schema is at revision {current}, which this program does not know; it "
            f"needs {head_revision()}. A newer HNTES has upgraded it: install that version again"
        )


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that no second upgrade can enter."""
    with _connected(engine) as connection, connection.begin():
        # On SQLite the transaction itself is exclusive among writers.
        if connection.dialect.name == "postgresql":
            # a migration may rewrite a large table, and waits here for another that does
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(select(func.pg_advisory_xact_lock(_UPGRADE_LOCK)))
        yield connection


@contextmanager
def _connected(engine: Engine) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except DBAPIError as cause:
        raise DatabaseUnreachableError(
            f"database {shown(engine)} cannot be opened: {cause.orig}; check database.url in the settings, that the "
            f"server runs, and {PASSWORD_VARIABLE} or {PASSWORD_FILE_VARIABLE}"
        ) from cause
    with connection:
        yield connection


@cache
def _known_revisions() -> tuple[str, ...]:
    """All revisions in their order: the numbers with which the migrations' files begin. Alembic would load them all."""
    return tuple(sorted(path.name.partition("_")[0] for path in (_MIGRATIONS / "versions").glob("[0-9]*_*.py")))


def _config(connection: Connection) -> "Config":
    """Alembic's configuration, bound to a connection."""
    from alembic.config import Config

    config = Config()
    config.attributes["connection"] = connection
    # Alembic's options are configparser's: a lone % would be taken for an interpolation.
    folder = str(_MIGRATIONS).replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.set_main_option("path_separator", "os")
    return config
