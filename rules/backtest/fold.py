"""The terms that a router's filter has on each day, all evenings in one pass over the history.

Equal, evening by evening, to `rule_set`, `never_remove_when_incomplete` and `within_budget` of `rules.life`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_network
from typing import Literal

import numpy as np

from hntes.rules.backtest.columns import HostPairs, Mask, Spans, Terms, Whole, whole
from hntes.rules.backtest.known_pairs import PairDays, PrefixLengths, Sightings, known_pairs, pair_days
from hntes.rules.backtest.lives import Lives, lives
from hntes.rules.backtest.matching import overlapping
from hntes.rules.lifetime.budget import ESTABLISHED_DAYS, IN_FORCE_WEIGHT
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry, PinEntry, WeakEvidence

# What was in force before each evening: the candidate of the evening before, or nothing on any evening.
Reading = Literal["approved", "never_approved"]


@dataclass(frozen=True)
class History:
    """All that the rules of one router follow from. `complete` are the days with complete data, rising."""

    hosts: HostPairs
    sightings: Sightings
    complete: Whole
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]


@dataclass(frozen=True)
class Policy:
    """How rules follow from a history."""

    lengths: PrefixLengths
    ageing_days: int
    weak_evidence: WeakEvidence
    term_budget: int


@dataclass(frozen=True)
class Evenings:
    """The terms in the filter by day of traffic: those of the evening before. `used` and `wanted` are per day, from
    `first_day`: terms in the filter, and rules that wanted one. Where nothing depended on what was in force,
    `depends_on_approvals` is false, and the other reading is the same.
    """

    terms: Terms
    spans: Spans
    first_day: int
    used: Whole
    wanted: Whole
    depends_on_approvals: bool


def evenings(history: History, policy: Policy, days: tuple[date, date], reading: Reading) -> Evenings:
    """The filter of each day from the first through the last of `days`; the history may begin any time before."""
    first, last = (day.toordinal() for day in days)
    pinned = [PrefixPair(ip_network(pin.source), ip_network(pin.destination)) for pin in history.pins]
    known = known_pairs(history.hosts, pinned, policy.lengths)
    seen = pair_days(history.sightings, known)
    found = lives(
        seen, known.of_pins, history.pins, history.complete,
        ageing_days=policy.ageing_days, weak_evidence=policy.weak_evidence,
    )  # fmt: skip
    fold = _Fold(known.terms, seen, found, history, policy, reading)
    written = _Spans(len(known.terms))
    used, wanted = [], []
    for evening in range(min(fold.first_evening, first - 1), last):
        kept, asking = fold.evening(evening)
        if evening >= first - 1:
            written.put(evening + 1, kept)
            used.append(int(np.count_nonzero(kept)))
            wanted.append(asking)
    spans = written.closed(last)
    return Evenings(known.terms, spans, first, whole(used), whole(wanted), fold.depends_on_approvals)


class _Fold:
    """The state of the evenings so far; `evening` is to be called for each in turn."""

    def __init__(
        self, terms: Terms, seen: PairDays, found: Lives, history: History, policy: Policy, reading: Reading
    ) -> None:
        begins = [found.runs.from_day, seen.day, history.complete]
        self.first_evening = min((int(column.min()) for column in begins if len(column)), default=date.max.toordinal())
        self.depends_on_approvals = False
        self._policy, self._reading = policy, reading
        self._complete = frozenset(history.complete.tolist())
        self._places = terms.filter_order()
        self._alive = _Holding(found.runs, len(terms))
        self._pinned = _Holding(found.pins, len(terms))
        self._excluded = _Excluded(terms, history.exclusions)
        self._counting = _Evidence(seen, found.counts, len(terms), policy.ageing_days)
        self._passed_over = _Evidence(seen, ~found.counts & ~seen.implausible, len(terms), policy.ageing_days)
        self._kept = np.zeros(len(terms), dtype=np.bool_)

    def evening(self, evening: int) -> tuple[Mask, int]:
        """The terms in the filter after that evening, and how many rules wanted one."""
        for evidence in (self._counting, self._passed_over):
            evidence.pass_to(evening)
        excluded = self._excluded.on(evening)
        asking = self._alive.on(evening) & ~excluded
        in_force = self._kept if self._reading == "approved" else np.zeros_like(self._kept)
        is_protecting = evening not in self._complete
        if is_protecting:
            held = in_force & ~excluded & ~asking
            self.depends_on_approvals |= bool(held.any())
            asking = asking | held
        pinned = self._pinned.on(evening)
        wanting = np.flatnonzero(asking)
        if len(wanting) <= self._policy.term_budget:
            kept = asking
        else:
            self.depends_on_approvals = True
            protected = in_force[wanting] & is_protecting
            kept = np.zeros_like(asking)
            kept[self._first(wanting, protected, pinned[wanting], in_force[wanting])] = True
        self._kept = kept
        return kept, len(wanting)

    def _first(self, wanting: Whole, protected: Mask, pinned: Mask, in_force: Mask) -> Whole:
        """Those within the budget, in the order of `rules.life.budget`."""
        days, weight = self._counting.days[wanting], self._counting.recent[wanting]
        if self._passed_over:
            has_counted = days > 0
            days = np.where(has_counted, days, self._passed_over.days[wanting])
            weight = np.where(has_counted, weight, self._passed_over.recent[wanting])
        weight[in_force] *= IN_FORCE_WEIGHT
        established = in_force | (days >= ESTABLISHED_DAYS)
        # a number of one byte, the smaller the better: it is compared on each evening for each rule that wants a term
        rank = ~protected * np.uint8(4) + ~pinned * np.uint8(2) + ~established * np.uint8(1)
        kept, room = [], self._policy.term_budget
        for each in range(8):
            members = np.flatnonzero(rank == each)
            if len(members) > room:
                members = _largest(members, weight[members], self._places[wanting[members]], room)
            kept.append(wanting[members])
            room -= len(members)
        return np.concatenate(kept)


def _largest(members: Whole, weight: Whole, places: Whole, room: int) -> Whole:
    """So many of the members, the heaviest first, of equals those first in the filter; sorting all takes longer."""
    if not room:
        return members[:0]
    least = np.partition(weight, len(weight) - room)[len(weight) - room]
    sure, equal = np.flatnonzero(weight > least), np.flatnonzero(weight == least)
    equal = equal[np.argsort(places[equal])][: room - len(sure)]
    chosen: Whole = members[np.concatenate([sure, equal])]
    return chosen


class _Holding:
    """Which terms some span holds, day after day."""

    def __init__(self, spans: Spans, terms: int) -> None:
        self._count = np.zeros(terms, dtype=np.int64)
        self._held = np.zeros(terms, dtype=np.bool_)
        self._begins = _ByDay(spans.term, spans.from_day)
        self._ends = _ByDay(spans.term, spans.until_day + 1)

    def on(self, day: int) -> Mask:
        """On that day, later than the one asked for before."""
        begun, ended = self._begins.through(day), self._ends.through(day)
        if len(begun) or len(ended):
            np.add.at(self._count, begun, 1)
            np.subtract.at(self._count, ended, 1)
            self._held = self._count > 0
        return self._held


class _Evidence:
    """How often terms were seen, and their bytes of the last `ageing_days` days."""

    def __init__(self, seen: PairDays, chosen: Mask, terms: int, ageing_days: int) -> None:
        self.days = np.zeros(terms, dtype=np.int64)
        self.recent = np.zeros(terms, dtype=np.int64)
        self._bytes = seen.bytes[chosen]
        self._term = seen.term[chosen]
        rows = np.arange(len(self._term))
        self._comes = _ByDay(rows, seen.day[chosen])
        self._goes = _ByDay(rows, seen.day[chosen] + ageing_days)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(len(self._term))

    def pass_to(self, day: int) -> None:
        """To that day, later than the one before."""
        come, gone = self._comes.through(day), self._goes.through(day)
        np.add.at(self.days, self._term[come], 1)
        np.add.at(self.recent, self._term[come], self._bytes[come])
        np.subtract.at(self.recent, self._term[gone], self._bytes[gone])


class _ByDay:
    """Values to be taken day after day."""

    def __init__(self, values: Whole, day: Whole) -> None:
        order = np.argsort(day, kind="stable")
        self._values, self._days, self._taken = values[order], day[order], 0

    def through(self, day: int) -> Whole:
        """Those of days up to that one which were not taken before."""
        end = int(np.searchsorted(self._days, day, side="right"))
        found = self._values[self._taken : end]
        self._taken = end
        return found


class _Excluded:
    """Which terms some exclusion hits that holds on a day."""

    def __init__(self, terms: Terms, exclusions: Sequence[ExclusionEntry]) -> None:
        self._none = np.zeros(len(terms), dtype=np.bool_)
        self._hits = [(exclusion, _hit(terms, exclusion)) for exclusion in exclusions]
        self._asked: tuple[ExclusionEntry, ...] = ()
        self._found = self._none

    def on(self, day: int) -> Mask:
        at = date.fromordinal(day)
        active = tuple(exclusion for exclusion, _ in self._hits if exclusion.active_on(at))
        if active != self._asked:
            self._asked, self._found = active, self._none.copy()
            for exclusion, hit in self._hits:
                if exclusion in active:
                    self._found[hit] = True
        return self._found


def _hit(terms: Terms, exclusion: ExclusionEntry) -> Whole:
    prefix = ip_network(exclusion.prefix)
    sides = ("source", "destination") if exclusion.side == "either" else (exclusion.side,)
    found = np.zeros(len(terms), dtype=np.bool_)
    for side in sides:
        found |= overlapping(terms, side, prefix.version, int(prefix.network_address), prefix.prefixlen)
    return np.flatnonzero(found)


class _Spans:
    """Writes down from which through which day terms are in the filter."""

    def __init__(self, terms: int) -> None:
        self._since = np.zeros(terms, dtype=np.int64)
        self._present = np.zeros(terms, dtype=np.bool_)
        self._done: list[tuple[Whole, Whole, Whole]] = []

    def put(self, day: int, kept: Mask) -> None:
        """The terms in the filter on that day, the next of all."""
        ended = np.flatnonzero(self._present & ~kept)
        self._close(ended, day - 1)
        self._since[kept & ~self._present] = day
        self._present = kept

    def closed(self, last: int) -> Spans:
        """All spans, those that go on ending with that day."""
        self._close(np.flatnonzero(self._present), last)
        columns = [np.concatenate(column) for column in zip(*self._done, strict=True)]
        return Spans(*columns)

    def _close(self, ended: Whole, last: int) -> None:
        self._done.append((ended, self._since[ended], np.full(len(ended), last, dtype=np.int64)))
