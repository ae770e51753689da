"""Decisions on rules and filter terms after each evening's flows, for one evening or for many in turn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from ipaddress import ip_network

import numpy as np

from hntes.rules.columns import Mask, PairColumns, Whole, whole
from hntes.rules.lifetime.ageing import Ageing, pin_spans
from hntes.rules.lifetime.budget import Claims, ranked
from hntes.rules.lifetime.history import PairHistory, PrefixLengths, joined
from hntes.rules.lifetime.rule import pinned_pair
from hntes.rules.matching import overlapping
from hntes.sql.entries import ExclusionEntry, PinEntry, WeakEvidence


@dataclass(frozen=True)
class Policy:
    """The settings by which rules follow from a history."""

    lengths: PrefixLengths
    ageing_days: int
    weak_evidence: WeakEvidence
    term_budget: int

    def __post_init__(self) -> None:
        if self.term_budget < 0:
            raise ValueError(
                f"term_budget {self.term_budget} is negative; give the number of terms the filter may have"
            )


@dataclass(frozen=True)
class RuleInputs:
    """All inputs of the rules of one router. `pins` and `exclusions` are the router's.

    `history` knows the pairs of pins, too; `pair_of_pin` is the row of each. `complete` are the days with complete
    data, rising.
    """

    history: PairHistory
    complete: Whole
    pins: Sequence[PinEntry]
    pair_of_pin: Whole
    exclusions: Sequence[ExclusionEntry]

    @classmethod
    def of(
        cls, history: PairHistory, complete_days: Iterable[date], pins: Sequence[PinEntry],
        exclusions: Sequence[ExclusionEntry],
    ) -> "RuleInputs":  # fmt: skip
        """From the history of a router, its days with complete data, its pins and the exclusions that cover it."""
        pairs, rows = joined(history.pairs, list(map(pinned_pair, pins)))
        complete = whole(sorted({day.toordinal() for day in complete_days}))
        return cls(replace(history, pairs=pairs), complete, pins, rows, exclusions)


@dataclass(frozen=True)
class Decision:
    """One row per known pair, as of an evening.

    `alive`: young enough or pinned. `held`: in force on an evening with incomplete data, so not removed, except by an
    exclusion.
    `waiting`: seen on weak evidence, so that another sighting would make a rule. `wanting`: it has a rule, being alive
    or held, and not excluded. `kept`: the rule has a filter term; `left_out` are the rows of the rules without one, by
    descending priority.
    """

    alive: Mask
    pinned: Mask
    waiting: Mask
    excluded: Mask
    held: Mask
    wanting: Mask
    kept: Mask
    left_out: Whole


class Evenings:
    """Decides each evening of a history; `decide` takes evenings in rising order.

    `ageing` follows the pairs, `pinned` are the spans of pins, `places` the pairs' places in the order of filter terms.
    """

    def __init__(self, inputs: RuleInputs, policy: Policy) -> None:
        history = inputs.history
        self.ageing = Ageing(
            history, inputs.complete, ageing_days=policy.ageing_days, weak_evidence=policy.weak_evidence
        )
        self.pinned = pin_spans(inputs.pins, inputs.pair_of_pin)
        self.places = history.pairs.filter_order()
        self._term_budget = policy.term_budget
        self._exclusions = _ExclusionsByDay(history.pairs, inputs.exclusions)

    def decide(self, evening: date, in_force: Mask, *, is_complete: bool) -> Decision:
        """The rules as of an evening; on one without complete data no pair in force goes, except by exclusion."""
        young, waiting = self.ageing.advance(evening)
        pinned = np.zeros_like(young)
        pinned[self.pinned.pair[self.pinned.cover(evening.toordinal())]] = True
        alive = young | pinned
        excluded = self._exclusions.on(evening)
        held = np.zeros_like(in_force) if is_complete else in_force
        wanting = (alive | held) & ~excluded
        waiting = waiting & ~alive
        order = np.flatnonzero(wanting)
        kept = wanting
        if len(order) > self._term_budget:
            order = order[ranked(self._claims(order, held, pinned, in_force, waiting))]
            kept = np.zeros_like(wanting)
            kept[order[: self._term_budget]] = True
        left_out = order[self._term_budget :]
        return Decision(alive, pinned, waiting, excluded, held, wanting, kept, left_out)

    def exclusions_of(self, rows: Whole) -> dict[int, list[ExclusionEntry]]:
        """The exclusions that matched pairs on the last decided evening, in order, by row."""
        return self._exclusions.hitting(rows)

    def _claims(self, rows: Whole, held: Mask, pinned: Mask, in_force: Mask, waiting: Mask) -> Claims:
        counted = self.ageing.counted(rows)
        days_seen, recent_bytes = counted.days, counted.recent_bytes
        by_weak_evidence = (days_seen == 0) | waiting[rows]
        if by_weak_evidence.any():
            passed_over = self.ageing.passed_over(rows)
            days_seen = np.where(by_weak_evidence, passed_over.days, days_seen)
            recent_bytes = np.where(by_weak_evidence, passed_over.recent_bytes, recent_bytes)
        return Claims(held[rows], pinned[rows], in_force[rows], days_seen, recent_bytes, self.places[rows])


def exclusion_hits(pairs: PairColumns, exclusion: ExclusionEntry) -> Mask:
    """The pairs that an exclusion matches, regardless of its days.

    One on the source side matches every pair whose source prefix and the excluded prefix overlap, whichever contains
    the other: a filter term for 198.18.10.0/24 would catch the excluded host 198.18.10.7/32, too. On the destination
    side likewise; on "either" one overlap suffices. Prefixes of different address families never overlap.
    """
    if not len(pairs):
        return np.zeros(0, dtype=np.bool_)
    prefix = ip_network(exclusion.prefix)
    sides = ("source", "destination") if exclusion.side == "either" else (exclusion.side,)
    found: Mask = np.logical_or.reduce([overlapping(pairs, side, prefix) for side in sides])
    return found


class _ExclusionsByDay:
    """The pairs that active exclusions match on a day."""

    def __init__(self, pairs: PairColumns, exclusions: Sequence[ExclusionEntry]) -> None:
        self._pairs, self._exclusions = pairs, exclusions
        self._hits: dict[ExclusionEntry, Mask] = {}
        self._active: tuple[ExclusionEntry, ...] = ()
        self._hit = np.zeros(len(pairs), dtype=np.bool_)

    def on(self, day: date) -> Mask:
        """On that day."""
        active = tuple(exclusion for exclusion in self._exclusions if exclusion.active_on(day))
        if active != self._active:
            self._active = active
            for new in set(active) - self._hits.keys():
                self._hits[new] = exclusion_hits(self._pairs, new)
            hits = [self._hits[each] for each in active]
            self._hit = np.logical_or.reduce(hits) if hits else np.zeros(len(self._pairs), dtype=np.bool_)
        return self._hit

    def hitting(self, rows: Whole) -> dict[int, list[ExclusionEntry]]:
        """The exclusions that matched pairs on the last queried day, in order, by row."""
        found: dict[int, list[ExclusionEntry]] = {}
        for exclusion in self._active:
            for row in rows[self._hits[exclusion][rows]].tolist():
                found.setdefault(row, []).append(exclusion)
        return found
