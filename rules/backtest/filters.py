"""The filter that a router would have had on each past day: the rules of the evening before."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np

from hntes.rules.columns import Mask, PairColumns, Spans, Whole, whole
from hntes.rules.lifetime.evenings import Evenings, Policy, RuleInputs

# The configuration in force before each evening: the candidate of the evening before, or never any.
Reading = Literal["approved", "never_approved"]


@dataclass(frozen=True)
class DailyFilters:
    """The pairs in the filter by day of traffic. `used` and `wanted` are per day, from `first_day`: terms in the
    filter, and rules that wanted one. Where nothing depended on what was in force, `depends_on_approvals` is false, and
    the other reading is the same.
    """

    pairs: PairColumns
    spans: Spans
    first_day: int
    used: Whole
    wanted: Whole
    depends_on_approvals: bool


def daily_filters(inputs: RuleInputs, policy: Policy, first: date, last: date, reading: Reading) -> DailyFilters:
    """The filter of each day from the first through the last; the history may begin any time before."""
    evenings, pairs = Evenings(inputs, policy), inputs.history.pairs
    complete = frozenset(inputs.complete.tolist())
    nothing = np.zeros(len(pairs), dtype=np.bool_)
    in_force, depends = nothing, False
    spans = _SpanWriter(len(pairs))
    used, wanted = [], []
    first_day, last_day = first.toordinal(), last.toordinal()
    for evening in range(min(_first_evening(inputs, evenings, last_day), first_day - 1), last_day):
        found = evenings.decide(date.fromordinal(evening), in_force, is_complete=evening in complete)
        depends |= bool(len(found.left_out)) or bool((found.wanting & ~found.alive).any())
        if reading == "approved":
            in_force = found.kept
        if evening >= first_day - 1:
            spans.put(evening + 1, found.kept)
            used.append(int(np.count_nonzero(found.kept)))
            wanted.append(int(np.count_nonzero(found.wanting)))
    return DailyFilters(pairs, spans.closed(last_day), first_day, whole(used), whole(wanted), depends)


def _first_evening(inputs: RuleInputs, evenings: Evenings, default: int) -> int:
    """The first evening on which anything was known."""
    first_day = inputs.history.days.first_day
    known = [] if first_day is None else [first_day]
    return min([*known, *inputs.complete[:1].tolist(), *evenings.pinned.from_day.tolist()], default=default)


class _SpanWriter:
    """Collects the spans of days on which pairs are in the filter."""

    def __init__(self, pairs: int) -> None:
        self._since = np.zeros(pairs, dtype=np.int64)
        self._present = np.zeros(pairs, dtype=np.bool_)
        self._done: list[tuple[Whole, Whole, Whole]] = []

    def put(self, day: int, kept: Mask) -> None:
        """Adds the pairs in the filter on the next day."""
        ended = np.flatnonzero(self._present & ~kept)
        self._close(ended, day - 1)
        self._since[kept & ~self._present] = day
        self._present = kept

    def closed(self, last: int) -> Spans:
        """All spans; open ones end on that day."""
        self._close(np.flatnonzero(self._present), last)
        columns = [np.concatenate(column) for column in zip(*self._done, strict=True)]
        return Spans(*columns)

    def _close(self, ended: Whole, last: int) -> None:
        self._done.append((ended, self._since[ended], np.full(len(ended), last, dtype=np.int64)))
