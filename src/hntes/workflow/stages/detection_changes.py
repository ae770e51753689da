"""Observations found by another detection rule than that of the settings; they are not recomputed automatically."""

from datetime import date, timedelta

from hntes.format import counted
from hntes.settings.model import Router
from hntes.sql import day_status, observations
from hntes.sql.entries import DayEntry
from hntes.sql.observations import RuleCount
from hntes.sql.session import reading
from hntes.workflow.context import Context


def other_rule_notes(context: Context, router: Router, day: date) -> tuple[str, ...]:
    """One sentence if alpha flows that still keep pairs alive were found by another rule; else empty.

    Days on which a rule found nothing leave no trace, so the effect of a lower threshold on them is unknown.
    """
    chosen = context.settings.detection
    present = (chosen.threshold_bytes, chosen.window_s, chosen.rule, chosen.flow_key)
    with reading(context.database) as session:
        statuses = day_status.day_statuses(session, router.name, day)
        from_day = _first_young_day(statuses, context.settings.ageing.days)
        others = observations.rule_counts(session, router.name, from_day, day, other_than=present)
    if not others:
        return ()
    flows = counted(sum(one.flows for one in others), "alpha flow")
    first, last = min(one.first_day for one in others), max(one.last_day for one in others)
    rules = ", ".join(sorted({_words(one) for one in others}))
    note = (
        f"{flows} of {first} to {last} were found by another rule than the settings' ({rules}) and count as they are; "
        f"to detect these days again: hntes data backfill --from {first} --to {last} --router {router.name}"
    )
    return (note,)


def _first_young_day(statuses: tuple[DayEntry, ...], ageing_days: int) -> date:
    """The first day within the ageing interval, not counting frozen days."""
    complete = [status.day for status in statuses if status.complete]
    return complete[-ageing_days - 1] if len(complete) > ageing_days else date.min + timedelta(days=1)


def _words(one: RuleCount) -> str:
    return f"{one.threshold_bytes} bytes in {one.window_s} s by {one.rule} and {one.flow_key}"
