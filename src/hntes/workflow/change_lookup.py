"""Lookup of a change by router and day, by its candidate's hash, or by id."""

from collections.abc import Sequence
from datetime import date

from hntes import clock
from hntes.settings.model import Router
from hntes.sql import changes
from hntes.sql.change import Change
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError

_SOME = 5


def change_of(context: Context, router_name: str, day: date) -> Change | None:
    """The nightly change of that router and day; None if there is none."""
    with reading(context.database) as session:
        return changes.nightly_change(session, router_name, day)


def change_by_id(context: Context, change_id: str) -> Change | None:
    """The change with that id; None if there is none."""
    with reading(context.database) as session:
        return changes.change(session, change_id)


def find_change(context: Context, router: Router, day: date | None) -> Change:
    """The router's nightly change of that day (None: the latest that waits for a decision, else the latest).

    Raises:
        CommandError: there is none.
    """
    with reading(context.database) as session:
        found = [entry for entry in changes.nightly_changes(session, router.name) if day in (None, entry.day)]
    if not found:
        of_day = f" of {day}" if day else ""
        raise CommandError(f"router {router.name} has no change{of_day}; run `hntes nightly` first")
    waiting = [entry for entry in found if is_waiting(entry)]
    return (waiting or found)[-1]


def chosen_change(context: Context, router_name: str | None, digits: str | None, day: date | None) -> Change:
    """The nightly change of a router or of a candidate's hash; without either the one that waits for a decision.

    Raises:
        CommandError: there is none, or several wait.
    """
    routers = context.chosen([router_name] if router_name else [])
    if digits:
        found = find_candidate(context, routers, digits, day)
        if found is None:
            raise CommandError(f"no change has a candidate {digits}; `hntes change list --all` lists them")
        return found
    if len(routers) == 1:
        return find_change(context, routers[0], day)
    names = {router.name for router in routers}
    with reading(context.database) as session:
        waiting = [each for each in changes.nightly_changes(session) if each.router in names and is_waiting(each)]
    waiting = [each for each in waiting if day in (None, each.day)]
    if len(waiting) != 1:
        some = ", ".join(f"{each.candidate_hash[:12]} of {each.router}" for each in waiting[:_SOME])
        more = f" and {len(waiting) - _SOME} more" if len(waiting) > _SOME else ""
        said = (
            f"{len(waiting)} changes wait for a decision: {some}{more}" if waiting else "no change waits for a decision"
        )
        raise CommandError(f"{said}; choose one with --router or --hash")
    return waiting[0]


def find_candidate(context: Context, routers: Sequence[Router], digits: str, day: date | None) -> Change | None:
    """The nightly change of these routers (and that day) whose candidate's hash begins with `digits`, None if none has.

    Of several days with the same candidate the latest that waits for a decision counts, else the latest.

    Raises:
        CommandError: several candidates begin with them.
    """
    names = [router.name for router in routers]
    with reading(context.database) as session:
        all_days = [each for each in changes.nightly_changes(session) if each.router in names]
    found = [each for each in all_days if day in (None, each.day) and each.candidate_hash.startswith(digits)]
    found = [each for each in found if is_waiting(each)] or found
    if len({each.candidate_hash for each in found}) > 1:
        several = ", ".join(sorted({f"{each.candidate_hash[:12]} of {each.router}" for each in found}))
        raise CommandError(f"{digits} begins several candidates: {several}; give more digits")
    return max(found, key=lambda each: each.day, default=None)


def is_waiting(entry: Change) -> bool:
    """Whether a decision on it can still be taken."""
    return entry.state == "pending" and not entry.is_over(clock.now_ms())
