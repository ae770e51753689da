"""The audit log as tests need it: without what differs between two runs, and open to changes that it refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, Table, text

# When something happened, and what follows from that; an event's number, too, where routers are worked at side by side.
_OF_THE_MOMENT = {"audit_event": {"number", "time_ms", "previous_hash", "hash"}, "change": {"expires_ms"}}


def comparable(table: Table, row: "Row[Any]") -> tuple[object, ...]:
    """A row of any table without what follows from the moment at which it was written."""
    return tuple(value for name, value in row._mapping.items() if name not in _OF_THE_MOMENT.get(table.name, ()))


@contextmanager
def unguarded(connection: Connection) -> Iterator[None]:
    """Without the triggers of the audit log, as for one who may do anything to the database."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("ALTER TABLE audit_event DISABLE TRIGGER USER"))
        yield
        connection.execute(text("ALTER TABLE audit_event ENABLE TRIGGER USER"))
        return
    triggers = connection.execute(
        text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_event'")
    ).all()
    assert len(triggers) == 2
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, statement in triggers:
        connection.execute(text(statement))
