"""The effect of a change on past traffic: the alpha queue under the rules before and after it."""

from collections.abc import Collection

import numpy as np

from hntes.rules.backtest.effect_words import Effect, Seen
from hntes.rules.backtest.queued import Queued, always, queued
from hntes.rules.backtest.traffic import Traffic
from hntes.rules.columns import Mask, PairColumns, Whole
from hntes.rules.pairs import PrefixPair

# The days of traffic that a change is evaluated on, its own the last: the default age of rules.
EFFECT_DAYS = 30


def effect(
    traffic: Traffic, before: Collection[PrefixPair] | None, after: Collection[PrefixPair], seen: Seen
) -> Effect:
    """The effect of the pairs `after` in comparison with `before` (None: nothing is approved)."""
    was = _queued(traffic, before or ())
    will_be = _queued(traffic, after)
    flows_before, flows_after = (frozenset(traffic.alpha.flow[rows].tolist()) for rows in (was.alpha, will_be.alpha))
    return Effect(
        seen=seen,
        is_first=before is None,
        alpha_bytes=int(traffic.alpha.bytes.sum()),
        queued_bytes_before=_sum(traffic.alpha.bytes, was.alpha),
        queued_bytes_after=_sum(traffic.alpha.bytes, will_be.alpha),
        flows_gained=len(flows_after - flows_before),
        flows_lost=len(flows_before - flows_after),
        beta_bytes_before=_sum(traffic.beta.bytes, was.beta) if seen.beta_day else None,
        beta_bytes_after=_sum(traffic.beta.bytes, will_be.beta) if seen.beta_day else None,
    )


def _queued(traffic: Traffic, pairs: Collection[PrefixPair]) -> Queued:
    columns = PairColumns.of(list(set(pairs)))
    return queued(traffic, columns, always(columns))


def _sum(values: Whole, rows: Mask) -> int:
    return int(np.sum(values[rows]))
