"""The effect of a change on the stored traffic of the days before it."""

from dataclasses import replace
from datetime import date, timedelta

from hntes.platforms.parse import ParseError
from hntes.platforms.text_pairs import queued_pairs
from hntes.rules.backtest.effect import EFFECT_DAYS, effect
from hntes.rules.backtest.effect_words import Effect, Seen
from hntes.rules.backtest.traffic import traffic_of
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import day_status, observations
from hntes.sql.reasons import ChangeEffect
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.judgement import measured_traffic


def effect_of_change(
    context: Context, router: Router, day: date, base: Candidate | None, candidate: Candidate
) -> ChangeEffect:  # fmt: skip
    """The effect of a change; if a text cannot be parsed, the reason why the effect is unknown."""
    try:
        after = queued_pairs(candidate.model, candidate.text)
        before = None if base is None else after if base.hash == candidate.hash else queued_pairs(base.model, base.text)
    except ParseError as problem:
        return ChangeEffect(problem=str(problem))
    found = past_effect(context, router, day, before, after)
    return _stored(_with_measured_beta(context, router, day, candidate, found))


def past_effect(
    context: Context, router: Router, day: date, before: frozenset[PrefixPair] | None, after: frozenset[PrefixPair]
) -> Effect:
    """The effect of a change's pairs on the alpha queue in the days that end with this one.

    Covers at most EFFECT_DAYS days, from the first one with data.
    """
    first = day - timedelta(days=EFFECT_DAYS - 1)
    with reading(context.database) as session:
        seen = observations.host_flows(session, router.name, first, day)
        first_seen = observations.first_day(session, router.name, first, day)
        statuses = day_status.day_statuses(session, router.name, day, first)
    first = min([status.day for status in statuses] + ([first_seen] if first_seen else []), default=day)
    days = (day - first).days + 1
    incomplete = days - sum(status.complete for status in statuses)
    return effect(traffic_of(seen), before, after, Seen(days, incomplete))


def _stored(found: Effect) -> ChangeEffect:
    return ChangeEffect(
        days=found.seen.days, incomplete_days=found.seen.incomplete_days, beta_day=found.seen.beta_day,
        is_first=found.is_first, alpha_bytes=found.alpha_bytes, queued_bytes_before=found.queued_bytes_before,
        queued_bytes_after=found.queued_bytes_after, flows_gained=found.flows_gained, flows_lost=found.flows_lost,
        beta_bytes_before=found.beta_bytes_before, beta_bytes_after=found.beta_bytes_after,
    )  # fmt: skip


def _with_measured_beta(context: Context, router: Router, day: date, candidate: Candidate, found: Effect) -> Effect:
    """With what the day's measured load says: the traffic of the candidate's pairs, less that of their alpha flows."""
    measured = measured_traffic(context, router, day, candidate.pairs)
    if measured is None or not found.queued_bytes_after:
        return found
    beta_bytes = max(measured.taken_bytes - measured.learned_bytes, 0)
    return replace(found, seen=replace(found.seen, beta_day=day), beta_bytes_after=beta_bytes)
