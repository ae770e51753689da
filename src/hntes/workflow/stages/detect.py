"""The stage detect: finds the alpha flows of a router's day and whether its data is complete."""

from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from ipaddress import ip_address

from hntes.etl.addresses import halves
from hntes.etl.detect.alpha import alpha_flows
from hntes.etl.detect.completeness import DayRules, settle_day
from hntes.etl.detect.flood import Hosts
from hntes.settings.model import Router
from hntes.sql import day_status, observations
from hntes.sql.entries import DayEntry, ObservationEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.day_flows import lake_parts, late_note, rates_bps, rotation_s


@dataclass(frozen=True)
class DetectionResult:
    """The alpha flows of one router's day, and the day's coverage by flow files."""

    status: DayEntry
    observations: tuple[ObservationEntry, ...]


def _outcome(detected: DetectionResult) -> str:
    return "complete" if detected.status.complete else "incomplete"


@stage(_outcome)
def detect(context: Context, router: Router, day: date) -> DetectionResult:
    """Finds the day's alpha flows and determines whether its data is complete; stores both in one transaction."""
    context.require_come(day)
    parts = lake_parts(context, router, day)
    rule = context.detection_rule(router)
    known = partial(_known_hosts, context, router)
    found = alpha_flows(context.analytics, context.lake, parts, router.name, day, rule, rates_bps(router), known)
    with transaction(context.database) as session:
        status = settle_day(session, router.name, router.flow_folder, day, _day_rules(context, router))
        notes = (status.reason, *found.notes, late_note(context, router, found.longest_record_ms))
        reason = "; ".join(filter(None, notes))
        status = replace(status, reason=reason, unlisted_flows=found.unlisted_flows)
        observations.replace_day(session, router.name, day, found.observations)
        day_status.replace_day_status(session, status)
    return DetectionResult(status, found.observations)


def _known_hosts(context: Context, router: Router) -> frozenset[Hosts]:
    with reading(context.database) as session:
        hosts = observations.believed_hosts(session, router.name)
    return frozenset((*halves(ip_address(source)), *halves(ip_address(destination))) for source, destination in hosts)


def _day_rules(context: Context, router: Router) -> DayRules:
    settings = context.settings
    return DayRules(
        settings.ageing.min_day_coverage,
        rotation_s(context, router),
        frozenset(map(str, router.exporters)),
        settings.ageing.usual_exporter_records,
        settings.ingest.file_timezone,
        settings.ingest.max_record_delay_s,
    )
