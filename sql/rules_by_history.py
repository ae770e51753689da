"""What a router's history alone says of its pairs, kept for the newest day. Works within the caller's transaction.

A row is a cache: it counts only while its hash matches what it was made from (a digest of each day's observations, the
complete days, prefix lengths, ageing, weak evidence, the code that decides); otherwise the rules are computed from the
history. Pins, exclusions, what is in force and the budget are not in it, so no entry of an operator makes it stale. An
earlier day never replaces a later one.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from hntes.sql.rows import lock, remove, store
from hntes.sql.table import table


@dataclass(frozen=True)
class RulesByHistoryEntry:
    """A router's rules as of a day before pins, exclusions and budget, and the hash of what they were made from."""

    router: str
    day: date
    made_from: str
    content: str


RULES_BY_HISTORY = table(
    "rules_by_history", RulesByHistoryEntry, key=("router",),
    grain="One row per router: what its history alone says of every pair as of a day; `made_from` names that history.",
)  # fmt: skip


def day_of(session: Session, router: str) -> date | None:
    """The day of what is kept for a router, None if nothing is."""
    return session.execute(
        select(RULES_BY_HISTORY.c.day).where(RULES_BY_HISTORY.c.router == router)
    ).scalar_one_or_none()


def content_of(session: Session, router: str, day: date, made_from: str) -> str | None:
    """What was kept of that day and made from just this; None if nothing was, or if it is not as it was kept."""
    of = RULES_BY_HISTORY.c
    row = session.execute(select(of.made_from, of.content).where(of.router == router, of.day == day)).one_or_none()
    return row.content if row is not None and row.made_from == _bound(made_from, row.content) else None


def keep(session: Session, entry: RulesByHistoryEntry, last_day: date) -> None:
    """Keeps this in place of an earlier day's; that of a later day stays, unless it is after `last_day`."""
    lock(session, "rules_by_history", entry.router)
    kept_day = day_of(session, entry.router)
    if kept_day is None or not entry.day < kept_day <= last_day:
        remove(session, RULES_BY_HISTORY, RULES_BY_HISTORY.c.router == entry.router)
        store(session, RULES_BY_HISTORY, [replace(entry, made_from=_bound(entry.made_from, entry.content))])


def _bound(made_from: str, content: str) -> str:
    """What stands in the column: it binds the content, too, so that none is believed that was damaged or edited."""
    return hashlib.sha256(f"{made_from}\n{content}".encode()).hexdigest()
