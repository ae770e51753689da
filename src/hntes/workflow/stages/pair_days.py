"""Alpha bytes of prefix pairs by day, for charts."""

from collections.abc import Collection
from datetime import date, timedelta

import numpy as np

from hntes.rules.columns import PairColumns, summable
from hntes.rules.lifetime.stored_history import sightings
from hntes.rules.matching import matches
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
        hosts, seen = sightings(observation_days(session, router.name, (first, until_day)))
    listed = list(dict.fromkeys(pairs))
    found = matches(hosts, PairColumns.of(listed))
    chosen = ~seen.implausible[found.hosts]
    rows, pair = found.hosts[chosen], found.pair[chosen]
    sums = np.zeros((len(listed), days), dtype=np.int64)
    np.add.at(sums, (pair, seen.day[rows] - first.toordinal()), summable(seen.bytes[rows]))
    return {each: tuple(values) for each, values in zip(listed, sums.tolist(), strict=True)}
