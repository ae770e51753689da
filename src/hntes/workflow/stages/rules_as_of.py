"""The rules of a router as of a day, from what is stored: what measuring, proposing and questions go by."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from heapq import merge

from sqlalchemy.orm import Session

from hntes.rules.changeset.candidate import Candidate
from hntes.rules.lifetime.budget import Selection, within_budget_beside
from hntes.rules.lifetime.by_history import RulesByHistory
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule_set import Departure, Rule, RuleSet, never_remove_when_incomplete, rule_set
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import changes, day_status, overrides
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.stages.history_rules import history_of, history_rules, whole_history

# So many pairs that pins and exclusions touch are looked up one by one; for more, the whole history is read.
FEW = 200


@dataclass(frozen=True)
class RulesAsOf:
    """The rules of one router as of a day, those that the term budget admits, and what was in force before the day."""

    rule_set: RuleSet
    selection: Selection
    base: Candidate | None
    status: DayEntry


@dataclass(frozen=True)
class _Given:
    """What the rules as of a day follow from. `pins` and `exclusions` are all known ones, `active` those that hold."""

    day: date
    statuses: tuple[DayEntry, ...]
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]
    history: RulesByHistory
    base: Candidate | None
    status: DayEntry

    @property
    def in_force_pairs(self) -> frozenset[PrefixPair]:
        return self.base.pairs if self.base else frozenset()

    @cached_property
    def pinned_pairs(self) -> frozenset[PrefixPair]:
        """The pairs whose outcome a pin may have changed."""
        pins = [pin for pin in self.pins if pin.router == self.history.router and pin.from_day <= self.day]
        return frozenset(PrefixPair.parse(f"{pin.source}>{pin.destination}") for pin in pins)

    @cached_property
    def active(self) -> tuple[ExclusionEntry, ...]:
        return tuple(e for e in self.exclusions if e.covers(self.history.router) and e.active_on(self.day))

    @cached_property
    def excluded(self) -> frozenset[int]:
        """The places in the history that an exclusion hits."""
        return frozenset(self.history.hit_by(self.active))


def rules_as_of(
    context: Context,
    router: Router,
    day: date,
    *,
    about: PairSearch | None = None,
    more_pins: tuple[PinEntry, ...] = (),
    more_exclusions: tuple[ExclusionEntry, ...] = (),
) -> RulesAsOf:
    """The rules as of a day; writes nothing, but restores files of what was approved.

    With `about` only of the pairs that are meant and those that overlap one of them on both sides; others may be left
    out. `more_pins` and `more_exclusions` count as if they were stored.

    Raises:
        CandidateStoreError: the candidate in force is lost, on disk and in the database.
        CommandError: the day has not come yet.
    """
    context.require_come(day)
    with reading(context.database) as session:
        given = _given(context, session, router, day, more_pins, more_exclusions)
        places = set(range(len(given.history))) if about is None else _meant(given, about)
        found = _with_entries(context, session, router, given, places)
    in_force_pairs, complete = given.in_force_pairs, given.status.complete
    in_force = {place for pair in in_force_pairs if (place := given.history.place(pair)) is not None}
    known = {rule.pair for rule in found.rules} | {gone.pair for gone in found.left}
    looked_at = [pair for pair in in_force_pairs if pair in known or given.history.place(pair) is None]
    as_of = never_remove_when_incomplete(found, looked_at, complete)
    asked = places | given.excluded | {given.history.place(pair) for pair in given.pinned_pairs}
    unasked = [place for place in range(len(given.history)) if place not in asked]
    selection = within_budget_beside(
        as_of.rules,
        given.history.standings(unasked, in_force, complete),
        lambda place: given.history.pair(place).sort_key,
        router.term_budget,
        in_force_pairs,
    )
    return RulesAsOf(as_of, selection, given.base, given.status)


def _given(
    context: Context,
    session: Session,
    router: Router,
    day: date,
    more_pins: tuple[PinEntry, ...],
    more_exclusions: tuple[ExclusionEntry, ...],
) -> _Given:
    statuses = day_status.day_statuses(session, router.name, day)
    base_hash = _base_hash(session, router.name, day, context.last_day)
    return _Given(
        day,
        statuses,
        (*overrides.pins(session, router.name), *more_pins),
        (*overrides.exclusions(session, router.name), *more_exclusions),
        history_rules(context, session, router, day, statuses),
        known_candidate(context, router, base_hash) if base_hash else None,
        next((entry for entry in statuses if entry.day == day), None) or _unknown_day(router.name, day),
    )


def _meant(given: _Given, about: PairSearch) -> set[int]:
    """The places in the history of the pairs that are meant, and of those that overlap pairs from elsewhere."""
    history = given.history
    if about.either:
        places = history.overlapping(about.source, None) | history.overlapping(None, about.source)
    else:
        places = history.overlapping(about.source, about.destination)
    for pair in given.in_force_pairs | given.pinned_pairs:
        if about.finds(pair) and history.place(pair) is None:
            places |= history.overlapping(pair.source, pair.destination)
    return places


def _with_entries(context: Context, session: Session, router: Router, given: _Given, places: set[int]) -> RuleSet:
    """The rule set of these places and of all pinned pairs, with pins and exclusions: the pairs that they touch are
    looked up anew."""
    history, day = given.history, given.day
    touched = given.pinned_pairs | {history.pair(place) for place in places & given.excluded}
    few = len(touched) <= FEW
    seen = history_of(context, session, router, day, touched) if few else whole_history(context, session, router, day)
    anew = rule_set(
        [each for each in seen if each.pair in touched], given.statuses, given.pins, given.exclusions,
        router=router.name, day=day, ageing_days=history.ageing_days,
        weak_evidence=context.settings.detection.weak_evidence,
    )  # fmt: skip
    rest = places - given.excluded - {history.place(pair) for pair in given.pinned_pairs}
    outcomes = list(history.outcomes(sorted(rest)))
    rules = [one for one in outcomes if isinstance(one, Rule)]
    left = [one for one in outcomes if isinstance(one, Departure)]
    return replace(
        anew,
        rules=tuple(merge(anew.rules, rules, key=lambda rule: rule.pair.sort_key)),
        left=tuple(merge(anew.left, left, key=lambda gone: gone.pair.sort_key)),
    )


def _base_hash(session: Session, router: str, day: date, last_day: date) -> str | None:
    """What was in force before that day: the latest change set approved for an earlier one.

    One that was approved for a day that has not come, as could be once, is before every day until another is approved.
    """
    now = changes.in_force(session, router)
    if now is not None and now.day > last_day:
        return now.candidate_hash
    approved = [c for c in changes.nightly_changes(session, router) if c.state == "approved" and c.day < day]
    return approved[-1].candidate_hash if approved else None


def _unknown_day(router: str, day: date) -> DayEntry:
    expected_s = int(timedelta(days=1).total_seconds())
    return DayEntry(router, day, expected_s, 0, 0, 0, 0, False, "the day's flows were never looked at")
