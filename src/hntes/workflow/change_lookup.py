"""Lookup of a change by router and day, or by id."""

from datetime import date

from hntes.settings.model import Router
from hntes.sql import changes
from hntes.sql.change import Change
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError


def change_of(context: Context, router_name: str, day: date) -> Change | None:
    """The nightly change of that router and day; None if there is none."""
    with reading(context.database) as session:
        return changes.nightly_change(session, router_name, day)


def change_by_id(context: Context, change_id: str) -> Change | None:
    """The change with that id; None if there is none."""
    with reading(context.database) as session:
        return changes.change(session, change_id)


def find_change(context: Context, router: Router, day: date | None) -> Change:
    """The router's nightly change of that day (None: its latest).

    Raises:
        CommandError: there is none.
    """
    with reading(context.database) as session:
        found = [entry for entry in changes.nightly_changes(session, router.name) if day in (None, entry.day)]
    if not found:
        of_day = f" of {day}" if day else ""
        raise CommandError(f"router {router.name} has no change set{of_day}; run `hntes nightly` first")
    return found[-1]
