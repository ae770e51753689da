"""The outcome of each known pair as of a day: its rule, or its departure, with facts and reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from hntes.rules.columns import Whole
from hntes.rules.lifetime import reasons
from hntes.rules.lifetime.evenings import Decision
from hntes.rules.lifetime.pair_facts import NONE, PairFacts, never_seen
from hntes.rules.lifetime.rule import Departure, PairLife, Rule, sorted_pins
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry, PinEntry, WeakEvidence

_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Outcomes:
    """The decisions on the pairs of a router as of a day, and the facts behind them; pairs are given by their rows.

    `since` and `until` are the days of the latest lives. `counted` are the facts by days that count, `passed_over` by
    days of weak evidence that do not. `pins` are those of each pinned pair, `hits` the exclusions of each excluded one.
    """

    day: date
    ageing_days: int
    weak_evidence: WeakEvidence
    decision: Decision
    since: Whole
    until: Whole
    counted: PairFacts
    passed_over: PairFacts
    pins: Mapping[int, Sequence[PinEntry]]
    hits: Mapping[int, Sequence[ExclusionEntry]]

    def of(self, row: int, pair: PrefixPair) -> Rule | Departure | None:
        """The pair's rule, or its departure; None for a pair without evidence that counts."""
        outcome = self._by_history(row, pair)
        if not self.decision.held[row]:
            return outcome
        if outcome is None:
            outcome = self._of_unknown(row, pair)
        if self.decision.excluded[row]:
            return outcome
        if isinstance(outcome, Rule):
            return replace(outcome, protected=True)
        why = reasons.kept_reason(outcome.reason, self.day)
        return Rule(**vars(outcome.life), why=why, pinned=False, protected=True)

    def _by_history(self, row: int, pair: PrefixPair) -> Rule | Departure | None:
        """The outcome by history, pins and exclusions, independent of the configuration in force."""
        if self.since[row] == NONE:
            return self._of_weak_evidence(row, pair) if row in self.passed_over else None
        facts = self.counted if row in self.counted else self.passed_over
        life = facts.life(row, pair, date.fromordinal(int(self.since[row])))
        if not self.decision.alive[row]:
            return self._gone(row, life)
        pins = sorted_pins(pin for pin in self.pins.get(row, ()) if pin.active_on(self.day))
        if self.decision.excluded[row]:
            return self._excluded(row, life, is_pinned=bool(pins))
        return Rule(**vars(life), why=reasons.rule_reason(life, pins, self.ageing_days), pinned=bool(pins))

    def _gone(self, row: int, life: PairLife) -> Departure:
        """A pair whose latest life has ended."""
        is_excluded = self.decision.excluded[row]
        is_weak_alone = row in self.passed_over and row not in self.counted
        if not is_excluded and (self.decision.waiting[row] or is_weak_alone):
            return self._of_weak_evidence(row, life.pair)
        until = date.fromordinal(int(self.until[row]))
        reason = reasons.gone_reason(life, sorted_pins(self.pins.get(row, ())), until)
        gone = Departure(life, "aged_out" if row in self.counted else "pin_ended", until + _ONE_DAY, reason)
        if not is_excluded:
            return gone
        excluded = self._excluded(row, life, is_pinned=False)
        return replace(
            excluded, absent_since=min(excluded.absent_since, gone.absent_since), reason=f"{excluded.reason}; {reason}"
        )

    def _of_weak_evidence(self, row: int, pair: PrefixPair) -> Departure:
        """A pair whose latest evidence is weak, and not enough of it."""
        last, peak_bytes = self.passed_over.last_day(row)
        life = self.passed_over.life(row, pair, last)
        if self.decision.excluded[row]:
            return self._excluded(row, life, is_pinned=False)
        is_waiting = bool(self.decision.waiting[row])
        reason = reasons.weak_evidence_reason(last, peak_bytes, self.weak_evidence, is_waiting=is_waiting)
        return Departure(life, "waiting" if is_waiting else "weak_evidence", last, reason)

    def _excluded(self, row: int, life: PairLife, *, is_pinned: bool) -> Departure:
        hits = self.hits[row]
        absent_since = max(life.since, min(hit.from_day for hit in hits))
        return Departure(life, "excluded", absent_since, reasons.excluded_reason(hits, is_pinned=is_pinned))

    def _of_unknown(self, row: int, pair: PrefixPair) -> Departure:
        """A pair in force without history: it has no rule from this day on."""
        life = never_seen(pair, self.day)
        if self.decision.excluded[row]:
            return self._excluded(row, life, is_pinned=False)
        return Departure(life, "aged_out", self.day, reasons.UNKNOWN_PAIR)
