"""On which days prefix pairs carried alpha traffic, for figures of their past."""

from collections.abc import Collection
from datetime import date, timedelta
from ipaddress import ip_address

from pipeline.context import Context
from rules.pairs import PairError, PrefixPair
from settings.model import Router
from sql import observations
from sql.session import reading

__all__ = ["PairError", "PrefixPair", "alpha_bytes_by_day"]


def alpha_bytes_by_day(
    context: Context, router: Router, pairs: Collection[PrefixPair], until_day: date, days: int
) -> dict[PrefixPair, tuple[int, ...]]:
    """Bytes of believed alpha flows between hosts of each pair, day by day; the last value is that of `until_day`."""
    first = until_day - timedelta(days=days - 1)
    with reading(context.database) as session:
        totals = observations.daily_totals(session, router.name, until_day, first)
    found = {pair: [0] * days for pair in pairs}
    holding: dict[tuple[str, str], list[PrefixPair]] = {}
    for total in totals:
        hosts = total.source, total.destination
        if hosts not in holding:
            source, destination = map(ip_address, hosts)
            holding[hosts] = [pair for pair in pairs if pair.contains(source, destination)]
        for pair in holding[hosts] if not total.implausible else ():
            found[pair][(total.day - first).days] += total.flow_bytes
    return {pair: tuple(values) for pair, values in found.items()}
