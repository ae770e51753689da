"""The rules of a router as of a day, from the stored history; used to measure and propose, and by queries."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta

from hntes.rules.changeset.candidate import Candidate
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule import RuleSet, Selection
from hntes.rules.lifetime.rule_set import DayRules, Given
from hntes.rules.lifetime.stored_history import stored_history
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import changes, day_status, overrides
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry
from hntes.sql.host_totals import observation_days
from hntes.sql.session import Session, reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context


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
) -> RulesAsOf:
    """The rules as of a day; writes nothing except lost files of approved candidates.

    With `about` only for the selected pairs and those that overlap them, or pairs selected by `others`, on both sides;
    the rest may be left out. `more_pins` and `more_exclusions` count as if they were stored.

    Raises:
        CandidateStoreError: the candidate in force is lost, on disk and in the database.
        CommandError: the day is in the future.
    """
    context.require_come(day)
    with reading(context.database) as session:
        days = observation_days(session, router.name)
        statuses = day_status.day_statuses(session, router.name, day)
        pins = (*overrides.pins(session, router.name), *more_pins)
        exclusions = (*overrides.exclusions(session, router.name), *more_exclusions)
        base_hash = _base_hash(session, router.name, day, context.last_day)
    base = known_candidate(context, router, base_hash) if base_hash else None
    status = next((entry for entry in statuses if entry.day == day), None) or _unknown_day(router.name, day)
    policy = rule_policy(context, router)
    given = Given(
        router.name, day, stored_history(days, day, policy.lengths),
        [entry.day for entry in statuses if entry.complete], pins, exclusions,
        base.pairs if base else frozenset(), status.complete,
    )  # fmt: skip
    rules = DayRules(given, policy)
    rule_set, selection = rules.evaluated(None if about is None else rules.rows_about(about, others))
    return RulesAsOf(rule_set, selection, base, status)


def rule_policy(context: Context, router: Router) -> Policy:
    """The settings that determine a router's rules from its history."""
    chosen = context.settings.detection
    ipv4, ipv6 = chosen.ipv4_prefix_length, chosen.ipv6_prefix_length
    lengths = PrefixLengths((ipv4, ipv4), (ipv6, ipv6))
    return Policy(lengths, context.settings.ageing.days, chosen.weak_evidence, router.term_budget)


def _base_hash(session: Session, router: str, day: date, last_day: date) -> str | None:
    """The configuration in force before that day: the latest change set approved for an earlier one.

    One approved for a future day, as earlier versions allowed, counts as before every day until another is approved.
    """
    now = changes.in_force(session, router)
    if now is not None and now.day > last_day:
        return now.candidate_hash
    approved = [c for c in changes.nightly_changes(session, router) if c.state == "approved" and c.day < day]
    return approved[-1].candidate_hash if approved else None


def _unknown_day(router: str, day: date) -> DayEntry:
    expected_s = int(timedelta(days=1).total_seconds())
    return DayEntry(router, day, expected_s, 0, 0, 0, 0, False, "the day's flows were never processed")
