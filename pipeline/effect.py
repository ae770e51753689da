"""What a change would have meant for the traffic of the days before it, from what is stored."""

from dataclasses import replace
from datetime import date, timedelta

from pipeline.context import Context
from pipeline.judgement import measured_traffic
from rules.change.candidate import Candidate
from rules.pairs import PrefixPair
from rules.readback import ReadBackError
from rules.replay.effect import EFFECT_DAYS, Effect, Seen, effect, effect_sentence
from rules.replay.host_flows import traffic_of
from rules.replay.text_pairs import queued_pairs
from settings.model import Router
from sql import day_status, observations
from sql.session import reading


def effect_text(context: Context, router: Router, day: date, base: Candidate | None, candidate: Candidate) -> str:
    """The effect of a change in one sentence; why it is not known, where a text cannot be read back."""
    try:
        after = queued_pairs(candidate.model, candidate.text)
        before = None if base is None else after if base.hash == candidate.hash else queued_pairs(base.model, base.text)
    except ReadBackError as problem:
        return f"the effect on traffic is not known, a text cannot be read back: {problem}"
    found = past_effect(context, router, day, before, after)
    return effect_sentence(_with_measured_beta(context, router, day, candidate, found))


def past_effect(
    context: Context, router: Router, day: date, before: frozenset[PrefixPair] | None, after: frozenset[PrefixPair]
) -> Effect:
    """What the pairs before and after a change would have put into the alpha queue in the days that end with this one.

    The days begin with the first that was looked at, EFFECT_DAYS back at most.
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


def _with_measured_beta(context: Context, router: Router, day: date, candidate: Candidate, found: Effect) -> Effect:
    """With what the day's measured load says: the traffic of the candidate's pairs, less that of their alpha flows."""
    measured = measured_traffic(context, router, day, candidate)
    if measured is None or not found.queued_bytes_after:
        return found
    beside = max(measured.taken_bytes - measured.learned_bytes, 0)
    return replace(found, seen=replace(found.seen, beta_day=day), beta_bytes_after=beside)
