"""What a router's day leaves out so that one pair or one minute does not decide on all: works within the caller's
transaction.

Pairs are set aside by the stage measure, for the day alone: each night asks again. Minutes of a port are set aside by
an operator, recorded in the audit log.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.sql.rows import check_free_text, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

Kind = Literal["pair", "minute"]


@dataclass(frozen=True)
class SetAsideEntry:
    """One pair (`SOURCE > DESTINATION`), or one minute of a port (`INDEX MINUTE`, its SNMP index and epoch minute)."""

    router: str
    day: date
    kind: Kind
    subject: str
    reason: str


SET_ASIDE = table(
    "set_aside", SetAsideEntry, one_of("kind", Kind), key=("router", "day", "kind", "subject"),
    grain="One row per router, day and pair or minute of a port that the day leaves out.",
)  # fmt: skip


def replace_pairs(session: Session, router: str, day: date, entries: Iterable[SetAsideEntry]) -> None:
    """Puts these pairs in the place of all that the router's day had."""
    lock(session, "set_aside", router)
    remove(session, SET_ASIDE, router=router, day=day, kind="pair")
    store(session, SET_ASIDE, list(entries))


def set_minute_aside(session: Session, entry: SetAsideEntry) -> None:
    """Adds a minute; the same again replaces its reason.

    Raises:
        InvalidEntryError: the reason is not one printable line.
    """
    check_free_text(f"minute {entry.subject} of {entry.router}", reason=entry.reason)
    lock(session, "set_aside", entry.router)
    remove(session, SET_ASIDE, router=entry.router, day=entry.day, kind="minute", subject=entry.subject)
    store(session, SET_ASIDE, [entry])


def set_aside(session: Session, router: str, day: date, kind: Kind) -> tuple[SetAsideEntry, ...]:
    """The pairs, or the minutes, that a router's day leaves out, by subject."""
    found = fetch_by(session, SET_ASIDE, SetAsideEntry, days=(day, day), router=router, kind=kind)
    return tuple(sorted(found, key=lambda each: each.subject))
