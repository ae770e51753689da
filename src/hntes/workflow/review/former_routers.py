"""Routers that the database knows and the settings do not: what was renamed, or taken out."""

from dataclasses import dataclass
from datetime import date

from hntes.sql import day_status, overrides
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.review.status import story_of


@dataclass(frozen=True)
class FormerRouter:
    """What the database has of a router that no settings name.

    Attributes:
        newest_day: The last day that was looked at.
        overrides: Pins, and exclusions of it alone, that hold on the last day that may be run.
        delivered_day: The day of the text that it has, as far as anybody reported; None if it has none.
    """

    name: str
    newest_day: date
    overrides: int
    delivered_day: date | None


def former_routers(context: Context) -> tuple[FormerRouter, ...]:
    """They have neither nights nor rules, and a renamed one has none of its history."""
    named = {router.name for router in context.settings.routers}
    found = []
    with reading(context.database) as session:
        for name, newest in sorted(day_status.newest_days(session).items()):
            if name in named:
                continue
            pins = [pin.active_on(context.last_day) for pin in overrides.pins(session, name)]
            own = [entry for entry in overrides.exclusions(session) if entry.scope_router == name]
            exclusions = [entry.active_on(context.last_day) for entry in own]
            delivered = story_of(session, name).delivered
            delivered_day = delivered.day if delivered else None
            found.append(FormerRouter(name, newest.day, sum(pins) + sum(exclusions), delivered_day))
    return tuple(found)
