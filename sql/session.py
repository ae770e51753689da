"""Sessions: connections of SQLAlchemy within a transaction, all or nothing, the same on SQLite and PostgreSQL.

Nothing here needs the sessions of its object-relational mapper, and that takes a tenth of a short command to load.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy import Connection, Engine

Session = Connection

_SHARED: ContextVar[tuple[Engine, Session] | None] = ContextVar("one_state", default=None)


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """A session whose work is committed as a whole when the block ends, and undone as a whole when it raises."""
    with engine.connect() as session:
        yield session
        session.commit()


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """A session that sees one state of the database throughout, and waits for no writer. Not for writing.

    Within `one_state` of the same database it is that one's session.
    """
    shared = _SHARED.get()
    if shared is not None and shared[0] is engine:
        yield shared[1]
        return
    with reading_anew(engine) as session:
        yield session


@contextmanager
def reading_anew(engine: Engine) -> Iterator[Session]:
    """As `reading`, of what is committed by now, though it be within `one_state` or another session."""
    # options of the connection: with an engine of their own each event would go through both engines' listeners
    with engine.connect() as session:
        if engine.dialect.name == "sqlite":
            yield session.execution_options(hntes_begin="DEFERRED")
        else:
            yield session.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


@contextmanager
def one_state(engine: Engine) -> Iterator[None]:
    """All that is read from this database within it, by this thread, is of one moment: what many readings make up."""
    with reading(engine) as session:
        token = _SHARED.set((engine, session))
        try:
            yield
        finally:
            _SHARED.reset(token)
