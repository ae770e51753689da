"""The change sets of routers: which there are, and which wait for a decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pipeline.context import Context, settings_of
from pipeline.errors import CommandError
from pipeline.record import DECIDES, decision_of
from settings.model import Router
from sql import audit, change_sets
from sql.engine import open_database
from sql.entries import AuditEventEntry, ChangeSetEntry
from sql.session import reading

__all__ = [
    "ChangeSetEntry",
    "ListedChange",
    "change_of",
    "earlier_rejection",
    "find_change",
    "listed_change",
    "listed_changes",
    "waiting_entries",
]


@dataclass(frozen=True)
class ListedChange:
    """A change set, whether the gate has passed its candidate, and the event that decided it, if one did.

    `first_approval` is the first of two approvals, while the change set waits for the second.
    """

    change_set: ChangeSetEntry
    is_passed: bool
    decision: AuditEventEntry | None = None
    first_approval: AuditEventEntry | None = None


def listed_changes(
    context: Context, routers: Sequence[Router], *, only_pending: bool, days: int | None = None
) -> tuple[ListedChange, ...]:
    """The change sets of these routers, by router and day; all, or only those that wait for a decision.

    `days`: only those of the last so many days on which any of them is.
    """
    names = {router.name for router in routers}
    with reading(context.database) as session:
        found = change_sets.pending(session) if only_pending else change_sets.change_sets(session)
        events = audit.events(session, kinds=DECIDES)
        chosen = [entry for entry in found if entry.router in names]
        if days is not None:
            latest = sorted({entry.day for entry in chosen})[-days:]
            chosen = [entry for entry in chosen if entry.day in latest]
        listed = [(entry, change_sets.first_approval(session, entry)) for entry in chosen]
    if not listed:
        return ()
    from pipeline.judgement import objections_now  # late: an empty list needs neither rules nor the simulator

    return tuple(
        ListedChange(entry, not objections_now(context, entry), decision_of(events, entry), first)
        for entry, first in listed
    )


def waiting_entries(settings_path: Path | None) -> tuple[ChangeSetEntry, ...]:
    """The change sets that wait, from a database of this program's schema; opened for this one look.

    Raises:
        SettingsError: the settings cannot be used.
        SqlError: the database cannot be opened.
        SQLAlchemyError: its schema is another one.
    """
    chosen = settings_of(settings_path).database
    database = open_database(chosen.url, statement_limit_s=chosen.statement_limit_s)
    try:
        with reading(database) as session:
            return tuple(change_sets.pending(session))
    finally:
        database.dispose()


def change_of(context: Context, router_name: str, day: date) -> ChangeSetEntry | None:
    """The change set of that router and day, None if there is none."""
    with reading(context.database) as session:
        return change_sets.change_set(session, router_name, day)


def listed_change(context: Context, entry: ChangeSetEntry) -> ListedChange:
    """The change set with what the gate and people said of it."""
    from pipeline.judgement import objections_now  # late, as above

    is_passed = not objections_now(context, entry)
    with reading(context.database) as session:
        return ListedChange(
            entry,
            is_passed,
            decision_of(audit.events(session, entry.router, DECIDES), entry),
            change_sets.first_approval(session, entry),
        )


def find_change(context: Context, router: Router, day: date | None) -> ChangeSetEntry:
    """The router's change set of that day (None: its latest).

    Raises:
        CommandError: there is none.
    """
    with reading(context.database) as session:
        found = [entry for entry in change_sets.change_sets(session, router.name) if day in (None, entry.day)]
    if not found:
        of_day = f" of {day}" if day else ""
        raise CommandError(f"router {router.name} has no change set{of_day}; run `hntes nightly` first")
    return found[-1]


def earlier_rejection(context: Context, entry: ChangeSetEntry) -> ListedChange | None:
    """The router's last decided change set before this day, if it was rejected: what was wrong then may be so still."""
    with reading(context.database) as session:
        decided = [
            each
            for each in change_sets.change_sets(session, entry.router)
            if each.day < entry.day and each.state in ("approved", "rejected")
        ]
        if not decided or decided[-1].state != "rejected":
            return None
        events = audit.events(session, entry.router, DECIDES)
    return ListedChange(decided[-1], is_passed=False, decision=decision_of(events, decided[-1]))
