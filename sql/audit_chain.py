"""The chain of the audit log: each event's hash covers all its columns and the hash of the event before."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from hntes.sql.entries import AuditEventEntry

# The previous hash of the first event.
NO_HASH = "0" * 64


@dataclass(frozen=True)
class Break:
    """A broken chain: the number of the first wrong or missing event, and the problem."""

    number: int
    what: str


def event_hash(columns: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of an event's columns but `hash`: sorted keys, ASCII, no spaces, days in ISO form.

    Columns that are null are left out, so that a column that a later version adds leaves older hashes as they are.
    """
    covered = {name: value for name, value in columns.items() if name != "hash" and value is not None}
    text = json.dumps(covered, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=_iso)
    return hashlib.sha256(text.encode()).hexdigest()


def first_break(events: Iterable[AuditEventEntry], after: AuditEventEntry | None = None) -> Break | None:
    """The first event, in their order, that is not what the chain says; None if all are.

    They begin with the first of the log, or with the one that follows `after`.

    That the newest events are there cannot be seen from the chain: compare its last hash with one kept elsewhere.
    """
    previous_hash = after.hash if after else NO_HASH
    for number, event in enumerate(events, start=after.number + 1 if after else 1):
        if event.number != number:
            return Break(number, f"it is missing: event {event.number} is in its place")
        if event.previous_hash != previous_hash:
            return Break(number, "it does not continue the event before")
        if not is_as_written(event):
            return Break(number, "its columns are not those that were written")
        previous_hash = event.hash
    return None


def is_as_written(event: AuditEventEntry) -> bool:
    """Whether an event's columns are those that its hash covers."""
    return event_hash(vars(event)) == event.hash


def _iso(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"an event holds no {type(value).__name__}")
