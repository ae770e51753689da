"""Facts about prefix pairs as of a day: their latest lives, and totals of their days."""

from datetime import date

import numpy as np

from hntes.rules.columns import Whole
from hntes.rules.lifetime.ageing import Lives
from hntes.rules.lifetime.history import PairHistory
from hntes.rules.lifetime.rule import PairLife
from hntes.rules.pairs import PrefixPair

# Instead of the days of a life, for pairs that have none.
NONE = -1


class PairFacts:
    """Totals of the days of a history per pair, as of a day; `history` has no later day."""

    def __init__(self, history: PairHistory, day: int, complete: Whole, ageing_days: int) -> None:
        begins = _first_rows(history.pair)
        ends = np.append(begins[1:], len(history))[: len(begins)]
        last = history.day[ends - 1]
        age_days = len(complete) - np.searchsorted(complete, last, side="right")
        recent_bytes = np.where(history.day > day - ageing_days, history.bytes, 0)
        sums = (history.flows, history.bytes, recent_bytes, history.is_weak.astype(np.int64))
        flows, alpha_bytes, recent, weak_days = (np.add.reduceat(column, begins) for column in sums)
        peak = np.maximum.reduceat(history.peak_bytes, begins)
        columns = (
            history.day[begins], last, ends - begins, flows, alpha_bytes, recent, peak, age_days, day - last - age_days,
            weak_days, history.peak_bytes[ends - 1],
        )  # fmt: skip
        self._number = {pair: number for number, pair in enumerate(history.pair[begins].tolist())}
        self._rows = list(zip(*(column.tolist() for column in columns), strict=True))

    def __contains__(self, pair: int) -> bool:
        """Whether the pair has any day; `pair` is its row."""
        return pair in self._number

    def last_day(self, pair: int) -> tuple[date, int]:
        """The last day of a pair that has any, and the fullest window of that day in bytes."""
        row = self._rows[self._number[pair]]
        return date.fromordinal(row[1]), row[-1]

    def life(self, pair: int, prefixes: PrefixPair, since: date) -> PairLife:
        """The facts about a pair whose latest life began on a day."""
        number = self._number.get(pair)
        if number is None:
            return never_seen(prefixes, since)
        first, last, days, flows, alpha, recent, peak, age, frozen, weak_days, _ = self._rows[number]
        return PairLife(
            prefixes, date.fromordinal(first), date.fromordinal(last), since, days, flows, alpha, recent, peak, age,
            frozen, weak_days=weak_days,
        )  # fmt: skip


def never_seen(pair: PrefixPair, since: date) -> PairLife:
    """The facts about a pair without any day."""
    return PairLife(pair, None, None, since, 0, 0, 0, 0, 0, 0, 0)


def last_lives(history: PairHistory, lives: Lives, day: int) -> tuple[Whole, Whole]:
    """The first and the last day (that day at most) of each pair's latest life, NONE for pairs that never had one."""
    counted = lives.counts
    pair, seen, until = history.pair[counted], history.day[counted], np.minimum(lives.until[counted], day)
    since, last = (np.full(len(history.pairs), NONE, dtype=np.int64) for _ in range(2))
    if len(pair):
        begins_life = np.append(True, (pair[1:] != pair[:-1]) | (seen[1:] > until[:-1] + 1))
        begin = seen[np.maximum.accumulate(np.where(begins_life, np.arange(len(pair)), 0))]
        ends = np.append(_first_rows(pair)[1:], len(pair)) - 1
        since[pair[ends]], last[pair[ends]] = begin[ends], until[ends]
    pinned = lives.pinned
    for row in np.unique(pinned.pair).tolist():
        first, end = np.searchsorted(pair, [row, row + 1]).tolist()
        of_pins = pinned.pair == row
        runs = [
            *zip(seen[first:end].tolist(), until[first:end].tolist(), strict=True),
            *zip(pinned.from_day[of_pins].tolist(), np.minimum(pinned.until_day[of_pins], day).tolist(), strict=True),
        ]
        since[row], last[row] = _last_run(runs)
    return since, last


def _last_run(runs: list[tuple[int, int]]) -> tuple[int, int]:
    """The latest unbroken run of days of overlapping or adjacent runs."""
    first, *others = sorted(runs)
    begin, end = first
    for start, stop in others:
        begin, end = (begin, max(end, stop)) if start <= end + 1 else (start, stop)
    return begin, end


def _first_rows(pair: Whole) -> Whole:
    """The first row of each pair, in a column that is sorted by pairs."""
    if not len(pair):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.append(True, pair[1:] != pair[:-1]))
