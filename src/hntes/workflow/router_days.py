"""Daily figures of a router for charts: alpha traffic, and the number of pairs in each day's candidate."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.sql.host_totals import believed_bytes_by_day
from hntes.sql.session import reading
from hntes.workflow.context import Context


@dataclass(frozen=True)
class RouterDays:
    """One value per day, the last for `until_day`; 0 where nothing was found or proposed."""

    until_day: date
    alpha_bytes: tuple[int, ...]
    pairs: tuple[int, ...]


def router_days(context: Context, router: Router, proposed: Iterable[Change], until_day: date, days: int) -> RouterDays:
    """The figures of the last `days` days: bytes of accepted alpha flows, and pairs of the day's change."""
    first = until_day - timedelta(days=days - 1)
    with reading(context.database) as session:
        by_day = believed_bytes_by_day(session, router.name, first, until_day)
    sizes = {entry.day: entry.pairs_kept + entry.pairs_added for entry in proposed}
    named = [first + timedelta(days=number) for number in range(days)]
    return RouterDays(until_day, tuple(by_day.get(day, 0) for day in named), tuple(sizes.get(day, 0) for day in named))
