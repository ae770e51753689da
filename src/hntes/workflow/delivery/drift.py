"""Drift: the running configuration of a router compared with the delivered one (equal, behind or changed)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hntes import clock
from hntes.delivery.access import opener
from hntes.delivery.timer import MonotonicTimer
from hntes.delivery.verify import EffectError, check_effect
from hntes.etl.days import day_of_ms
from hntes.platforms.device import Device, held
from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig
from hntes.rules.changeset.candidate import Candidate
from hntes.settings.flowspec import FlowSpec
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.deliveries import REMOVAL, REPORTS, standing
from hntes.sql.entries import AuditEventEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.flowspec_delivery import announced_difference
from hntes.workflow.delivery.removal_log import record_removals
from hntes.workflow.delivery.unfinished import push_lock
from hntes.workflow.stage_log import stage

DriftState = Literal["equal", "behind", "changed"]
# The number of earlier texts that are compared: a router may have been rolled back to one of them.
_EARLIER = 10
# The maximum number of missing or unexpected FlowSpec rules that are shown.
STATEMENTS = 20


@dataclass(frozen=True)
class Drift:
    """The drift of one router.

    `delivered` is the hash of the last delivery, None for nothing. "behind": the router holds an earlier text, or
    nothing. "changed": it holds something else, or a statement of its own overrides one of the text; `statements` lists
    `-` missing and `+` unexpected statements, or after `!` what the router does instead.
    """

    router: str
    state: DriftState
    delivered: str | None
    statements: tuple[str, ...] = ()


def _state(found: Drift) -> str:
    return found.state


@stage(_state)
def router_drift(context: Context, router: Router) -> Drift:
    """Reads a router's configuration and compares it; a new state is recorded in the audit log, and once per UTC day.

    Raises:
        CandidateStoreError: the delivered text is lost, on disk and in the database.
        DeliveryError: the router has no [routers.delivery], or it does not answer.
        LockedError: another process still delivers to it after minutes.
    """
    record_removals(context, router)
    found = _undisturbed(context, router)
    with transaction(context.database) as session:
        event = NewEvent("drift", router.name, candidate_hash=found.delivered, outcome=found.state)
        recorded = audit.append_changed(session, event, "router")
        # another day, not an earlier one: the clock may have been ahead
        if day_of_ms(recorded.time_ms) != clock.today():
            audit.append(session, event)
    return found


def _undisturbed(context: Context, router: Router) -> Drift:
    """The drift; what was read beside a delivery, and may be of a trial, is read again after it.

    The lock is not held meanwhile: a removal in an emergency does not wait for a reading.
    """
    newest = _newest_event(context, router)
    found = _found(context, router)
    with push_lock(context, router):
        pass
    record_removals(context, router)
    return found if _newest_event(context, router) == newest else _found(context, router)


def _newest_event(context: Context, router: Router) -> int:
    """The number of the newest event on what the router holds; each delivery appends some."""
    with reading(context.database) as session:
        return max((each.number for each in audit.events(session, router.name, ("push", *REPORTS, REMOVAL))), default=0)


def _found(context: Context, router: Router) -> Drift:
    with reading(context.database) as session:
        events = audit.events(session, router.name, (*REPORTS, REMOVAL))
    hashes = [each.candidate_hash for each in standing(events, router.name) if each.candidate_hash]
    last = hashes[-1] if hashes else None
    if router.flowspec is not None:
        return _announced(context, router, router.flowspec, last)
    device = opener(router, context.settings.delivery.timeout_s)()
    try:
        compared = _compared(context, router, device.dialect, held(device), events, last)
        if compared.state != "equal" or last is None:
            return compared
        return _behaving(known_candidate(context, router, last), router, device)
    finally:
        device.close()


def _behaving(candidate: Candidate, router: Router, device: Device) -> Drift:
    """The drift of a router that holds the delivered text: its own statements may override those of the text."""
    try:
        check_effect(device.dialect, device.inherited(), candidate.text, candidate.model.interfaces)
    except EffectError as unlike:
        return Drift(router.name, "changed", candidate.hash, tuple(f"! {line}" for line in str(unlike).splitlines()))
    return Drift(router.name, "equal", candidate.hash)


def _announced(context: Context, router: Router, chosen: FlowSpec, last: str | None) -> Drift:
    """The drift of announced rules. A speaker that was restarted or has no session sends nothing, which is behind."""
    found = announced_difference(context, router, chosen, last, MonotonicTimer())
    statements = (*found.missing, *found.unexpected)
    if not statements:
        return Drift(router.name, "equal", last)
    return Drift(router.name, "changed" if found.unexpected else "behind", last, statements[:STATEMENTS])


def _compared(
    context: Context,
    router: Router,
    dialect: Dialect,
    holds: OwnedConfig,
    events: Sequence[AuditEventEntry],
    last: str | None,
) -> Drift:
    wanted = _part(context, router, dialect, last)
    if holds == wanted:
        return Drift(router.name, "equal", last)
    earlier = [each.candidate_hash for each in reversed(events) if each.candidate_hash and each.candidate_hash != last]
    known = (None, *dict.fromkeys(earlier[: 2 * _EARLIER]))
    state: DriftState = "behind" if any(holds == _part(context, router, dialect, each) for each in known) else "changed"
    return Drift(router.name, state, last, tuple(holds.differences(wanted)))


def _part(context: Context, router: Router, dialect: Dialect, candidate_hash: str | None) -> OwnedConfig:
    return dialect.part_of(known_candidate(context, router, candidate_hash).text if candidate_hash else None)
