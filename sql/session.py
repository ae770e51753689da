"""Transactions: all or nothing, the same on SQLite and PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.orm import Session


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """A session whose work is committed as a whole when the block ends, and undone as a whole when it raises."""
    with Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """A session that sees one state of the database throughout, and waits for no writer. Not for writing."""
    if engine.dialect.name == "sqlite":
        snapshot = engine.execution_options(hntes_begin="DEFERRED")
    else:
        snapshot = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    with Session(snapshot, expire_on_commit=False) as session:
        yield session
