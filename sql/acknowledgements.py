"""Acknowledgements of unusually many new pairs: events of the audit log. Works within the caller's transaction.

One stands for a router, a day, a candidate and a number of new pairs. If the day is run again with another candidate or
against another base, so that the number changes, it stands for nothing.
"""

from datetime import date

from sqlalchemy.orm import Session

from hntes.format import counted
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.change_table import CHANGE_SET
from hntes.sql.entries import ChangeSetEntry
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.held import hold_text
from hntes.sql.rows import check_free_text, fetch, lock


def acknowledge(
    session: Session, router: str, day: date, new_pairs: int, who: str, note: str | None, identity: str | None = None
) -> ChangeSetEntry:
    """Records that a person has seen how many new pairs a pending change set has; returns the change set.

    Raises:
        InvalidEntryError: nobody is named, the change set does not wait, or it has another number of new pairs.
        UnknownEntryError: the router has no change set on that day.
    """
    what = f"change set of {router} on {day}"
    if not who.strip():
        raise InvalidEntryError(f"{what}: an acknowledgement needs the name of who gives it")
    check_free_text(what, who=who, note=note)
    lock(session, "change_set", router)
    found = fetch(session, CHANGE_SET, ChangeSetEntry, CHANGE_SET.c.router == router, CHANGE_SET.c.day == day)
    if not found:
        raise UnknownEntryError(f"{what}: there is none; list the change sets to see which days have one")
    (present,) = found
    if present.state != "pending":
        raise InvalidEntryError(f"{what}: it is {present.state}; only one that waits for a decision is acknowledged")
    if present.pairs_added != new_pairs:
        raise InvalidEntryError(
            f"{what}: it has {_detail(present)}, not {new_pairs}; look at them with `hntes show`, name their number"
        )
    event = NewEvent(
        "acknowledge", router, day, present.candidate_hash,
        detail=_detail(present), who=who, note=note, identity=identity,
    )  # fmt: skip
    audit.append(session, event)
    return present


def hold_reason(session: Session, present: ChangeSetEntry, new_pairs_limit: int) -> str | None:
    """Why a change set may not be approved yet: more new pairs than the limit, and nobody has acknowledged them."""
    if present.pairs_added <= new_pairs_limit:
        return None
    for event in audit.events(session, present.router, ("acknowledge",)):
        same = (event.day, event.candidate_hash, event.detail)
        if same == (present.day, present.candidate_hash, _detail(present)):
            return None
    return hold_text(present.router, present.day, present.pairs_added, new_pairs_limit)


def _detail(present: ChangeSetEntry) -> str:
    return counted(present.pairs_added, "new pair")
