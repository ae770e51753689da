"""The change sets of routers: which there are, and which wait for a decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from pipeline.context import Context
from pipeline.errors import CommandError
from settings.model import Router
from sql import change_sets
from sql.entries import ChangeSetEntry
from sql.session import reading
from sql.verdicts import objections

__all__ = ["ChangeSetEntry", "ListedChange", "change_of", "find_change", "listed_changes"]


@dataclass(frozen=True)
class ListedChange:
    """A change set, and whether the gate has passed its candidate."""

    change_set: ChangeSetEntry
    is_passed: bool


def listed_changes(context: Context, routers: Sequence[Router], *, only_pending: bool) -> tuple[ListedChange, ...]:
    """The change sets of these routers, by router and day; all, or only those that wait for a decision."""
    names = {router.name for router in routers}
    with reading(context.database) as session:
        found = change_sets.pending(session) if only_pending else change_sets.change_sets(session)
        return tuple(
            ListedChange(entry, not objections(session, entry.router, entry.candidate_hash))
            for entry in found
            if entry.router in names
        )


def change_of(context: Context, router_name: str, day: date) -> ChangeSetEntry | None:
    """The change set of that router and day, None if there is none."""
    with reading(context.database) as session:
        return change_sets.change_set(session, router_name, day)


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
