"""What the database's file says, read by SQLite alone, apart from the program that writes it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from hntes.sql.entries import AuditEventEntry

_EVENTS = ", ".join(each.name for each in fields(AuditEventEntry))


@dataclass(frozen=True)
class Proposed:
    """The text that a nightly change is to bring to a router, and the one that it is based on, if there is one."""

    router: str
    day: date
    base_hash: str | None
    candidate_hash: str


@dataclass
class Record:
    """A connection of its own, opened when it is needed; closed before the file is replaced or moved."""

    path: Path
    _connection: sqlite3.Connection | None = None
    _version: int = field(default=-1)

    def has_changed(self) -> bool:
        """Whether somebody has committed anything since it was asked last."""
        ((version,),) = self._rows("PRAGMA data_version")
        was, self._version = self._version, version
        return was != version

    def events(self, first: int) -> list[AuditEventEntry]:
        """The events of the log from this number on, in their order."""
        found = self._rows(f"SELECT {_EVENTS} FROM audit_event WHERE number >= ? ORDER BY number", first)
        entries = (dict(row) for row in found)
        return [AuditEventEntry(**each | {"day": _day(each["day"])}) for each in entries]

    def proposed(self, since: date) -> list[Proposed]:
        """The nightly changes from this day on."""
        found = self._rows(
            "SELECT router, day, base_hash, candidate_hash FROM change "
            "WHERE effective_s IS NULL AND day >= ? ORDER BY router, day",
            since.isoformat(),
        )
        return [Proposed(router, date.fromisoformat(day), base, text) for router, day, base, text in found]

    def complete_days(self, router: str, after: date, until: date) -> int:
        """How many days of a router, in (after, until], HNTES holds for complete."""
        query = "SELECT count(*) FROM day_status WHERE router = ? AND complete AND day > ? AND day <= ?"
        ((count,),) = self._rows(query, router, after.isoformat(), until.isoformat())
        return int(count)

    def outcomes(self, router: str, candidate_hash: str) -> set[str]:
        """What the gate found of a text, over all criteria."""
        query = "SELECT DISTINCT outcome FROM gate_verdict WHERE router = ? AND candidate_hash = ?"
        return {outcome for (outcome,) in self._rows(query, router, candidate_hash)}

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._version = None, -1

    def _rows(self, query: str, *values: Any) -> Iterator[Any]:
        if self._connection is None:
            self._connection = sqlite3.connect(self.path, isolation_level=None)
            self._connection.execute("PRAGMA query_only = ON")
            self._connection.row_factory = sqlite3.Row
        with closing(self._connection.execute(query, values)) as cursor:
            yield from cursor.fetchall()


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
