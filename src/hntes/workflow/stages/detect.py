"""The stage detect: finds the alpha flows of a router's day and whether its data is complete."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from ipaddress import ip_address

from sqlalchemy import Engine

from hntes.etl.addresses import halves
from hntes.etl.counters.day import hour_rows
from hntes.etl.detect.alpha import alpha_flows
from hntes.etl.detect.completeness import DayRules, settle_day
from hntes.etl.detect.counter_losses import counter_losses
from hntes.etl.detect.flood import GivenHosts, Hosts
from hntes.etl.detect.losses import Sums, port_losses
from hntes.settings.model import Router
from hntes.sql import counter_hours, day_status, ledger, observations
from hntes.sql.entries import DayEntry, DayLoss, ObservationEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.announced_transfers import announced_transfers, store_announced
from hntes.workflow.stages.day_flows import lake_parts, late_note, rates_bps, rotation_s, whole_bps
from hntes.workflow.stages.interface_counters import judged_by_counters, ratio_note
from hntes.workflow.stages.loss_words import loss_notes


@dataclass(frozen=True)
class DetectionResult:
    """The alpha flows of one router's day, the day's coverage by flow files, and what was lost of their records."""

    status: DayEntry
    observations: tuple[ObservationEntry, ...]
    losses: tuple[DayLoss, ...] = ()


def _outcome(detected: DetectionResult) -> str:
    return "complete" if detected.status.complete else "incomplete"


@stage(_outcome)
def detect(context: Context, router: Router, day: date) -> DetectionResult:
    """Finds the day's alpha flows and determines whether its data is complete; stores both in one transaction."""
    context.require_come(day)
    parts = lake_parts(context, router, day)
    rule = context.detection_rule(router)
    known = _KnownHosts(context.database, router.name)
    rules = _day_rules(context, router)
    judged = judged_by_counters(context, router, day, parts, rules)
    judge = judged.judge
    found = context.analytics.of_day(
        alpha_flows, context.lake, parts, router.name, day, rule, rates_bps(router), known, judge,
        whole_bps(router),
    )  # fmt: skip
    announced = announced_transfers(context, router, day, found.observations)
    with transaction(context.database) as session:
        settled = settle_day(session, router.name, router.flow_folder, day, rules)
        whole = Sums()
        for part in ledger.parts_of_day(session, router.name, day, str(router.flow_folder)):
            whole.add(part.records, part.bytes)
        losses = (*settled.losses, *port_losses(found.observations, found.unlisted, whole, settled.known))
        if judge is not None:
            losses += counter_losses(judge, found.observations, settled.known)
        hours = () if judge is None else tuple(hour_rows(router.name, day, judge))
        late = late_note(context, router, found.longest_record_ms)
        notes = (*found.notes, *judged.notes, ratio_note(hours), *announced.notes, late)
        status = replace(_with_words(settled.status, losses, notes), unlisted_flows=found.unlisted_flows)
        observations.replace_day(session, router.name, day, announced.observations)
        day_status.replace_day_status(session, status, losses)
        counter_hours.replace_hours(session, router.name, day, hours)
        store_announced(session, router, day, announced)
    return DetectionResult(status, announced.observations, losses)


def _with_words(status: DayEntry, losses: Sequence[DayLoss], notes: Sequence[str]) -> DayEntry:
    """The status with sentences on all of it: those on which it is incomplete first."""
    gaps, others = loss_notes(losses)
    before, after = ([], [status.reason]) if status.complete or gaps else ([status.reason], [])
    reason = "; ".join(filter(None, (*before, *gaps, *after, *others, *notes)))
    return replace(status, reason=reason, complete=status.complete and not any(loss.counts for loss in losses))


@dataclass(frozen=True)
class _KnownHosts:
    """Gives the hosts of the router's believed flows, read when they are asked for."""

    database: Engine
    router: str

    def __call__(self) -> frozenset[Hosts]:
        with reading(self.database) as session:
            hosts = observations.believed_hosts(session, self.router)
        return frozenset(
            (*halves(ip_address(source)), *halves(ip_address(destination))) for source, destination in hosts
        )

    def __reduce__(self) -> tuple[type[GivenHosts], tuple[frozenset[Hosts]]]:
        """For another machine, which has no database, they are read here."""
        return GivenHosts, (self(),)


def _day_rules(context: Context, router: Router) -> DayRules:
    settings = context.settings
    return DayRules(
        settings.ageing.min_day_coverage,
        rotation_s=rotation_s(context, router),
        exporters=frozenset(map(str, router.exporters)),
        usual_records=settings.ageing.usual_exporter_records,
        accepted_losses=frozenset(router.accepted_losses),
        file_timezone=settings.ingest.file_timezone,
        max_record_delay_s=settings.ingest.max_record_delay_s,
    )
