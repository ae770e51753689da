"""The beta traffic of past days between hosts of known pairs, for the days that are still in the lake."""

from datetime import date, timedelta
from ipaddress import ip_address, ip_network

from hntes.etl.measure.beta_between import beta_between
from hntes.rules.backtest.observed import HostBeta
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.pairs import PrefixPair, prefix
from hntes.settings.model import Router
from hntes.sql import observations, overrides
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.stages.day_flows import has_all_parts, lake_parts


def past_beta(
    context: Context, router: Router, first: date, last: date, lengths: tuple[PrefixLengths, ...]
) -> tuple[list[HostBeta], list[date]]:
    """Beta bytes by day and hosts, and the days that were read: those that were ingested and have all their parts.

    Covers the hosts of all pairs seen through each day, at the shortest of these lengths, and of all pins.
    """
    with reading(context.database) as session:
        seen = observations.seen_flows(session, router.name, last)
        pins = overrides.pins(session, router.name)
    pinned = {PrefixPair(ip_network(pin.source), ip_network(pin.destination)) for pin in pins}
    widest = _shortest(lengths)
    pairs = pinned | {_widened(source, end, widest) for source, end in {(one.source, one.destination) for one in seen}}
    found: list[HostBeta] = []
    days: list[date] = []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if not has_all_parts(context, router, day):
            continue
        with reading(context.database) as session:
            alpha = observations.history(session, router.name, day, day)
        read = context.analytics.of_day(
            beta_between, context.lake, lake_parts(context, router, day), day,
            [(pair.source, pair.destination) for pair in sorted(pairs, key=lambda pair: pair.sort_key)], alpha,
            sum_exporters=router.sum_exporters,
        )  # fmt: skip
        found += [HostBeta(day, one.source, one.destination, one.bytes) for one in read]
        days.append(day)
    return found, days


def _shortest(lengths: tuple[PrefixLengths, ...]) -> PrefixLengths:
    ipv4, ipv6 = ([each.ipv4 for each in lengths], [each.ipv6 for each in lengths])
    return PrefixLengths(
        (min(source for source, _ in ipv4), min(end for _, end in ipv4)),
        (min(source for source, _ in ipv6), min(end for _, end in ipv6)),
    )


def _widened(source: str, destination: str, lengths: PrefixLengths) -> PrefixPair:
    return PrefixPair(
        prefix(ip_address(source), lengths.ipv4[0], lengths.ipv6[0]),
        prefix(ip_address(destination), lengths.ipv4[1], lengths.ipv6[1]),
    )
