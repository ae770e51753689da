"""Metrics for monitoring: the state of every router in Prometheus text format.

Everything is read from the database, so the numbers survive a restart and do not depend on the caller. Moments are
given as Unix time in seconds, as Prometheus asks for; an alert compares them with its own clock.
Source: Prometheus, "Exposition formats", text format 0.0.4, and "Metric and label naming".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from hntes import clock
from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.losses import ALL_LOSSES
from hntes.etl.ingest.exporter_baseline import SAMPLING_LOWERED
from hntes.files import write_changed_text
from hntes.settings.model import Router
from hntes.sql import audit, changes, counter_hours, counter_readings, day_status, interface_loads, ledger, observations
from hntes.sql.change import Change, InForceEntry
from hntes.sql.counter_hours import CounterDay, flow_ratio
from hntes.sql.entries import CRITERIA, DayEntry, DayLoss, GateVerdictEntry, LoadDayEntry, OutcomeCount
from hntes.sql.holds import hold_of
from hntes.sql.observations import DaySums
from hntes.sql.session import Session, reading
from hntes.sql.verdicts import verdicts
from hntes.workflow.audit_anchor import Anchor
from hntes.workflow.context import Context
from hntes.workflow.delivery.drift_known import KnownDrift, drifts_of
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.alpha_senders import AlphaSenders, senders_of
from hntes.workflow.reservations.quota_approvals import undecided_of
from hntes.workflow.reservations.reservation_status import late_reservations
from hntes.workflow.review.status import RouterProgress, progress_of

__all__ = ["DaySums", "RouterState", "audit_head", "exposition", "router_states", "write_exposition"]

NO_SENDERS: Mapping[str, AlphaSenders] = MappingProxyType({})


@dataclass(frozen=True)
class RouterState:
    """The metrics of one router. `newest` is the newest processed day, None before the first night;
    `verdicts` are the gate's on the candidate of the newest change, `doubted` counts the records of the newest
    day's files that were set aside, by reason, or counted by a smaller sampling factor than was named; `loads` is what
    was measured of that day, empty if nothing was; `story` says what is delivered; `holds` are the days until which
    changes that wait are held; `drift` is how the router was last seen, None if HNTES does not reach it;
    `never_matched` are counters of rules that no packet was seen to match, None if they were never read; `late` counts
    reservations that are due on it and not there, `scheduled_waiting` scheduled changes on approved rules that wait for
    approval; None without reservations. `counted` are the octets of that day by interface counters,
    empty without a source.
    """

    router: str
    newest: DayEntry | None
    alpha: DaySums
    change_sets: tuple[Change, ...]
    in_force: InForceEntry | None
    verdicts: tuple[GateVerdictEntry, ...]
    doubted: tuple[OutcomeCount, ...] = ()
    losses: tuple[DayLoss, ...] = ()
    loads: tuple[LoadDayEntry, ...] = ()
    progress: RouterProgress | None = None
    holds: tuple[date, ...] = ()
    drift: KnownDrift | None = None
    never_matched: int | None = None
    late: int | None = None
    scheduled_waiting: int | None = None
    counted: tuple[CounterDay, ...] = ()


def router_states(context: Context, routers: Sequence[Router]) -> tuple[RouterState, ...]:
    """The state of these routers, from one snapshot."""
    states = []
    with reading(context.database) as session:
        counters = counter_readings.counters_in_use(session)
        for router in routers:
            known = day_status.day_statuses(session, router.name, date.max)
            newest = known[-1] if known else None
            found = observations.day_sums(session, router.name, newest.day) if newest else DaySums(0, 0, 0)
            sets = changes.nightly_changes(session, router.name)
            judged = verdicts(session, router.name, sets[-1].candidate_hash) if sets else ()
            doubted = _doubted(session, router, newest.day) if newest else ()
            losses = day_status.day_losses(session, router.name, newest.day, newest.day) if newest else ()
            loads = interface_loads.load_days(session, router.name, newest.day, newest.day) if newest else ()
            counted = counter_hours.counter_days(session, router.name, newest.day, newest.day) if newest else ()
            held = _holds(session, sets)
            in_force = changes.in_force(session, router.name)
            progress = progress_of(session, router.name)
            drift = drifts_of(session, [router.name])[0] if router.is_reached else None
            unused = counters[router.name].never_matched if router.name in counters else None
            states.append(
                RouterState(
                    router.name,
                    newest,
                    found,
                    sets,
                    in_force,
                    judged,
                    doubted,
                    losses,
                    loads,
                    progress,
                    held,
                    drift,
                    unused,
                    counted=counted,
                )
            )
    return tuple(_with_reservations(context, state) for state in states)


_HEAD_HELP = "Number of the newest event of the audit log, with its hash: the log must have that event for good."


def _with_reservations(context: Context, state: RouterState) -> RouterState:
    """None if unknown, as when a reserved port is no longer in the settings."""
    if context.settings.reservations is None:
        return state
    router = context.settings.router(state.router)
    waiting = len(undecided_of(context, router))
    try:
        return replace(state, late=len(late_reservations(context, router)), scheduled_waiting=waiting)
    except CommandError:
        return replace(state, scheduled_waiting=waiting)


def _holds(session: Session, sets: Sequence[Change]) -> tuple[date, ...]:
    found = (hold_of(session, each, clock.today()) for each in sets)
    return tuple(each.until_day for each in found if each)


def _doubted(session: Session, router: Router, day: date) -> tuple[OutcomeCount, ...]:
    counts = ledger.counts_of_folder(session, str(router.flow_folder), *day_bounds_ms(day))
    reported = (_ASIDE, SAMPLING_LOWERED)
    return tuple(count for count in counts if count.router == router.name and count.outcome.startswith(reported))


def alpha_senders(context: Context, states: Iterable[RouterState]) -> dict[str, AlphaSenders]:
    """The senders of alpha flows up to each router's newest day, by router; reads all observations of those days."""
    return {state.router: senders_of(context, state.router, state.newest.day) for state in states if state.newest}


def audit_head(context: Context) -> Anchor | None:
    """Number and hash of the newest event of the audit log; None before the first."""
    with reading(context.database) as session:
        head = audit.head(session)
    return None if head is None else Anchor(head.number, head.hash)


def exposition(
    states: Iterable[RouterState], senders: Mapping[str, AlphaSenders] = NO_SENDERS, head: Anchor | None = None
) -> str:
    """These states in the Prometheus text format; an unknown value has no sample, never a zero.

    `head` is the newest event of the audit log: what a monitor has stored of it shows a history that was rewritten.
    """
    registry = CollectorRegistry()
    if head is not None:
        Gauge("hntes_audit_event_number", _HEAD_HELP, ["hash"], registry=registry).labels(head.hash).set(head.number)
    gauges = {
        name: Gauge(f"hntes_{name}", help_text, ["router"], registry=registry) for name, help_text in _METRICS.items()
    }
    gate = Gauge("hntes_gate_criterion_passed", _GATE_HELP, ["router", "criterion"], registry=registry)
    aside = Gauge("hntes_day_set_aside_records", _ASIDE_HELP, ["router", "reason"], registry=registry)
    for state in states:
        for count in state.doubted:
            if count.outcome.startswith(_ASIDE):
                aside.labels(state.router, count.outcome.removeprefix(_ASIDE)).set(count.records)
        for name, value in _all_values(state, senders.get(state.router)).items():
            gauges[name].labels(state.router).set(value)
        for criterion in CRITERIA if state.verdicts else ():
            found = [verdict.is_passing for verdict in state.verdicts if verdict.criterion == criterion]
            gate.labels(state.router, criterion).set(bool(found) and all(found))
    return generate_latest(registry).decode()


def write_exposition(path: Path, text: str) -> None:
    """Writes the text to a file atomically and updates the file's time.

    The collector reports the age of the file: an unchanged state must not look like a dead cron job.
    """
    write_changed_text(path, text)
    path.touch()


_METRICS = {
    "newest_day_timestamp_seconds": "Start (UTC) of the newest day whose flows were looked at.",
    "day_complete": "1 when flow files cover that day, 0 when ageing is paused.",
    "day_coverage_ratio": "Share of that day covered by flow files.",
    "day_seen_ratio": "Share of that day covered by flow files, without the share of lost records in each.",
    "day_flow_to_counter_ratio": "Octets of that day's flow records by those of interface counters, where metered.",
    "day_flow_records": "Flow records of that day.",
    "day_quarantined_files": "Flow files of that day that could not be read.",
    "day_lowered_records": "Flow records of that day counted by a smaller sampling factor than announced.",
    "day_alpha_flows": "Alpha flows found on that day.",
    "day_implausible_alpha_flows": "Alpha flows of that day above a port's rate or its counters.",
    "day_implausible_minutes": "Minutes of that day in which a port would have exceeded its rate.",
    "day_alpha_bytes": "Bytes of that day's alpha flows, sampling resolved.",
    "change_pending": "1 while a change is pending and not held.",
    "change_expires_timestamp_seconds": "When the pending change can no longer be approved.",
    "change_held_until_timestamp_seconds": "Start (UTC) of the day until which a pending change is held.",
    "approved_is_delivered": "1 when the configuration last approved was reported as loaded on the router.",
    "approved_is_confirmed": "1 when the router was reported to run the configuration last approved.",
    "router_drifted": "1 when the last check found another configuration than the delivered one.",
    "router_changed": "1 when the last check found a manual change, 0 when equal or behind.",
    "router_asked_timestamp_seconds": "When drift was last checked, to the day.",
    "counters_never_matched": "Counters of rules that no packet matched in any recorded reading.",
    "reservations_late": "Reservations that are due on the router and were not reported there.",
    "reservation_texts_waiting": "Scheduled changes on approved rules that wait for approval.",
    "in_force_pairs": "Prefix pairs of the configuration last approved.",
    "in_force_day_timestamp_seconds": "Start (UTC) of the day after which the configuration in force was proposed.",
    "alpha_senders": "Hosts that sent alpha flows in the 30 days up to the newest day, as far as their ToS is known.",
    "alpha_senders_with_ecn": "Of these hosts, those with a flow record that shows ECN (RFC 3168); no fewer have it.",
    "alpha_ecn_bytes_ratio": "Share of the bytes of these hosts' alpha flows that were in flows with such a record.",
}

_ASIDE = "set_aside:"
_ASIDE_HELP = "Flow records in the files of that day that were set aside, by reason."
_GATE_HELP = "1 when the newest change's candidate passed the gate's criterion, 0 when it failed or was not judged."


def _all_values(state: RouterState, senders: AlphaSenders | None) -> dict[str, float]:
    ratio = flow_ratio(state.counted)
    counted = {} if ratio is None else {"day_flow_to_counter_ratio": ratio}
    return _values(state) | counted | _sender_values(senders)


def _values(state: RouterState) -> dict[str, float]:
    values: dict[str, float] = {}
    if state.newest:
        day = state.newest
        values |= {
            "newest_day_timestamp_seconds": _start_s(day.day),
            "day_complete": day.complete,
            "day_coverage_ratio": day.covered_s / day.expected_s,
            "day_seen_ratio": _seen_s(state.losses, day) / day.expected_s,
            "day_flow_records": day.records,
            "day_quarantined_files": day.quarantined_files,
            "day_alpha_flows": day.unlisted_flows + state.alpha.flows,
            "day_lowered_records": sum(one.records for one in state.doubted if one.outcome == SAMPLING_LOWERED),
            "day_implausible_alpha_flows": day.unlisted_flows + state.alpha.implausible_flows,
            "day_implausible_minutes": sum(load.implausible_minutes for load in state.loads),
            "day_alpha_bytes": state.alpha.flow_bytes,
        }
    waiting = [change for change in state.change_sets if change.state == "pending"]
    values["change_pending"] = len(waiting) - len(state.holds)
    if state.holds:
        values["change_held_until_timestamp_seconds"] = _start_s(max(state.holds))
    if waiting:
        values["change_expires_timestamp_seconds"] = max(change.expires_ms or 0 for change in waiting) / 1000
    if state.in_force:
        values["in_force_day_timestamp_seconds"] = _start_s(state.in_force.day)
        approved = next(change for change in state.change_sets if change.day == state.in_force.day)
        values["in_force_pairs"] = approved.pairs_kept + approved.pairs_added
    if state.drift and state.drift.asked_ms is not None:
        values["router_drifted"] = state.drift.state != "equal"
        values["router_changed"] = state.drift.state == "changed"
        values["router_asked_timestamp_seconds"] = state.drift.asked_ms / 1000
    if state.never_matched is not None:
        values["counters_never_matched"] = state.never_matched
    if state.late is not None:
        values["reservations_late"] = state.late
    if state.scheduled_waiting is not None:
        values["reservation_texts_waiting"] = state.scheduled_waiting
    if state.in_force and state.progress:
        values["approved_is_delivered"] = state.progress.is_delivered
        values["approved_is_confirmed"] = state.progress.is_confirmed
    return values


def _seen_s(losses: Iterable[DayLoss], day: DayEntry) -> int:
    return next((loss.seen_s for loss in losses if loss.cause == ALL_LOSSES), day.covered_s)


def _sender_values(senders: AlphaSenders | None) -> dict[str, float]:
    if senders is None or senders.ecn_bytes_share is None:
        return {}
    return {
        "alpha_senders": senders.known,
        "alpha_senders_with_ecn": senders.with_ecn,
        "alpha_ecn_bytes_ratio": senders.ecn_bytes_share,
    }


def _start_s(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
