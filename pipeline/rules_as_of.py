"""The rules of a router as of a day, from what is stored: what measuring, proposing and questions go by."""

from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy.orm import Session

from pipeline.candidates import known_candidate
from pipeline.context import Context
from rules.change.candidate import Candidate
from rules.life.budget import Selection, within_budget
from rules.life.pair_days import pair_days
from rules.life.rule_set import RuleSet, never_remove_when_incomplete, rule_set
from settings.model import Router
from sql import change_sets, day_status, observations, overrides
from sql.entries import DayEntry, ExclusionEntry, PinEntry
from sql.session import reading


@dataclass(frozen=True)
class RulesAsOf:
    """The rules of one router as of a day, those that the term budget admits, and what was in force before the day."""

    rule_set: RuleSet
    selection: Selection
    base: Candidate | None
    status: DayEntry


def rules_as_of(
    context: Context,
    router: Router,
    day: date,
    *,
    more_pins: tuple[PinEntry, ...] = (),
    more_exclusions: tuple[ExclusionEntry, ...] = (),
) -> RulesAsOf:
    """The rules as of a day; writes nothing, but restores files of what was approved.

    `more_pins` and `more_exclusions` count as if they were stored.

    Raises:
        CandidateStoreError: the candidate in force is lost, on disk and in the database.
        CommandError: the day has not come yet.
    """
    context.require_come(day)
    chosen = context.settings.detection
    with reading(context.database) as session:
        history = observations.unsorted_totals(session, router.name, day)
        statuses = day_status.day_statuses(session, router.name, day)
        pins = overrides.pins(session, router.name)
        exclusions = overrides.exclusions(session, router.name)
        base_hash = _base_hash(session, router.name, day, context.last_day)
    base = known_candidate(context, router, base_hash) if base_hash else None
    status = next((entry for entry in statuses if entry.day == day), None) or _unknown_day(router.name, day)
    as_of = rule_set(
        pair_days(history, chosen.ipv4_prefix_length, chosen.ipv6_prefix_length),
        statuses,
        (*pins, *more_pins),
        (*exclusions, *more_exclusions),
        router=router.name,
        day=day,
        ageing_days=context.settings.ageing.days,
        weak_evidence=chosen.weak_evidence,
    )
    in_force_pairs = base.pairs if base else frozenset()
    as_of = never_remove_when_incomplete(as_of, in_force_pairs, status.complete)
    return RulesAsOf(as_of, within_budget(as_of.rules, router.term_budget, in_force_pairs), base, status)


def _base_hash(session: Session, router: str, day: date, last_day: date) -> str | None:
    """What was in force before that day: the latest change set approved for an earlier one.

    One that was approved for a day that has not come, as could be once, is before every day until another is approved.
    """
    now = change_sets.in_force(session, router)
    if now is not None and now.day > last_day:
        return now.candidate_hash
    approved = [c for c in change_sets.change_sets(session, router) if c.state == "approved" and c.day < day]
    return approved[-1].candidate_hash if approved else None


def _unknown_day(router: str, day: date) -> DayEntry:
    expected_s = int(timedelta(days=1).total_seconds())
    return DayEntry(router, day, expected_s, 0, 0, 0, 0, False, "the day's flows were never looked at")
