"""Routers in the database that are no longer in the settings: renamed or removed."""

from dataclasses import dataclass
from datetime import date

from hntes.sql import day_status, overrides
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.review.status import progress_of


@dataclass(frozen=True)
class FormerRouter:
    """A router in the database that is not in the settings.

    Attributes:
        newest_day: The last day that was processed.
        overrides: Pins, and exclusions for it alone, that are active on the last day that may be run.
        delivered_day: The day of its delivered configuration, per the last report; None if there is none.
    """

    name: str
    newest_day: date
    overrides: int
    delivered_day: date | None


def former_routers(context: Context) -> tuple[FormerRouter, ...]:
    """All such routers. They get no nights or rules, and a renamed router starts without its history."""
    named = {router.name for router in context.settings.routers}
    found = []
    with reading(context.database) as session:
        for name, newest in sorted(day_status.newest_days(session).items()):
            if name in named:
                continue
            pins = [pin.active_on(context.last_day) for pin in overrides.pins(session, name)]
            own = [entry for entry in overrides.exclusions(session) if entry.scope_router == name]
            exclusions = [entry.active_on(context.last_day) for entry in own]
            delivered = progress_of(session, name).delivered
            delivered_day = delivered.day if delivered else None
            found.append(FormerRouter(name, newest.day, sum(pins) + sum(exclusions), delivered_day))
    return tuple(found)
