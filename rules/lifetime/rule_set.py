"""The life of rules: which prefix pairs have one as of a day, and why the others have none.

The rule set is a function of the history up to day D, never an update of the day before: see
docs/decisions/0002-rules-as-a-function-of-history.md.

- **Age** of a pair: the complete days after the day it was last seen, up to D. It goes when its age exceeds the ageing
  interval. Days without complete data do not count; ageing is frozen on them.
- **Life**: an unbroken run of days on which the pair was young enough or pinned. A pair that went and comes again
  starts a new life; its history stays.
- **Weak evidence**: a day on which all of a pair's flows were borderline begins no life by itself. The next sighting
  does, weak or not, if the pair was still young; within a life, weak days count like others
  (docs/decisions/0017-evidence-and-hysteresis.md).
- **Implausible flows**, of ports that would have sent more than they can, begin no life, however often they are seen;
  within one they keep the pair young, so that whoever forges them takes no rule away either.
- **Pins** keep a pair at any age, also one that was never seen.
- **Exclusions** win over everything, pins included, and do not touch the life: when one ends, a pair still alive is
  back. One on the source side hits every pair whose source prefix and the excluded prefix overlap, whichever contains
  the other (a filter term for 198.18.10.0/24 would catch the excluded host 198.18.10.7/32, too); on the destination
  side likewise; on "either" one overlap suffices. Prefixes of different address families never overlap.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from functools import cache
from ipaddress import ip_network
from itertools import groupby
from typing import Literal

from hntes.format import counted
from hntes.rules.lifetime.overlaps import ExclusionIndex
from hntes.rules.lifetime.pair_days import PairDay
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry, WeakEvidence

_ONE_DAY = timedelta(days=1)
Cause = Literal["aged_out", "pin_ended", "excluded", "waiting", "weak_evidence"]


@dataclass(frozen=True)
class PairLife:
    """What is known of one prefix pair of one router as of day D, whether it has a rule or not.

    Counts and bytes are of the whole history up to D, whatever the lives; `recent_bytes` of the last `ageing_days`
    calendar days, D included. `since` is the first day of the latest life. Pairs never seen (pinned ones) have neither
    first_seen nor last_seen, and age 0. Days of weak evidence that did not count are in none of these, unless there is
    nothing else; `weak_days` of the days seen are weak.
    """

    pair: PrefixPair
    first_seen: date | None
    last_seen: date | None
    since: date
    days_seen: int
    flows: int
    alpha_bytes: int
    recent_bytes: int
    peak_bytes: int
    age_days: int
    frozen_days: int
    weak_days: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class Rule(PairLife):
    """A pair that gets a filter term, and why.

    `protected`: in force on a night with incomplete data, so not to be removed.
    """

    why: str
    pinned: bool
    protected: bool = False


@dataclass(frozen=True)
class Departure:
    """A known pair without a rule as of day D: since when, and why."""

    life: PairLife
    cause: Cause
    absent_since: date
    reason: str

    @property
    def pair(self) -> PrefixPair:
        return self.life.pair


@dataclass(frozen=True)
class RuleSet:
    """The rules of one router as of one day, the known pairs without one, and the exclusions that held; all sorted."""

    router: str
    day: date
    ageing_days: int
    rules: tuple[Rule, ...]
    left: tuple[Departure, ...]
    exclusions: tuple[ExclusionEntry, ...]


def rule_set(
    history: Iterable[PairDay],
    statuses: Iterable[DayEntry],
    pins: Iterable[PinEntry],
    exclusions: Iterable[ExclusionEntry],
    *,
    router: str,
    day: date,
    ageing_days: int,
    weak_evidence: WeakEvidence = "second_sighting",
) -> RuleSet:
    """The rule set of a router as of a day. Whatever is later than that day, or of another router, has no effect.

    `history` is of this router alone; order does not matter. A day without status is not complete.
    """
    calendar = _Calendar(day, statuses, router, ageing_days, weak_evidence)
    seen: dict[PrefixPair, list[PairDay]] = {}
    for pair_day in history:
        if pair_day.day <= day:
            seen.setdefault(pair_day.pair, []).append(pair_day)
    pinned: dict[PrefixPair, list[PinEntry]] = {}
    for pin in pins:
        if pin.router == router and pin.from_day <= day:
            pinned.setdefault(_pair_of(pin), []).append(pin)
    active = _sorted_exclusions(e for e in exclusions if e.covers(router) and e.active_on(day))
    rules, left, index = [], [], ExclusionIndex(active)
    for pair in sorted(seen.keys() | pinned.keys(), key=lambda p: p.sort_key):
        seen_days, passed_over = _by_evidence(seen.get(pair, []), calendar)
        known = _Known(pair, seen_days, passed_over, _sorted_pins(pinned.get(pair, [])))
        outcome = _rule_or_departure(known, calendar, index)
        if isinstance(outcome, Rule):
            rules.append(outcome)
        elif outcome is not None:
            left.append(outcome)
    return RuleSet(router, day, ageing_days, tuple(rules), tuple(left), active)


def never_remove_when_incomplete(
    rules_as_of: RuleSet, in_force_pairs: Iterable[PrefixPair], day_complete: bool
) -> RuleSet:
    """On a night with incomplete data: the rule set in which no pair in force goes, except by exclusion.

    Pairs in force are marked as protected, so that the budget does not remove them either. What would have gone is
    kept and says so. On a complete day the rule set comes back as it is.
    """
    if day_complete:
        return rules_as_of
    rules = {rule.pair: rule for rule in rules_as_of.rules}
    left = {departure.pair: departure for departure in rules_as_of.left}
    index = ExclusionIndex(rules_as_of.exclusions)
    note = f"kept because it is in force and the flow data of {rules_as_of.day} is incomplete"
    for pair in in_force_pairs:
        if pair in rules:
            rules[pair] = replace(rules[pair], protected=True)
            continue
        departure = left.get(pair) or _of_unknown(pair, rules_as_of.day, index)
        if departure.cause == "excluded":
            left[pair] = departure
        else:
            left.pop(pair, None)
            rules[pair] = _rule(departure.life, f"{departure.reason}; {note}", is_pinned=False, is_protected=True)
    return replace(
        rules_as_of,
        rules=tuple(rules[pair] for pair in sorted(rules, key=lambda p: p.sort_key)),
        left=tuple(left[pair] for pair in sorted(left, key=lambda p: p.sort_key)),
    )


def excludes(exclusion: ExclusionEntry, pair: PrefixPair) -> bool:
    """Whether the exclusion's prefix overlaps the pair's prefix on the exclusion's side (days are not looked at)."""
    prefix = ip_network(exclusion.prefix)
    if prefix.version != pair.ip_version:
        return False
    on_source, on_destination = prefix.overlaps(pair.source), prefix.overlaps(pair.destination)
    return {"source": on_source, "destination": on_destination, "either": on_source or on_destination}[exclusion.side]


def pins_of(pair: PrefixPair, pins: Iterable[PinEntry], router: str) -> tuple[PinEntry, ...]:
    """The router's pins of exactly this pair, ended and future ones too, by first day."""
    return _sorted_pins(pin for pin in pins if pin.router == router and _pair_of(pin) == pair)


@dataclass(frozen=True)
class _Known:
    """What is known of a pair up to day D; `passed_over` are days of weak evidence that did not count."""

    pair: PrefixPair
    seen: Sequence[PairDay]
    passed_over: Sequence[PairDay]
    pins: Sequence[PinEntry]


class _Calendar:
    """The days up to D as ordinals, which of them are complete, and how sightings count on them."""

    def __init__(
        self, day: date, statuses: Iterable[DayEntry], router: str, ageing_days: int, weak_evidence: WeakEvidence
    ) -> None:
        self.day = day
        self.weak_evidence = weak_evidence
        self.ageing_days = ageing_days
        known = {s.day.toordinal() for s in statuses if s.router == router and s.complete and s.day <= day}
        self._complete = sorted(known)
        self.last_alive = cache(self._last_alive)

    def complete_days(self, after: date) -> int:
        """Complete days in (after, D]."""
        return len(self._complete) - bisect_right(self._complete, after.toordinal())

    def _last_alive(self, seen: date) -> date:
        """The last day, D at most, on which a pair seen on that day and never again is not aged out."""
        first_too_old = bisect_right(self._complete, seen.toordinal()) + self.ageing_days
        if first_too_old >= len(self._complete):
            return self.day
        return date.fromordinal(self._complete[first_too_old] - 1)


def _rule_or_departure(known: _Known, calendar: _Calendar, active: ExclusionIndex) -> Rule | Departure | None:
    """The pair's rule, or its departure; None for a pin that never held."""
    span = _last_life(known, calendar)
    if span is None:
        return _of_weak_evidence(known, calendar, active) if known.passed_over else None
    since, until = span
    life = _pair_life(known.pair, known.seen or known.passed_over, calendar, since)
    holding = [pin for pin in known.pins if pin.active_on(calendar.day)]
    excluded = _excluded(life, active, is_pinned=bool(holding))
    if until == calendar.day:
        return excluded or _rule(life, _why(life, holding, calendar.ageing_days), is_pinned=bool(holding))
    absent_since = until + timedelta(days=1)
    gone = Departure(life, "aged_out" if known.seen else "pin_ended", absent_since, _gone_reason(life, known, until))
    if excluded is None and (_waits(known, calendar) or (known.passed_over and not known.seen)):
        return _of_weak_evidence(known, calendar, active)
    if excluded is None:
        return gone
    return replace(
        excluded, absent_since=min(excluded.absent_since, absent_since), reason=f"{excluded.reason}; {gone.reason}"
    )


def _last_life(known: _Known, calendar: _Calendar) -> tuple[date, date] | None:
    """First and last day (D at most) of the pair's latest life."""
    runs = [(pair_day.day, calendar.last_alive(pair_day.day)) for pair_day in known.seen]
    for pin in known.pins:
        ends = [calendar.day, pin.expires_day or calendar.day]
        if pin.withdrawn_day is not None:
            ends.append(pin.withdrawn_day - timedelta(days=1))
        if pin.from_day <= min(ends):
            runs.append((pin.from_day, min(ends)))
    life: tuple[date, date] | None = None
    for start, end in sorted(runs):
        life = (life[0], max(life[1], end)) if life is not None and start <= life[1] + _ONE_DAY else (start, end)
    return life


def _by_evidence(seen: Iterable[PairDay], calendar: _Calendar) -> tuple[list[PairDay], list[PairDay]]:
    """The days that count, and those of weak evidence that do not, both in order."""
    ordered = sorted(seen, key=lambda pair_day: pair_day.day)
    if not any(pair_day.is_weak or pair_day.is_implausible for pair_day in ordered):
        return ordered, []
    counting: list[PairDay] = []
    passed_over: list[PairDay] = []
    young_until: date | None = None
    for day, group in groupby(ordered, key=lambda pair_day: pair_day.day):
        sightings = list(group)
        believed = [pair_day for pair_day in sightings if not pair_day.is_implausible]
        if not believed:
            if counting and day <= calendar.last_alive(counting[-1].day):
                counting += sightings
                young_until = calendar.last_alive(day)
            continue
        is_firm = calendar.weak_evidence == "accept" or not all(pair_day.is_weak for pair_day in believed)
        is_second = young_until is not None and day <= young_until
        counts = is_firm or (is_second and calendar.weak_evidence == "second_sighting")
        (counting if counts else passed_over).extend(believed)
        young_until = calendar.last_alive(day)
    return counting, passed_over


def _waits(known: _Known, calendar: _Calendar) -> bool:
    """Whether weak evidence is the latest that is known of a pair, and a second sighting would still count."""
    if not known.passed_over or calendar.weak_evidence != "second_sighting":
        return False
    last = known.passed_over[-1].day
    return calendar.last_alive(last) == calendar.day and all(pair_day.day < last for pair_day in known.seen)


def _of_weak_evidence(known: _Known, calendar: _Calendar, active: ExclusionIndex) -> Departure:
    """A pair whose latest evidence is weak, and not enough of it."""
    last = known.passed_over[-1]
    life = _pair_life(known.pair, known.passed_over, calendar, last.day)
    excluded = _excluded(life, active, is_pinned=False)
    if excluded is not None:
        return excluded
    weak = f"weak evidence on {last.day} ({last.peak_bytes / 1e9:.2f} GB, its error bar reaches the threshold)"
    if _waits(known, calendar):
        return Departure(life, "waiting", last.day, f"{weak}: waits for a second sighting on another day")
    why = "which the settings ignore" if calendar.weak_evidence == "ignore" else "and not seen again in time"
    return Departure(life, "weak_evidence", last.day, f"{weak}, {why}")


def _pair_life(pair: PrefixPair, seen: Sequence[PairDay], calendar: _Calendar, since: date) -> PairLife:
    days = {pair_day.day for pair_day in seen}
    last = max(days, default=None)
    age = calendar.complete_days(last) if last else 0
    recent_from = calendar.day - timedelta(days=calendar.ageing_days)
    return PairLife(
        pair=pair,
        first_seen=min(days, default=None),
        last_seen=last,
        since=since,
        days_seen=len(days),
        flows=sum(pair_day.flows for pair_day in seen),
        alpha_bytes=sum(pair_day.bytes for pair_day in seen),
        recent_bytes=sum(pair_day.bytes for pair_day in seen if pair_day.day > recent_from),
        peak_bytes=max((pair_day.peak_bytes for pair_day in seen), default=0),
        age_days=age,
        frozen_days=(calendar.day - last).days - age if last else 0,
        weak_days=len(days - {pair_day.day for pair_day in seen if not pair_day.is_weak}),
    )


def _rule(life: PairLife, why: str, *, is_pinned: bool, is_protected: bool = False) -> Rule:
    known = {each.name: getattr(life, each.name) for each in fields(PairLife)}
    return Rule(**known, why=why, pinned=is_pinned, protected=is_protected)


def _why(life: PairLife, holding: Sequence[PinEntry], ageing_days: int) -> str:
    parts = [
        f"pinned by {pin.owner}{f' until {pin.expires_day}' if pin.expires_day else ''}: {pin.reason}"
        for pin in holding
    ]
    if life.last_seen is None:
        return "; ".join([*parts, "no alpha flow was ever seen of this pair"])
    seen = f"seen on {life.last_seen}"
    if life.days_seen > 1:
        seen = f"seen on {counted(life.days_seen, 'day')}, {life.first_seen} to {life.last_seen}"
    flows = f"{counted(life.flows, 'alpha flow')}"
    parts.append(f"{seen}: {flows}, {life.alpha_bytes / 1e9:.2f} GB, at most {life.peak_bytes / 1e9:.2f} GB a window")
    if life.weak_days:
        parts.append(f"weak evidence on {counted(life.weak_days, 'day')} of these")
    if life.since != life.first_seen:
        parts.append(f"present life since {life.since}")
    left = ageing_days + 1 - life.age_days
    if not holding and left > 0 and life.age_days:
        parts.append(f"{counted(life.age_days, 'complete day')} ago, goes after {left} more without being seen")
    elif not holding and left > 0:
        parts.append(f"goes after {counted(left, 'complete day')} without being seen")
    if life.frozen_days:
        parts.append(f"ageing was frozen on {counted(life.frozen_days, 'day')} without complete data")
    return "; ".join(parts)


def _gone_reason(life: PairLife, known: _Known, until: date) -> str:
    ended = "; ".join(f"pin by {pin.owner} ended on {until}" for pin in known.pins if pin.active_on(until))
    if life.last_seen is None:
        return f"{ended}; no alpha flow was ever seen of this pair"
    reason = f"aged out: last seen {life.last_seen}, {counted(life.age_days, 'complete day')} ago"
    if life.frozen_days:
        reason += f" ({counted(life.frozen_days, 'day')} without complete data not counted)"
    return f"{reason}; {ended}" if ended else reason


def _excluded(life: PairLife, active: ExclusionIndex, *, is_pinned: bool) -> Departure | None:
    if not (hits := active.hits(life.pair)):
        return None
    reason = "; ".join(
        f"excluded by {hit.owner} until {hit.expires_day} ({hit.side} {hit.prefix}, "
        f"{'all routers' if hit.scope_router == '*' else hit.scope_router}): {hit.reason}"
        for hit in hits
    )
    if is_pinned:
        reason += "; it is pinned, too, but an exclusion wins over a pin"
    return Departure(life, "excluded", max(life.since, min(hit.from_day for hit in hits)), reason)


def _of_unknown(pair: PrefixPair, day: date, active: ExclusionIndex) -> Departure:
    """A pair in force of which the history knows nothing: it has no rule from this day on."""
    life = PairLife(pair, None, None, day, 0, 0, 0, 0, 0, 0, 0)
    unknown = Departure(life, "aged_out", day, "in force, but neither the history nor a pin knows this pair")
    return _excluded(life, active, is_pinned=False) or unknown


def _pair_of(pin: PinEntry) -> PrefixPair:
    return PrefixPair(ip_network(pin.source), ip_network(pin.destination))


def _sorted_pins(pins: Iterable[PinEntry]) -> tuple[PinEntry, ...]:
    return tuple(sorted(pins, key=lambda pin: (pin.from_day, pin.owner, pin.reason, *_ends(pin))))


def _sorted_exclusions(exclusions: Iterable[ExclusionEntry]) -> tuple[ExclusionEntry, ...]:
    return tuple(
        sorted(exclusions, key=lambda e: (*_ends(e), e.scope_router, e.side, e.prefix, e.from_day, e.owner, e.reason))
    )


def _ends(entry: PinEntry | ExclusionEntry) -> tuple[date, date]:
    return entry.expires_day or date.max, entry.withdrawn_day or date.max
