"""Facts about prefix pairs as of a day: their latest lives, and totals of their days."""

from datetime import date

import numpy as np

from hntes.rules.columns import Spans, Whole
from hntes.rules.lifetime.ageing import Facts
from hntes.rules.lifetime.rule import PairLife
from hntes.rules.pairs import PrefixPair

# Instead of the days of a life, for pairs that have none.
NONE = -1
# The place of the number of days in the rows of `PairFacts`.
_DAYS = 2


class PairFacts:
    """What the days of some pairs add up to as of a day, by the pairs' rows; `complete_days` are those through it."""

    def __init__(self, rows: Whole, facts: Facts, day: int, complete_days: int) -> None:
        age_days = complete_days - facts.complete_days
        columns = (
            facts.first_day, facts.last_day, facts.days, facts.flows, facts.bytes, facts.recent_bytes, facts.peak_bytes,
            age_days, day - facts.last_day - age_days, facts.weak_days, facts.last_peak_bytes,
        )  # fmt: skip
        values = zip(rows.tolist(), zip(*(column.tolist() for column in columns), strict=True), strict=True)
        self._rows = {pair: row for pair, row in values if row[_DAYS]}

    def __contains__(self, pair: int) -> bool:
        """Whether the pair has any day; `pair` is its row."""
        return pair in self._rows

    def last_day(self, pair: int) -> tuple[date, int]:
        """The last day of a pair that has any, and the fullest window of that day in bytes."""
        row = self._rows[pair]
        return date.fromordinal(row[1]), row[-1]

    def life(self, pair: int, prefixes: PrefixPair, since: date) -> PairLife:
        """The facts about a pair whose latest life began on a day."""
        row = self._rows.get(pair)
        if row is None:
            return never_seen(prefixes, since)
        first, last, days, flows, alpha, recent, peak, age, frozen, weak_days, _ = row
        return PairLife(
            prefixes, date.fromordinal(first), date.fromordinal(last), since, days, flows, alpha, recent, peak, age,
            frozen, weak_days=weak_days,
        )  # fmt: skip


def never_seen(pair: PrefixPair, since: date) -> PairLife:
    """The facts about a pair without any day."""
    return PairLife(pair, None, None, since, 0, 0, 0, 0, 0, 0, 0)


def last_lives(lives: Spans, pinned: Spans, pairs: int, day: int) -> tuple[Whole, Whole]:
    """The first and the last day (that day at most) of each pair's latest life, NONE for pairs that never had one.

    `lives` are those that evidence gives, in the order in which they began, `pinned` the spans of pins.
    """
    since, last = (np.full(pairs, NONE, dtype=np.int64) for _ in range(2))
    since[lives.pair], last[lives.pair] = lives.from_day, np.minimum(lives.until_day, day)
    for row in np.unique(pinned.pair).tolist():
        runs: list[tuple[int, int]] = []
        for spans in (lives, pinned):
            mine = spans.pair == row
            ends = np.minimum(spans.until_day[mine], day)
            runs += zip(spans.from_day[mine].tolist(), ends.tolist(), strict=True)
        since[row], last[row] = _last_run(runs)
    return since, last


def _last_run(runs: list[tuple[int, int]]) -> tuple[int, int]:
    """The latest unbroken run of days of overlapping or adjacent runs."""
    first, *others = sorted(runs)
    begin, end = first
    for start, stop in others:
        begin, end = (begin, max(end, stop)) if start <= end + 1 else (start, stop)
    return begin, end
