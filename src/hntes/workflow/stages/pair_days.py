"""Alpha bytes of prefix pairs by day, for charts."""

from collections.abc import Collection
from datetime import date, timedelta

from hntes.rules.lifetime.stored_history import bytes_by_day
from hntes.rules.pairs import PairError, PrefixPair
from hntes.settings.model import Router
from hntes.sql.host_totals import observation_days
from hntes.sql.session import reading
from hntes.workflow.context import Context

__all__ = ["PairError", "PrefixPair", "alpha_bytes_by_day"]


def alpha_bytes_by_day(
    context: Context, router: Router, pairs: Collection[PrefixPair], until_day: date, days: int
) -> dict[PrefixPair, tuple[int, ...]]:
    """Bytes of accepted alpha flows between hosts of each pair per day; the last value is for `until_day`."""
    first = until_day - timedelta(days=days - 1)
    with reading(context.database) as session:
        stored = observation_days(session, router.name, (first, until_day))
    listed = list(dict.fromkeys(pairs))
    return dict(zip(listed, bytes_by_day(stored, listed, (first, until_day)), strict=True))
