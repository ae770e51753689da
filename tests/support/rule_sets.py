"""Rule sets from histories written by hand: prefix pairs and days as objects, and the columns that decisions take."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from hntes.rules.columns import PairColumns, whole
from hntes.rules.lifetime.budget import Claims, ranked
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PairHistory, PrefixLengths, Sightings
from hntes.rules.lifetime.rule import Rule, RuleSet, Selection
from hntes.rules.lifetime.rule_set import DayRules, Given
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry, WeakEvidence

LENGTHS = PrefixLengths((24, 24), (64, 64))


class PairDay(NamedTuple):
    """A row of a `PairHistory`."""

    pair: PrefixPair
    day: date
    flows: int
    bytes: int
    peak_bytes: int
    is_weak: bool = False
    is_implausible: bool = False


def history_of(seen: Iterable[PairDay]) -> PairHistory:
    listed = list(seen)
    rows = {pair: row for row, pair in enumerate(dict.fromkeys(each.pair for each in listed))}
    sightings = Sightings(
        whole([rows[each.pair] for each in listed]),
        whole([each.day.toordinal() for each in listed]),
        whole([each.flows for each in listed]),
        whole([each.flows if each.is_weak else 0 for each in listed]),
        whole([each.bytes for each in listed]),
        whole([each.peak_bytes for each in listed]),
        np.array([each.is_implausible for each in listed], dtype=np.bool_),
    )
    return PairHistory.of(PairColumns.of(list(rows)), sightings)


def pair_days(history: PairHistory) -> list[PairDay]:
    """The rows of a history, by pair in filter order and day."""
    pair, day, *numbers, is_weak, is_implausible = np.frombuffer(history.days.columns(), np.int64).reshape(7, -1)
    columns = (*numbers, is_weak.astype(np.bool_), is_implausible.astype(np.bool_))
    days = map(date.fromordinal, day.tolist())
    rows = zip(history.pairs.pairs(pair), days, *(column.tolist() for column in columns), strict=True)
    found = [PairDay(*row) for row in rows]
    return sorted(found, key=lambda each: (each.pair.sort_key, each.day))


def rule_set(
    history: Iterable[PairDay], statuses: Iterable[DayEntry], pins: Iterable[PinEntry],
    exclusions: Iterable[ExclusionEntry], *, router: str, day: date, ageing_days: int,
    weak_evidence: WeakEvidence = "second_sighting", in_force: Iterable[PrefixPair] = (), day_complete: bool = True,
) -> RuleSet:  # fmt: skip
    """As a night decides it; days with complete data are those of the router's statuses."""
    complete = [status.day for status in statuses if status.router == router and status.complete]
    given = Given(
        router, day, history_of(history), complete, tuple(pins), tuple(exclusions), frozenset(in_force), day_complete
    )
    return DayRules(given, Policy(LENGTHS, ageing_days, weak_evidence, 10**6)).evaluated()[0]


def within_budget(rules: Iterable[Rule], term_budget: int, in_force: Iterable[PrefixPair] = ()) -> Selection:
    """The rules that get a term, as `Evenings` chooses them."""
    listed, held = list(rules), frozenset(in_force)
    columns = PairColumns.of([rule.pair for rule in listed])
    claims = Claims(
        _mask([rule.protected for rule in listed]), _mask([rule.pinned for rule in listed]),
        _mask([rule.pair in held for rule in listed]), whole([rule.days_seen for rule in listed]),
        whole([rule.recent_bytes for rule in listed]), columns.filter_order(),
    )  # fmt: skip
    order = [listed[row] for row in ranked(claims).tolist()]
    kept = sorted(order[:term_budget], key=lambda rule: rule.pair.sort_key)
    return Selection(term_budget, tuple(kept), tuple(order[term_budget:]))


def _mask(values: Sequence[bool]) -> "np.typing.NDArray[np.bool_]":
    return np.array(values, dtype=np.bool_)
