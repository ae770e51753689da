"""Reservations as they were booked and cancelled. Works within the caller's transaction.

Whoever books locks the book first and reads it then: what is read stays true until the transaction ends.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import ColumnElement, ForeignKeyConstraint, Index, UniqueConstraint, and_, func, or_, select, update

from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.rows import check_free_text, fetch, lock, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

ReservationKind = Literal["foreground", "background"]
Booking = Literal["immediate", "advance"]
ReservationState = Literal["booked", "cancelled"]
MOST_ID_CHARACTERS = 200


@dataclass(frozen=True)
class ReservationEntry:
    """One reservation; `start_s` until before `end_s`, seconds since 1970, UTC.

    `cancelled_s` is when it was cancelled, None if it was not: from then on it holds nothing. `external_id` is how its
    owner names it, if they do.
    """

    number: int
    external_id: str | None
    owner: str
    ticket: str
    source: str
    destination: str
    rate_bps: int
    start_s: int
    end_s: int
    kind: str
    floor_bps: int
    booking: str
    rtt_ms: int
    state: ReservationState = "booked"
    cancelled_s: int | None = None

    @property
    def until_s(self) -> int:
        """When it ended or will: at its end, or when it was cancelled before."""
        return self.end_s if self.cancelled_s is None else min(self.end_s, self.cancelled_s)

    def stands(self, moment_s: int) -> bool:
        """Whether it is active at that instant or begins later, and was not cancelled."""
        return self.state == "booked" and self.end_s > moment_s


@dataclass(frozen=True)
class ReservationPortEntry:
    """An egress port of a reservation's path, `position` from 0 on."""

    number: int
    position: int
    router: str
    interface: str


RESERVATION = table(
    "reservation", ReservationEntry,
    one_of("booking", Booking), one_of("kind", ReservationKind), one_of("state", ReservationState),
    UniqueConstraint("owner", "external_id"), Index(None, "state", "end_s"),
    key=("number",),
    grain="One row per reservation that was ever booked; times are seconds since 1970, UTC.",
)  # fmt: skip
RESERVATION_PORT = table(
    "reservation_port", ReservationPortEntry,
    ForeignKeyConstraint(["number"], ["reservation.number"], ondelete="CASCADE"),
    key=("number", "position"),
    grain="One row per reservation and egress port of its path; `position` counts from 0 along the path.",
)  # fmt: skip


@dataclass(frozen=True)
class StoredReservation:
    """A reservation with the ports (router, interface) that it crosses, in the order of its path."""

    entry: ReservationEntry
    ports: tuple[tuple[str, str], ...]


def lock_book(session: Session) -> None:
    """Makes others who book or cancel wait until the transaction ends."""
    lock(session, "reservation")


def add(session: Session, entry: ReservationEntry, ports: Sequence[tuple[str, str]]) -> StoredReservation:
    """Books a reservation under the next number, whatever number it has; returns it as it was written.

    Raises:
        InvalidEntryError: it has no owner, or a text is not one printable line.
    """
    what = f"reservation {entry.source} > {entry.destination}"
    if not entry.owner.strip():
        raise InvalidEntryError(f"{what}: name its owner")
    check_free_text(what, owner=entry.owner, ticket=entry.ticket, external_id=entry.external_id)
    if entry.external_id is not None and not 0 < len(entry.external_id) <= MOST_ID_CHARACTERS:
        raise InvalidEntryError(f"{what}: its external_id must have 1 to {MOST_ID_CHARACTERS} characters")
    lock_book(session)
    newest: int | None = session.execute(select(func.max(RESERVATION.c.number))).scalar_one()
    written = replace(entry, number=(newest or 0) + 1)
    store(session, RESERVATION, [written])
    store(session, RESERVATION_PORT, [ReservationPortEntry(written.number, i, *port) for i, port in enumerate(ports)])
    return StoredReservation(written, tuple(ports))


def cancel(session: Session, number: int, cancelled_s: int) -> StoredReservation:
    """Cancels a reservation; returns it as it is now.

    Raises:
        UnknownEntryError: there is none of that number.
        InvalidEntryError: it is cancelled already, or over.
    """
    lock_book(session)
    present = reservation(session, number)
    if present.entry.state == "cancelled":
        raise InvalidEntryError(f"reservation {number}: it is cancelled already")
    if present.entry.end_s <= cancelled_s:
        raise InvalidEntryError(
            f"reservation {number}: it is over; only one that is to come or active can be cancelled"
        )
    changes = {"state": "cancelled", "cancelled_s": cancelled_s}
    session.execute(update(RESERVATION).where(RESERVATION.c.number == number).values(changes))
    return replace(present, entry=replace(present.entry, state="cancelled", cancelled_s=cancelled_s))


def reservation(session: Session, number: int) -> StoredReservation:
    """The reservation of that number.

    Raises:
        UnknownEntryError: there is none.
    """
    found = _stored(session, RESERVATION.c.number == number)
    if not found:
        raise missing(number)
    return found[0]


def missing(number: int) -> UnknownEntryError:
    """The error for an unknown reservation, or one that the caller may not see."""
    return UnknownEntryError(f"reservation {number}: there is none; hntes reserve list --all shows all")


def by_external_id(session: Session, owner: str, external_id: str) -> StoredReservation | None:
    """The reservation that an owner has given this name, None if there is none."""
    found = _stored(session, RESERVATION.c.owner == owner, RESERVATION.c.external_id == external_id)
    return found[0] if found else None


def standing(session: Session, moment_s: int, routers: Collection[str] | None = None) -> tuple[StoredReservation, ...]:
    """All that are active at that instant or begin later, and were not cancelled, by number.

    `routers`: only those that cross one of them (None: all).
    """
    where = [RESERVATION.c.state == "booked", RESERVATION.c.end_s > moment_s]
    if routers is not None:
        port = RESERVATION_PORT.c
        where.append(RESERVATION.c.number.in_(select(port.number).where(port.router.in_(routers))))
    return _stored(session, *where)


def overlapping(session: Session, start_s: int, end_s: int) -> tuple[StoredReservation, ...]:
    """All that stood at some instant from `start_s` until before `end_s`, those cancelled meanwhile too, by number."""
    of = RESERVATION.c
    stood = or_(of.cancelled_s.is_(None), and_(of.cancelled_s > start_s, of.cancelled_s > of.start_s))
    return _stored(session, of.start_s < end_s, of.end_s > start_s, stood)


def reservations(session: Session, owner: str | None = None) -> tuple[StoredReservation, ...]:
    """All of an owner (None: of all), past and cancelled ones too, by number."""
    return _stored(session, *(() if owner is None else (RESERVATION.c.owner == owner,)))


def _stored(session: Session, *where: ColumnElement[bool]) -> tuple[StoredReservation, ...]:
    entries = fetch(session, RESERVATION, ReservationEntry, *where)
    numbers = select(RESERVATION.c.number).where(*where)
    ports: defaultdict[int, list[tuple[int, str, str]]] = defaultdict(list)
    for each in fetch(session, RESERVATION_PORT, ReservationPortEntry, RESERVATION_PORT.c.number.in_(numbers)):
        ports[each.number].append((each.position, each.router, each.interface))
    return tuple(
        StoredReservation(entry, tuple((router, interface) for _, router, interface in sorted(ports[entry.number])))
        for entry in sorted(entries, key=lambda each: each.number)
    )
