"""Reservations: booking, cancelling and listing. The rules of admission are in rules/reservations."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from hntes import clock
from hntes.format import exact_rate, rfc3339
from hntes.rules.lifetime.pinnable import check_pinnable
from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.admission import Refusal, refusal
from hntes.rules.reservations.reservation import Booking, Kind, Port, Reservation
from hntes.sql import audit, reservations
from hntes.sql.audit import NewEvent
from hntes.sql.reservations import ReservationEntry, StoredReservation
from hntes.sql.session import Session, reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.protected import require_unprotected
from hntes.workflow.reservations.forbidden import require_not_excluded
from hntes.workflow.reservations.ports import as_reservation, limits_of, section_of
from hntes.workflow.reservations.texts import require_texts

__all__ = [
    "Kind",
    "ReservationRequest",
    "ReservationResult",
    "ReservationState",
    "ReservationView",
    "book",
    "cancel",
    "listing",
    "reservation",
]

ReservationState = Literal["booked", "active", "past", "cancelled"]


@dataclass(frozen=True)
class ReservationRequest:
    """A request for a reservation.

    `start_s` None: now. Either `end_s` or `length_s` is given. `rtt_ms` None: the value in the settings. `external_id`
    is the owner's name for it: a repeated request with that name returns the existing reservation.
    """

    pair: str
    rate_bps: int
    ports: tuple[str, ...]
    owner: str
    ticket: str = ""
    start_s: int | None = None
    end_s: int | None = None
    length_s: int | None = None
    kind: Kind = "foreground"
    floor_bps: int = 0
    rtt_ms: int | None = None
    external_id: str | None = None


@dataclass(frozen=True)
class ReservationView:
    """A reservation for display and JSON: `state` as of now, `start` until before `end` in RFC 3339."""

    number: int
    state: ReservationState
    external_id: str | None
    owner: str
    ticket: str
    source: str
    destination: str
    kind: str
    rate_bps: int
    floor_bps: int
    booking: str
    start: str
    end: str
    rtt_ms: int
    ports: tuple[str, ...]


@dataclass(frozen=True)
class ReservationResult:
    """The result of a request: booked, or refused with reasons. `is_new`: it did not exist before.

    If it was refused or not to be stored, `reservation` has number 0.
    """

    reservation: ReservationView
    refusal: Refusal | None
    is_new: bool


def book(
    context: Context, request: ReservationRequest, *, identity: str | None = None, is_trial: bool = False
) -> ReservationResult:
    """Books a request if it can be admitted, in one transaction.

    `identity` is the authenticated user; None: the operating system's user. With `is_trial` nothing is stored.

    Raises:
        CommandError: reservations are off, the times are invalid, or the pair is excluded on a router of the path.
        PairError, ReservationError, StoreError: the request is invalid; the message says why.
    """
    now_s = clock.now_s()
    limits = limits_of(context.settings)
    asked = _reservation(context, request, now_s)
    with transaction(context.database) as session:
        reservations.lock_book(session)
        if known := _known(session, asked, request.external_id):
            return ReservationResult(_view(known, now_s), None, is_new=False)
        _check_settings(context, asked, now_s)
        require_not_excluded(session, asked)
        routers = {port.router for port in asked.ports}
        booked = [as_reservation(each) for each in reservations.standing(session, asked.start_s, routers)]
        require_texts(context.settings, asked, limits, booked)
        horizon_s = now_s + _days_s(section_of(context.settings).max_advance_days)
        refused = refusal(asked, booked, limits, horizon_s)
        entry = _entry(asked, request.external_id)
        ports = [(port.router, port.interface) for port in asked.ports]
        if refused is not None or is_trial:
            return ReservationResult(
                _view(StoredReservation(entry, tuple(ports)), now_s), refused, is_new=refused is None
            )
        stored = reservations.add(session, entry, ports)
        audit.append(session, _event("reserve", stored, _detail(stored), request.ticket or None, identity))
    return ReservationResult(_view(stored, now_s), None, is_new=True)


def cancel(
    context: Context, number: int, reason: str, *, owner: str | None = None, identity: str | None = None
) -> ReservationView:
    """Cancels a future or active reservation; with `owner` only if it is theirs: others' count as unknown.

    Raises:
        StoreError: the number is unknown, or the reservation is over or cancelled.
    """
    now_s = clock.now_s()
    with transaction(context.database) as session:
        reservations.lock_book(session)
        if owner is not None and reservations.reservation(session, number).entry.owner != owner:
            raise reservations.missing(number)
        stored = reservations.cancel(session, number, now_s)
        audit.append(session, _event("cancel", stored, f"reservation {number}", reason or None, identity))
    return _view(stored, now_s)


def listing(context: Context, *, owner: str | None = None, with_past: bool = False) -> tuple[ReservationView, ...]:
    """Active and future reservations of an owner (None: of all), by number; `with_past`: also past and cancelled."""
    now_s = clock.now_s()
    with reading(context.database) as session:
        found = reservations.reservations(session, owner) if with_past else reservations.standing(session, now_s)
    return tuple(_view(each, now_s) for each in found if owner in (None, each.entry.owner))


def reservation(context: Context, number: int, *, owner: str | None = None) -> ReservationView:
    """The reservation with that number; with `owner` only if it is theirs: others' count as unknown.

    Raises:
        StoreError: there is none.
    """
    with reading(context.database) as session:
        found = reservations.reservation(session, number)
    if owner not in (None, found.entry.owner):
        raise reservations.missing(number)
    return _view(found, clock.now_s())


def _reservation(context: Context, request: ReservationRequest, now_s: int) -> Reservation:
    chosen = section_of(context.settings)
    pair = PrefixPair.parse(request.pair)
    pins = context.settings.pins
    check_pinnable(pair, pins.min_ipv4_prefix_length, pins.min_ipv6_prefix_length)
    require_unprotected(context, pair)
    if (request.end_s is None) == (request.length_s is None):
        raise CommandError(f"reservation of {pair}: give either its end or its length")
    start_s = now_s if request.start_s is None else request.start_s
    end_s = start_s + request.length_s if request.length_s is not None else request.end_s
    assert end_s is not None  # noqa: S101 - one of them was given
    booking: Booking = "immediate" if request.start_s is None else "advance"
    return Reservation(
        0, request.owner, request.ticket, pair, request.rate_bps, start_s, end_s, request.kind, request.floor_bps,
        booking, chosen.rtt_ms if request.rtt_ms is None else request.rtt_ms,
        tuple(Port.parse(port) for port in request.ports),
    )  # fmt: skip


def _check_settings(context: Context, asked: Reservation, now_s: int) -> None:
    chosen = section_of(context.settings)
    if asked.start_s < now_s:
        raise CommandError(
            f"reservation of {asked.pair}: its start, {_at(asked.start_s)}, is in the past; it is {_at(now_s)} now"
        )
    if asked.rtt_ms > chosen.max_rtt_ms:
        raise CommandError(
            f"reservation of {asked.pair}: a round-trip time of {asked.rtt_ms} ms is above {chosen.max_rtt_ms}; its "
            "bucket could fill the shared queue. Give the RTT of the path, or change reservations.max_rtt_ms in the "
            "settings"
        )
    if asked.length_s > chosen.max_duration_hours * 3600:
        raise CommandError(
            f"reservation of {asked.pair}: longer than {chosen.max_duration_hours} h; shorten it, or change "
            "reservations.max_duration_hours in the settings"
        )
    if asked.end_s > now_s + _days_s(chosen.max_advance_days):
        raise CommandError(
            f"reservation of {asked.pair}: its end is more than {chosen.max_advance_days} days from now; book it "
            "later, or change reservations.max_advance_days in the settings"
        )


def _known(session: Session, asked: Reservation, external_id: str | None) -> StoredReservation | None:
    """The existing reservation with that external id, if it equals the request.

    Raises:
        CommandError: it differs, or was cancelled.
    """
    known = None if external_id is None else reservations.by_external_id(session, asked.owner, external_id)
    if known is None:
        return None
    what = f"reservation {known.entry.number} of {asked.owner}, {external_id!r}"
    if known.entry.state == "cancelled":
        raise CommandError(f"{what}: cancelled; use another id for a new one")
    there = as_reservation(known)
    same = replace(asked, number=there.number)
    if asked.booking == "immediate" and (asked.length_s == there.length_s or asked.end_s == there.end_s):
        same = replace(same, start_s=there.start_s, end_s=there.end_s)  # a repeated request would start later
    if same != there:
        differing = [name for name, value in vars(same).items() if getattr(there, name) != value]
        raise CommandError(f"{what}: exists with another {', '.join(differing)}; use another id")
    return known


def _entry(asked: Reservation, external_id: str | None) -> ReservationEntry:
    pair = asked.pair
    return ReservationEntry(
        number=0, external_id=external_id, owner=asked.owner, ticket=asked.ticket, source=str(pair.source),
        destination=str(pair.destination), rate_bps=asked.rate_bps, start_s=asked.start_s, end_s=asked.end_s,
        kind=asked.kind, floor_bps=asked.floor_bps, booking=asked.booking, rtt_ms=asked.rtt_ms,
    )  # fmt: skip


def _event(
    kind: Literal["reserve", "cancel"], stored: StoredReservation, detail: str, note: str | None, identity: str | None
) -> NewEvent:
    routers = {router for router, _ in stored.ports}
    router = routers.pop() if len(routers) == 1 else None
    return NewEvent(kind, router, detail=detail, who=stored.entry.owner, note=note, identity=identity)


def _detail(stored: StoredReservation) -> str:
    entry = stored.entry
    floor = f", at least {exact_rate(entry.floor_bps)}" if entry.kind == "background" else ""
    rate = f"{entry.kind} {exact_rate(entry.rate_bps)}{floor}"
    ports = ", ".join(f"{router}:{interface}" for router, interface in stored.ports)
    return (
        f"reservation {entry.number}: {entry.source} > {entry.destination} {rate} from "
        f"{_at(entry.start_s)} to {_at(entry.end_s)} on {ports}"
    )


def _view(stored: StoredReservation, now_s: int) -> ReservationView:
    e = stored.entry
    ports = tuple(f"{router}:{interface}" for router, interface in stored.ports)
    return ReservationView(
        e.number, _state(e, now_s), e.external_id, e.owner, e.ticket, e.source, e.destination, e.kind, e.rate_bps,
        e.floor_bps, e.booking, _at(e.start_s), _at(e.end_s), e.rtt_ms, ports,
    )  # fmt: skip


def _state(entry: ReservationEntry, now_s: int) -> ReservationState:
    if entry.state == "cancelled":
        return "cancelled"
    if entry.end_s <= now_s:
        return "past"
    return "active" if entry.start_s <= now_s else "booked"


def _at(moment_s: int) -> str:
    return rfc3339(moment_s * 1000)


def _days_s(days: int) -> int:
    return int(timedelta(days=days).total_seconds())
