"""Pairs that take too much ordinary traffic: set aside for the day, so that one of them does not block all others.

The gate's criterion *reach* judges all pairs of a text together. One alpha flow between two prefixes that exchange most
of a router's ordinary traffic, forged or true, would make it refuse every change for as long as the pair is young.
"""

from collections.abc import Sequence
from datetime import date

from hntes.etl.measure.beta_between import beta_between
from hntes.gate import MeasuredTraffic
from hntes.rules.lifetime.rule import Rule
from hntes.rules.pair_index import PairIndex
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import observations
from hntes.sql.entries import LakePart
from hntes.sql.session import reading
from hntes.sql.set_aside import SetAsideEntry
from hntes.workflow.context import Context
from hntes.workflow.judgement import measured_traffic

# More pairs than these are no single case: the gate refuses the change, and names its limit.
MOST_SET_ASIDE = 20


def far_pairs(
    context: Context, router: Router, day: date, rules: Sequence[Rule], parts: Sequence[LakePart]
) -> tuple[SetAsideEntry, ...]:
    """The fewest pairs without which the others pass *reach*, those with the most ordinary traffic first.

    Pinned pairs stay, since a person wants them. None where the pairs pass together, or where that many do not help.
    The day's load must be stored as measured beside exactly these rules.
    """
    limit_pct = context.settings.gate.reach_pct
    traffic = measured_traffic(context, router, day, frozenset(rule.pair for rule in rules))
    if traffic is None or _beside_pct(traffic) <= limit_pct:
        return ()
    beside = _beside_bytes(context, router, day, rules, parts)
    pinned = {rule.pair for rule in rules if rule.pinned}
    left, found = sum(beside.values()), []
    for pair in sorted(beside.keys() - pinned, key=lambda each: (-beside[each], each.sort_key)):
        if 100 * left <= limit_pct * traffic.total_bytes:
            break
        left -= beside[pair]
        share_pct = 100 * beside[pair] / traffic.total_bytes
        reason = (
            f"takes {share_pct:.3g}% of the traffic of {day} beside its alpha flows, and the pairs together more than "
            f"the gate's reach_pct = {limit_pct:g}"
        )
        found.append(SetAsideEntry(router.name, day, "pair", str(pair), reason))
    helps = 100 * left <= limit_pct * traffic.total_bytes
    return tuple(found) if helps and len(found) <= MOST_SET_ASIDE else ()


def _beside_pct(traffic: MeasuredTraffic) -> float:
    if traffic.total_bytes == 0:
        return 0.0
    return 100 * (traffic.taken_bytes - min(traffic.taken_bytes, traffic.learned_bytes)) / traffic.total_bytes


def _beside_bytes(
    context: Context, router: Router, day: date, rules: Sequence[Rule], parts: Sequence[LakePart]
) -> dict[PrefixPair, int]:
    """The bytes of each pair that are of no alpha flow."""
    with reading(context.database) as session:
        alpha = observations.history(session, router.name, day, day)
    pairs = [rule.pair for rule in rules]
    found = context.analytics.of_day(
        beta_between, context.lake, parts, day, [(pair.source, pair.destination) for pair in pairs], alpha,
        sum_exporters=router.sum_exporters,
    )  # fmt: skip
    index, sums = PairIndex(pairs), dict.fromkeys(pairs, 0)
    for each in found:
        for pair in index.holding(each.source, each.destination):
            sums[pair] += each.bytes
    return sums
