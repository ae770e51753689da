"""The rule set of a router as of one day: the prefix pairs with a rule, and why the others have none.

It is a function of the history up to that day, never an update of the day before: see
docs/decisions/0002-rules-as-a-function-of-history.md. `ageing` defines lives, pins and weak evidence; an exclusion wins
over all of them, and does not touch the life: when it ends, a pair that is still alive is back.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from hntes.rules.columns import Mask, PairColumns, Whole
from hntes.rules.lifetime.evenings import Evenings, Policy, RuleInputs
from hntes.rules.lifetime.history import PairHistory, joined
from hntes.rules.lifetime.outcomes import Outcomes
from hntes.rules.lifetime.pair_facts import PairFacts, last_lives
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule import Departure, Rule, RuleSet, Selection, sorted_exclusions
from hntes.rules.matching import overlapping
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry, PinEntry


@dataclass(frozen=True)
class Given:
    """All inputs of the rules of a router as of a day; later data and other routers have no effect.

    `is_complete`: whether the day has complete data. Otherwise no pair of `in_force_pairs` is removed, except by
    an exclusion.
    """

    router: str
    day: date
    history: PairHistory
    complete_days: Iterable[date]
    pins: Iterable[PinEntry] = ()
    exclusions: Iterable[ExclusionEntry] = ()
    in_force_pairs: frozenset[PrefixPair] = frozenset()
    is_complete: bool = True


class DayRules:
    """The rules of a router as of a day: decided for all pairs at once, with facts and reasons on request."""

    def __init__(self, given: Given, policy: Policy) -> None:
        self._given, self._policy = given, policy
        pins = [pin for pin in given.pins if pin.router == given.router and pin.from_day <= given.day]
        exclusions = (e for e in given.exclusions if e.covers(given.router) and e.active_on(given.day))
        self._exclusions = sorted_exclusions(exclusions)
        complete_days = (day for day in given.complete_days if day <= given.day)
        inputs = RuleInputs.of(given.history, complete_days, pins, self._exclusions)
        self._pairs, in_force_rows = joined(inputs.history.pairs, list(given.in_force_pairs))
        self._inputs = replace(inputs, history=replace(inputs.history, pairs=self._pairs))
        self._evenings = Evenings(self._inputs, policy)
        in_force = np.zeros(len(self._pairs), dtype=np.bool_)
        in_force[in_force_rows] = True
        self._decision = self._evenings.decide(given.day, in_force, is_complete=given.is_complete)

    def rows_about(self, search: PairSearch, others: Iterable[PrefixPair] = ()) -> Whole:
        """The rows of the matching pairs, and of those that overlap one of them or a matching one of `others`.

        Further rows may be among them.
        """
        chosen = _meant(self._pairs, search)
        added = np.arange(len(self._given.history.pairs), len(self._pairs))
        # learned pairs of a family are all of one length, and do not overlap one another
        for pair in {*self._pairs.pairs(added), *others}:
            if not self._is_learnable(pair) and search.finds(pair):
                sides = [overlapping(self._pairs, "source", pair.source)]
                sides.append(overlapping(self._pairs, "destination", pair.destination))
                chosen |= np.logical_and.reduce(sides)
        chosen[added] = True
        return np.flatnonzero(chosen)

    def _is_learnable(self, pair: PrefixPair) -> bool:
        lengths = self._policy.lengths.ipv4 if pair.ip_version == 4 else self._policy.lengths.ipv6
        return (pair.source.prefixlen, pair.destination.prefixlen) == lengths

    def evaluated(self, rows: Whole | None = None) -> tuple[RuleSet, Selection]:
        """The rule set, and the rules that the term budget admits; where rows are given, of these pairs only."""
        rows = np.arange(len(self._pairs)) if rows is None else rows
        rows = rows[np.argsort(self._evenings.places[rows])]
        outcomes = self._outcomes(rows)
        found = {row: outcomes.of(row, pair) for row, pair in zip(rows.tolist(), self._pairs.pairs(rows), strict=True)}
        rules = {row: each for row, each in found.items() if isinstance(each, Rule)}
        kept, left_out = self._decision.kept, self._decision.left_out
        rule_set = RuleSet(
            self._given.router, self._given.day, self._policy.ageing_days, tuple(rules.values()),
            tuple(each for each in found.values() if isinstance(each, Departure)), self._exclusions,
        )  # fmt: skip
        selection = Selection(
            self._policy.term_budget,
            tuple(rule for row, rule in rules.items() if kept[row]),
            tuple(rules[row] for row in left_out.tolist() if row in rules),
        )
        return rule_set, selection

    def _outcomes(self, rows: Whole) -> Outcomes:
        day, ageing = self._given.day.toordinal(), self._evenings.ageing
        since, until = last_lives(ageing.lives(), self._evenings.pinned, len(self._pairs), day)
        counted, passed_over = (
            PairFacts(rows, facts, day, len(self._inputs.complete))
            for facts in (ageing.counted(rows), ageing.passed_over(rows))
        )
        pins: dict[int, list[PinEntry]] = {}
        for row, pin in zip(self._inputs.pair_of_pin.tolist(), self._inputs.pins, strict=True):
            pins.setdefault(row, []).append(pin)
        return Outcomes(
            self._given.day, self._policy.ageing_days, self._policy.weak_evidence, self._decision, since, until,
            counted, passed_over, pins, self._evenings.exclusions_of(rows),
        )  # fmt: skip


def _meant(pairs: PairColumns, search: PairSearch) -> Mask:
    if search.either and search.source is not None:
        return overlapping(pairs, "source", search.source) | overlapping(pairs, "destination", search.source)
    found = np.ones(len(pairs), dtype=np.bool_)
    for side, prefix in (("source", search.source), ("destination", search.destination)):
        if prefix is not None:
            found &= overlapping(pairs, side, prefix)
    return found
