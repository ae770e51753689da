"""The stage measure: the traffic that left each interface of a router on a day."""

from collections.abc import Sequence
from datetime import date

from hntes.etl.measure.interface_load import measure_day
from hntes.rules.lifetime.rule import Rule
from hntes.settings.model import Router
from hntes.sql import interface_loads
from hntes.sql.entries import LoadDayEntry
from hntes.sql.session import reading, transaction
from hntes.sql.set_aside import SetAsideEntry, replace_pairs, set_aside
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.day_flows import lake_parts, rates_bps
from hntes.workflow.stages.far_pairs import far_pairs
from hntes.workflow.stages.rules_as_of import rules_as_of

__all__ = ["LoadDayEntry", "measure"]


def _outcome(measured: LoadDayEntry) -> str:
    return "measured" if measured.minutes else "no_flows"


@stage(_outcome)
def measure(context: Context, router: Router, day: date) -> LoadDayEntry:
    """Measures the traffic that left each interface on that day, and replaces earlier measurements of the day.

    Beta is the traffic of neither the pairs in force nor the pairs learned that day. A pair's first day counts as
    alpha, since the rules that the share is advised for will treat it so. Pairs that take too much ordinary traffic are
    set aside first (far_pairs.py).
    """
    parts = lake_parts(context, router, day)
    rules = rules_as_of(context, router, day, with_set_aside=False).selection.kept
    measured = _measured(context, router, day, parts, rules, ())
    far = far_pairs(context, router, day, rules, parts)
    if not far:
        return measured
    named = {entry.subject for entry in far}
    return _measured(context, router, day, parts, [rule for rule in rules if str(rule.pair) not in named], far)


def _measured(
    context: Context, router: Router, day: date, parts: Sequence[str], rules: Sequence[Rule],
    far: Sequence[SetAsideEntry],
) -> LoadDayEntry:  # fmt: skip
    """Measures beside these rules; stores the load, and the pairs that are set aside."""
    with reading(context.database) as session:
        minutes = [each.subject.split() for each in set_aside(session, router.name, day, "minute")]
    measured, found = context.analytics.of_day(
        measure_day, context.lake, parts, router.name, day,
        [(rule.pair.source, rule.pair.destination) for rule in rules],
        rates_bps=rates_bps(router), sum_exporters=router.sum_exporters,
        set_aside=[(int(index), int(minute)) for index, minute in minutes],
    )  # fmt: skip
    with transaction(context.database) as session:
        interface_loads.replace_load(session, measured, found)
        replace_pairs(session, router.name, day, far)
    return measured
