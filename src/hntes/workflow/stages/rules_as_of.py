"""The rules of a router as of a day, from the stored history; used to measure and propose, and by queries."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta

from hntes.rules.changeset.candidate import Candidate
from hntes.rules.columns import PairColumns
from hntes.rules.lifetime.evenings import Policy, exclusion_hits
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule import Departure, PairLife, Rule, RuleSet, Selection, pinned_pair
from hntes.rules.lifetime.rule_set import DayRules, Given
from hntes.rules.lifetime.stored_history import stored_history
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import changes, day_status, overrides
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry
from hntes.sql.host_totals import observation_days
from hntes.sql.session import Session, reading
from hntes.sql.set_aside import set_aside
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.protected import built_in_exclusions


@dataclass(frozen=True)
class RulesAsOf:
    """The rules of one router as of a day, those within the term budget, and the candidate in force before the day."""

    rule_set: RuleSet
    selection: Selection
    base: Candidate | None
    status: DayEntry


def rules_as_of(
    context: Context,
    router: Router,
    day: date,
    *,
    about: PairSearch | None = None,
    others: Collection[PrefixPair] = (),
    more_pins: tuple[PinEntry, ...] = (),
    more_exclusions: tuple[ExclusionEntry, ...] = (),
    without_pins_of: frozenset[PrefixPair] = frozenset(),
    with_set_aside: bool = True,
) -> RulesAsOf:
    """The rules as of a day; writes nothing except lost files of approved candidates.

    With `about` only for the selected pairs and those that overlap them, or pairs selected by `others`, on both sides;
    the rest may be left out. `more_pins` and `more_exclusions` count as if they were stored, pins of the pairs in
    `without_pins_of` as if they were not. Pairs that the day's measurement has set aside have no rule, unless
    `with_set_aside` is false.

    Raises:
        CandidateStoreError: the candidate in force is lost, on disk and in the database.
        CommandError: the day is in the future.
    """
    context.require_come(day)
    with reading(context.database) as session:
        days = observation_days(session, router.name)
        statuses = day_status.day_statuses(session, router.name, day)
        stored_pins = overrides.pins(session, router.name)
        exclusions = (*overrides.exclusions(session, router.name), *more_exclusions)
        aside = set_aside(session, router.name, day, "pair")
        before = base_hash(session, router.name, day, context.last_day)
    pins = (*(pin for pin in stored_pins if pinned_pair(pin) not in without_pins_of), *more_pins)
    base = known_candidate(context, router, before) if before else None
    status = next((entry for entry in statuses if entry.day == day), None) or _unknown_day(router.name, day)
    policy = rule_policy(context, router)
    history = stored_history(days, day, policy.lengths)
    more_pairs = (*map(pinned_pair, pins), *(base.pairs if base else ()))
    given = Given(
        router.name, day, history, [entry.day for entry in statuses if entry.complete], pins,
        (*exclusions, *_hitting(built_in_exclusions(context), history.pairs, more_pairs)),
        base.pairs if base else frozenset(), status.complete,
    )  # fmt: skip
    rules = DayRules(given, policy)
    rule_set, selection = rules.evaluated(None if about is None else rules.rows_about(about, others))
    if with_set_aside and aside:
        rule_set, selection = _without(rule_set, selection, {entry.subject: entry.reason for entry in aside})
    return RulesAsOf(rule_set, selection, base, status)


def _without(rule_set: RuleSet, selection: Selection, aside: Mapping[str, str]) -> tuple[RuleSet, Selection]:
    """The rules without these pairs, which have none, and why."""
    stay = tuple(rule for rule in rule_set.rules if str(rule.pair) not in aside)
    gone = tuple(
        Departure(_life(rule), "excluded", rule_set.day, f"set aside for the day: {aside[str(rule.pair)]}")
        for rule in rule_set.rules
        if str(rule.pair) in aside
    )
    left = tuple(sorted((*rule_set.left, *gone), key=lambda each: each.pair.sort_key))
    kept, left_out = (
        tuple(rule for rule in rules if str(rule.pair) not in aside) for rules in (selection.kept, selection.left_out)
    )
    return replace(rule_set, rules=stay, left=left), replace(selection, kept=kept, left_out=left_out)


def _life(rule: Rule) -> PairLife:
    return PairLife(**{each.name: getattr(rule, each.name) for each in fields(PairLife)})


def _hitting(
    exclusions: Iterable[ExclusionEntry], learned: PairColumns, more: Sequence[PrefixPair]
) -> tuple[ExclusionEntry, ...]:
    """Those of these exclusions that match a pair."""
    others = PairColumns.of(more)
    return tuple(
        each for each in exclusions if exclusion_hits(learned, each).any() or exclusion_hits(others, each).any()
    )


def rule_policy(context: Context, router: Router) -> Policy:
    """The settings that determine a router's rules from its history."""
    chosen = context.settings.detection
    ipv4, ipv6 = chosen.ipv4_prefix_length, chosen.ipv6_prefix_length
    lengths = PrefixLengths((ipv4, ipv4), (ipv6, ipv6))
    return Policy(lengths, context.settings.ageing.days, chosen.weak_evidence, router.term_budget)


def base_hash(session: Session, router: str, day: date, last_day: date) -> str | None:
    """The configuration in force before that day: the latest change approved for an earlier one.

    One approved for a future day, as earlier versions allowed, counts as before every day until another is approved.
    """
    now = changes.in_force(session, router)
    if now is not None and now.day > last_day:
        return now.candidate_hash
    approved = changes.approved_before(session, router, day)
    return approved.candidate_hash if approved else None


def _unknown_day(router: str, day: date) -> DayEntry:
    expected_s = int(timedelta(days=1).total_seconds())
    return DayEntry(router, day, expected_s, 0, 0, 0, 0, False, "the day's flows were never processed")
