"""Anchors of the audit log: its head, kept in a file outside of the database, by itself.

A chain of hashes shows every change but one: whoever rewrites the whole of it, and all that is derived from it. So
each night and each delivery appends number and hash of the newest event to `paths.audit_anchors`, which belongs on
another disk or machine; `hntes metrics` exports both. What an anchor names must be in the log for good. It is also
where a delivery ends to verify what is older: the first anchor after an event vouches for it.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hntes import clock
from hntes.files import make_folder
from hntes.format import rfc3339
from hntes.sql import audit
from hntes.sql.entries import AuditEventEntry
from hntes.sql.session import Session, reading, reading_anew
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError

# A year of a hundred anchors a day has 3 MB.
MOST_BYTES = 64_000_000
# More than a last line has, with what a kill left behind it.
_TAIL_BYTES = 1000
_LINE = re.compile(r"(\d{1,15}) ([0-9a-f]{64}) \S+")


@dataclass(frozen=True)
class Anchor:
    """An event that the log must have: its number and hash."""

    number: int
    hash: str


def anchors(path: Path) -> tuple[Anchor, ...]:
    """The anchors of a file, oldest first; none without it. A last line that was cut off by a kill is none.

    Raises:
        CommandError: a line is no anchor, or the file is larger than any that HNTES writes.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise CommandError(f"{path}: more than {MOST_BYTES} bytes; keep its newest lines")
        lines = path.read_text(encoding="ascii", errors="replace").split("\n")
    except FileNotFoundError:
        return ()
    return tuple(_anchor(line, f"{path}:{number}") for number, line in enumerate(lines[:-1], start=1))


def _newest(path: Path) -> Anchor | None:
    """The last of a file's anchors; nothing else is read, since scheduled deliveries ask each minute.

    Raises:
        CommandError: the line is no anchor.
    """
    try:
        with path.open("rb") as file:
            file.seek(-min(_TAIL_BYTES, path.stat().st_size), os.SEEK_END)
            lines = file.read().decode("ascii", errors="replace").split("\n")
    except FileNotFoundError:
        return None
    return _anchor(lines[-2], f"{path}: its last line") if len(lines) > 1 else None


def _anchor(line: str, where: str) -> Anchor:
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise CommandError(f"{where}: is not NUMBER HASH TIME of an event; restore the file from a copy")
    return Anchor(int(parts[1]), parts[2])


def anchor_head(context: Context) -> None:
    """Appends the newest event to the anchors, unless it is the last of them."""
    # loaded where an anchor is written: reading the log needs nothing of the ETL
    from hntes.etl.locks import locked

    path = context.settings.paths.audit_anchors
    with reading(context.database) as session:
        head = audit.head(session)
    if head is None:
        return
    with locked(path.with_name(f".{path.name}.lock"), f"anchors of the audit log, {path}"):
        known = anchors(path)
        if known and known[-1].number >= head.number:
            return
        make_folder(path.parent)
        with path.open("ab") as file:
            file.truncate(_whole_bytes(path))
            file.write(f"{head.number} {head.hash} {rfc3339(clock.now_ms())}\n".encode())
            file.flush()
            os.fsync(file.fileno())


def _whole_bytes(path: Path) -> int:
    """The length of the file without a last line that was cut off by a kill."""
    return path.read_bytes().rfind(b"\n") + 1


def lost_anchor(session: Session, path: Path) -> str | None:
    """The newest anchor that the log lacks, in words; None if it has it.

    The newest vouches for the others, since each hash covers all events before; `hntes audit --verify` asks for all.
    """
    newest = _newest(path)
    if newest is None:
        return None
    event = event_by_now(session, newest.number)
    return None if event is not None and event.hash == newest.hash else lost_words(newest, path)


def event_by_now(session: Session, number: int) -> AuditEventEntry | None:
    """The event of this number that a file outside of the database names; None if the log lacks it.

    The file may be newer than what the session sees: others wrote event and file since it began.
    """
    seen = audit.event(session, number)
    if seen is not None:
        return seen
    with reading_anew(session.engine) as now:
        return audit.event(now, number)


def lost_anchors(numbers: Mapping[str, int], known: Iterable[Anchor], path: Path) -> list[str]:
    """Those of the anchors of the file `path` that a log lacks, of which the numbers are given by hash."""
    return [lost_words(each, path) for each in known if numbers.get(each.hash) != each.number]


def lost_words(anchor: Anchor, path: Path) -> str:
    """What is wrong with a log that lacks an anchor of the file `path`."""
    return f"event {anchor.number} of the audit log: {path} has another hash of it, so the log was rewritten or cut off"
