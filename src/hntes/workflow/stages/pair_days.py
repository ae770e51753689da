"""On which days prefix pairs carried alpha traffic, for figures of their past."""

from collections.abc import Collection
from datetime import date, timedelta

from hntes.rules.pair_index import PairIndex
from hntes.rules.pairs import PairError, PrefixPair
from hntes.settings.model import Router
from hntes.sql import observations
from hntes.sql.pair_bytes import believed_bytes_by_pair
from hntes.sql.session import reading
from hntes.workflow.context import Context

# So many pairs are looked up by their prefixes; for more, all of the router's flows are read once.
FEW = 200

__all__ = ["PairError", "PrefixPair", "alpha_bytes_by_day"]


def alpha_bytes_by_day(
    context: Context, router: Router, pairs: Collection[PrefixPair], until_day: date, days: int
) -> dict[PrefixPair, tuple[int, ...]]:
    """Bytes of believed alpha flows between hosts of each pair, day by day; the last value is that of `until_day`."""
    first = until_day - timedelta(days=days - 1)
    found = {pair: [0] * days for pair in pairs}
    with reading(context.database) as session:
        if len(found) <= FEW:
            ends = [(pair.source, pair.destination) for pair in found]
            by_pair = believed_bytes_by_pair(session, router.name, ends, (first, until_day))
            for values, pair_bytes in zip(found.values(), by_pair, strict=True):
                for day, each in pair_bytes.items():
                    values[(day - first).days] = each
            return {pair: tuple(values) for pair, values in found.items()}
        totals = observations.unsorted_totals(session, router.name, until_day, first)
    index = PairIndex(found)
    for total in totals:
        for pair in index.holding(total.source, total.destination) if not total.implausible else ():
            found[pair][(total.day - first).days] += total.flow_bytes
    return {pair: tuple(values) for pair, values in found.items()}
