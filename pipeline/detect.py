"""The stage detect: the alpha flows of a router's day are found, and whether its data is complete."""

from dataclasses import dataclass
from datetime import date

from etl.detect.alpha import detect_day
from etl.detect.completeness import settle_day
from pipeline.context import Context
from pipeline.day_flows import lake_parts
from pipeline.stage_log import stage
from settings.model import Router
from sql import day_status, observations
from sql.entries import DayEntry, ObservationEntry
from sql.session import transaction


@dataclass(frozen=True)
class Detected:
    """The alpha flows of one router's day, and how well flow files cover the day."""

    status: DayEntry
    observations: tuple[ObservationEntry, ...]


def _outcome(detected: Detected) -> str:
    return "complete" if detected.status.complete else "incomplete"


@stage(_outcome)
def detect(context: Context, router: Router, day: date) -> Detected:
    """Finds the day's alpha flows and settles whether its data is complete; stores both in one transaction."""
    parts = lake_parts(context, router, day)
    found = detect_day(context.analytics, context.lake, parts, router.name, day, context.detection_rule)
    with transaction(context.database) as session:
        status = settle_day(session, router.name, router.flow_folder, day, context.settings.ageing.min_day_coverage)
        observations.replace_day(session, router.name, day, found)
        day_status.replace_day_status(session, status)
    return Detected(status, tuple(found))
