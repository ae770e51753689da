"""The stage measure: how much traffic left each interface of a router on a day."""

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
    """Measures what left each interface on that day, and stores it in place of what was measured before.

    Beta is what the rules as of the day do not put into the alpha queue: neither pairs in force nor pairs learned that
    day. A pair's first day counts as alpha, since the queue for which the share is advised will treat it so.
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
