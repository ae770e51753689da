"""Delivery status of reservations on routers: on, ready, waiting for an approval, or late."""

from dataclasses import dataclass
from typing import Literal

from hntes import clock
from hntes.format import exact_rate, rfc3339
from hntes.rules.qos.reserved import Reserved, reserved_of
from hntes.rules.reservations.in_force import reserved_at, reserved_pair
from hntes.settings.model import Router
from hntes.sql import audit, changes, reservations
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS
from hntes.sql.entries import AuditKind
from hntes.sql.session import Session, reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.reservations.active_reservations import booked_reservations, deciding_reservations
from hntes.workflow.reservations.forbidden import forbidding
from hntes.workflow.reservations.ports import as_reservation, section_of
from hntes.workflow.reservations.scheduled_changes import bases_of
from hntes.workflow.router_state import due_s

__all__ = [
    "LateReservation",
    "PathStatus",
    "late_reservations",
    "path_status",
    "pending_reason",
    "rates_on",
    "reported_text",
    "text_state",
]

PathState = Literal["on", "ready", "waits", "late", "over"]


@dataclass(frozen=True)
class LateReservation:
    """A reservation that a router should already police to that rate and does not; since when, and why."""

    router: str
    number: int
    rate_bps: int
    since_s: int
    reason: str

    def __str__(self) -> str:
        since = rfc3339(self.since_s * 1000)
        rate = exact_rate(self.rate_bps)
        return f"reservation {self.number} is not on {self.router} with {rate} since {since}: {self.reason}"


@dataclass(frozen=True)
class PathStatus:
    """A reservation on one router of its path.

    "on": the router was reported to police it at its rate. "ready": approved, to be delivered when due. "waits": its
    configuration is missing or not approved, and not due yet. "late": due and not on the router. "over": replaced, less
    than `lead_s` before its end, by the next interval. `explanation` says more.
    """

    router: str
    state: PathState
    explanation: str


def reported_text(context: Context, router: Router) -> str | None:
    """The hash of the text last reported as running, or handed over if HNTES does not reach the router; None after a
    removal, or without either."""
    with reading(context.database) as session:
        return _reported(session, router)


def rates_on(context: Context, router: Router) -> dict[int, int]:
    """The rates to which a router was last reported to police reservations, bit/s by number."""
    return {int(name.rpartition("-")[2]): bps for name, bps in _rates(_on_router(context, router)).items()}


def late_reservations(context: Context, router: Router) -> tuple[LateReservation, ...]:
    """The reservations that a router should police now and, per its reports, does not; by number.

    A start or an increase within `lead_s` is due already; until then either rate is accepted.

    Raises:
        CommandError: reservations are off.
        LostPortError: a reserved port of the router is no longer in the settings.
    """
    now_s, lead_s = clock.now_s(), section_of(context.settings).lead_s
    with reading(context.database) as session:
        booked, limits = booked_reservations(context, session, now_s, router.name)
        forbidding_here = forbidding(context, session, router.name)
    there = _rates(_on_router(context, router))
    due = reserved_at(booked, limits, router.name, now_s + lead_s)
    now, soon = _rates(reserved_at(booked, limits, router.name, now_s)), _rates(due)
    forbidden = forbidding_here.forbids(due, now_s)
    numbers = {f"reservation-{each.number}": each for each in booked}
    missing = [name for name, bps in soon.items() if there.get(name) not in (bps, now.get(name, bps))]
    entry = _covering(context, router, now_s + lead_s)
    held = _rates(_reserved(context, router, entry))
    late = []
    for name in missing:
        is_held = entry is not None and held.get(name) == soon[name]
        since_s = due_s(entry, lead_s) if entry is not None and is_held else numbers[name].start_s - lead_s
        reason = forbidden.get(name) or _reason(context, router, entry if is_held else None)
        late.append(LateReservation(router.name, numbers[name].number, soon[name], since_s, reason))
    return tuple(sorted(late, key=lambda each: each.number))


def path_status(context: Context, number: int) -> tuple[PathStatus, ...]:
    """The status of an active or future reservation on each router of its path, in order; empty for others.

    Raises:
        StoreError: there is no such reservation.
        CommandError, LostPortError: as `deciding_reservations`.
    """
    now_s, lead_s = clock.now_s(), section_of(context.settings).lead_s
    with reading(context.database) as session:
        stored = reservations.reservation(session, number)
        if not stored.entry.stands(now_s):
            return ()
        found = as_reservation(stored)
        deciding, limits = deciding_reservations(context, session, found, now_s)
    moment_s = max(found.start_s, now_s)
    wanted = reserved_pair(found, deciding, limits, moment_s)
    assert wanted is not None  # noqa: S101 - it is active then
    soon = reserved_pair(found, deciding, limits, moment_s + lead_s)
    names = dict.fromkeys(port.router for port in found.ports)
    return tuple(_on_path(context, context.settings.router(name), wanted, soon, moment_s) for name in names)


def text_state(context: Context, router: Router, moment_s: int) -> str:
    """The state of the text for a moment, in words: its approver, that it is pending, or that there is none."""
    entry = _covering(context, router, moment_s)
    if entry is None:
        return "none yet"
    return f"approved by {entry.decided_by}" if entry.state == "approved" else entry.state


def _on_path(
    context: Context, router: Router, wanted: Reserved, soon: Reserved | None, moment_s: int
) -> PathStatus:  # fmt: skip
    """The status of what a router has to police at a moment; `soon` is the same `lead_s` later, None if it is over."""
    name, lead_s = wanted.name, section_of(context.settings).lead_s
    with reading(context.database) as session:
        forbidden = forbidding(context, session, router.name).forbids((wanted,), moment_s)
    there = _rates(_on_router(context, router)).get(name)
    if there in (wanted.rate_bps, (soon or wanted).rate_bps):
        return PathStatus(router.name, "on", f"policed to {exact_rate(there)}")
    if soon is None and (follower := _delivered_ahead(context, router)) is not None:
        begins = rfc3339((follower.effective_s or 0) * 1000)
        return PathStatus(router.name, "over", f"gave way before its end to what begins at {begins}")
    entry = _covering(context, router, moment_s)
    if entry is not None and _rates(_reserved(context, router, entry)).get(name) != wanted.rate_bps:
        entry = None
    due_from_s = due_s(entry, lead_s) if entry is not None else moment_s - lead_s
    is_ready = entry is not None and entry.state == "approved"
    state: PathState = "late" if due_from_s < clock.now_s() else "ready" if is_ready else "waits"
    reason = f"approved by {entry.decided_by}" if entry is not None and state == "ready" else ""
    reason = forbidden.get(name) or reason or _reason(context, router, entry)
    return PathStatus(router.name, state, f"{reason}; due {rfc3339(due_from_s * 1000)}")


def _delivered_ahead(context: Context, router: Router) -> Change | None:
    """The scheduled change that the router was reported to run before its instant; None if there is none."""
    now_s = clock.now_s()
    entry = _covering(context, router, now_s + section_of(context.settings).lead_s)
    is_ahead = (
        entry is not None
        and (entry.effective_s or 0) > now_s
        and reported_text(context, router) == entry.candidate_hash
    )
    return entry if is_ahead else None


def _reason(context: Context, router: Router, entry: Change | None) -> str:
    """Why a scheduled change is not on its router yet. `entry` None: no change contains the reservation."""
    if entry is None:
        return "no scheduled change contains it; `hntes reserve propose` creates one or reports why it cannot"
    text = f"text {entry.candidate_hash[:12]}"
    if entry.state != "approved":
        return (
            f"{text} waits for approval" if entry.state == "pending" else f"{text} was rejected by {entry.decided_by}"
        )
    with reading(context.database) as session:
        events = audit.events(session, router.name, ("undelivered", *REPORTS))
    tried = [each for each in events if each.candidate_hash == entry.candidate_hash]
    if tried and tried[-1].kind == "undelivered":
        return tried[-1].detail
    return f"{text} is approved and not delivered"


def pending_reason(context: Context, router: Router, name: str) -> str:
    """Why a reservation that has ended is not off a router yet, by its name in texts, and what to do."""
    entry = _covering(context, router, clock.now_s())
    if entry is None or name in _rates(_reserved(context, router, entry)):
        return "no scheduled change ends it; `hntes reserve propose` creates one or reports why it cannot"
    return _reason(context, router, entry)


def _covering(context: Context, router: Router, moment_s: int) -> Change | None:
    """The scheduled change, decided or not, that applies at a moment on the approved rules that the router runs."""
    with reading(context.database) as session:
        bases = [each for each in bases_of(session, router.name) if each.state == "approved"]
        if not bases:
            return None
        states = ("pending", "approved", "rejected")
        rows = changes.scheduled_changes(session, router.name, bases[-1].candidate_hash, states)
    begun = [each for each in rows if (each.effective_s or 0) <= moment_s]
    return begun[-1] if begun else None


def _rates(reserved: tuple[Reserved, ...]) -> dict[str, int]:
    return {each.name: each.rate_bps for each in reserved}


def _reserved(context: Context, router: Router, entry: Change | None) -> tuple[Reserved, ...]:
    return reserved_of(known_candidate(context, router, entry.candidate_hash).model) if entry is not None else ()


def _on_router(context: Context, router: Router) -> tuple[Reserved, ...]:
    candidate_hash = reported_text(context, router)
    return reserved_of(known_candidate(context, router, candidate_hash).model) if candidate_hash else ()


def _reported(session: Session, router: Router) -> str | None:
    # where HNTES does not reach the router and reports may be missing, a text counts once it was handed over
    kinds: tuple[AuditKind, ...] = (*REPORTS, REMOVAL) if router.is_reached else (*REPORTS, REMOVAL, "deliver")
    events = audit.events(session, router.name, kinds)
    if not events or events[-1].kind == REMOVAL:
        return None
    return events[-1].candidate_hash
