"""The stage measure: the traffic that left each interface of a router on a day."""

from datetime import date

from hntes.etl.measure.interface_load import measure_day
from hntes.settings.model import Router
from hntes.sql import interface_loads
from hntes.sql.entries import LoadDayEntry
from hntes.sql.session import transaction
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.day_flows import lake_parts, rates_bps
from hntes.workflow.stages.rules_as_of import rules_as_of

__all__ = ["LoadDayEntry", "measure"]


def _outcome(measured: LoadDayEntry) -> str:
    return "measured" if measured.minutes else "no_flows"


@stage(_outcome)
def measure(context: Context, router: Router, day: date) -> LoadDayEntry:
    """Measures the traffic that left each interface on that day, and replaces earlier measurements of the day.

    Beta is the traffic of neither the pairs in force nor the pairs learned that day. A pair's first day counts as
    alpha, since the rules that the share is advised for will treat it so.
    """
    pairs = [(rule.pair.source, rule.pair.destination) for rule in rules_as_of(context, router, day).selection.kept]
    parts = lake_parts(context, router, day)
    measured, found = measure_day(
        context.analytics, context.lake, parts, router.name, day, pairs,
        rates_bps=rates_bps(router), sum_exporters=router.sum_exporters,
    )  # fmt: skip
    with transaction(context.database) as session:
        interface_loads.replace_load(session, measured, found)
    return measured
