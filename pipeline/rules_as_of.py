"""The rules of a router as of a day, from what is stored: what measuring, proposing and questions go by."""

from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy.orm import Session

from pipeline.context import Context
from pipeline.folders import router_folder
from rules.change.candidate import Candidate, read_candidate
from rules.life.budget import Selection, within_budget
from rules.life.pair_days import pair_days
from rules.life.rule_set import RuleSet, never_remove_when_incomplete, rule_set
from settings.model import Router
from sql import change_sets, day_status, observations, overrides
from sql.entries import DayEntry
from sql.session import reading


@dataclass(frozen=True)
class RulesAsOf:
    """The rules of one router as of a day, those that the term budget admits, and what was in force before the day."""

    rule_set: RuleSet
    selection: Selection
    base: Candidate | None
    status: DayEntry


def rules_as_of(context: Context, router: Router, day: date) -> RulesAsOf:
    """The rules as of a day; writes nothing.

    Raises:
        CandidateStoreError: the candidate in force is missing on disk.
    """
    chosen = context.settings.detection
    with reading(context.database) as session:
        history = observations.daily_totals(session, router.name, day)
        statuses = day_status.day_statuses(session, router.name, day)
        pins = overrides.pins(session, router.name)
        exclusions = overrides.exclusions(session, router.name)
        base_hash = _base_hash(session, router.name, day)
    base = read_candidate(router_folder(context, router), base_hash) if base_hash else None
    status = next((entry for entry in statuses if entry.day == day), None) or _unknown_day(router.name, day)
    as_of = rule_set(
        pair_days(history, chosen.ipv4_prefix_length, chosen.ipv6_prefix_length),
        statuses,
        pins,
        exclusions,
        router=router.name,
        day=day,
        ageing_days=context.settings.ageing.days,
    )
    as_of = never_remove_when_incomplete(as_of, base.pairs if base else (), status.complete)
    return RulesAsOf(as_of, within_budget(as_of.rules, router.term_budget), base, status)


def _base_hash(session: Session, router: str, day: date) -> str | None:
    """What was in force before that day: the latest change set approved for an earlier one."""
    approved = [c for c in change_sets.change_sets(session, router) if c.state == "approved" and c.day < day]
    return approved[-1].candidate_hash if approved else None


def _unknown_day(router: str, day: date) -> DayEntry:
    expected_s = int(timedelta(days=1).total_seconds())
    return DayEntry(router, day, expected_s, 0, 0, 0, 0, False, "the day's flows were never looked at")
