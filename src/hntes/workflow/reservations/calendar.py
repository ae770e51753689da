"""Views of the reservations: the host sheet, the timetable of a router, and the calendar of each port."""

from dataclasses import dataclass

from hntes import clock
from hntes.format import rfc3339
from hntes.rules.reservations.calendar import Segment, calendar
from hntes.rules.reservations.in_force import Stretch
from hntes.rules.reservations.in_force import timetable as rules_timetable
from hntes.rules.reservations.lost_ports import on_known_ports
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import Step, steps
from hntes.rules.reservations.sheet import host_sheet
from hntes.sql import reservations
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.active_reservations import deciding_reservations
from hntes.workflow.reservations.ports import LostPortError, as_reservation, limits_of, require_limits

__all__ = [
    "Port",
    "PortCalendar",
    "Step",
    "Stretch",
    "lost_ports",
    "over_cap",
    "port_calendars",
    "shares_of",
    "sheet",
    "timetable",
]


@dataclass(frozen=True)
class PortCalendar:
    """The calendar of one port: its reservable rate, and the reserved rate by interval from now; the last is open."""

    port: Port
    limit: PortLimit
    segments: tuple[Segment, ...]

    @property
    def most_bps(self) -> int:
        """The highest reserved rate at any future instant."""
        return max(each.level_bps for each in self.segments)


def sheet(context: Context, number: int) -> str | None:
    """The host settings for the sender of a reserved transfer, as text; None if it is over or cancelled.

    Raises:
        StoreError: there is no such reservation.
        CommandError: reservations are off.
        LostPortError: a port of its path is no longer in the settings.
    """
    limits = limits_of(context.settings)
    with reading(context.database) as session:
        stored = reservations.reservation(session, number)
    if not stored.entry.stands(clock.now_s()):
        return None
    found = as_reservation(stored)
    require_limits([found], limits)
    return host_sheet(found, limits)


def shares_of(context: Context, number: int) -> tuple[Step, ...]:
    """The rates of a background reservation from now on, by interval, under the present bookings.

    None for foreground, and for what is over or cancelled.

    Raises:
        StoreError: there is no such reservation.
        CommandError, LostPortError: as `deciding_reservations`.
    """
    now_s = clock.now_s()
    with reading(context.database) as session:
        stored = reservations.reservation(session, number)
        found = as_reservation(stored)
        if found.kind == "foreground" or not stored.entry.stands(now_s):
            return ()
        deciding, limits = deciding_reservations(context, session, found, now_s)
    return tuple(
        Step(step.start_s, step.end_s, {number: step.rates_bps[number]})
        for step in steps(deciding, limits, max(found.start_s, now_s), found.end_s)
    )


def timetable(context: Context, router: str, start_s: int | None, length_s: int) -> tuple[Stretch, ...]:
    """The reservations that a router has to police for `length_s` from `start_s` (None: now); one interval per change.

    Raises:
        CommandError: the start is in the past, the router is unknown, or reservations are off.
        LostPortError: a reserved port of the router is no longer in the settings.
    """
    begins_s = clock.now_s() if start_s is None else start_s
    if begins_s < clock.now_s():
        raise CommandError(f"router {router}: {rfc3339(begins_s * 1000)} is in the past; start now or later")
    context.chosen([router])
    limits, booked = _booked(context)
    require_limits(booked, limits, router)
    return rules_timetable(on_known_ports(booked, limits), limits, router, begins_s, begins_s + length_s)


def port_calendars(context: Context) -> tuple[PortCalendar, ...]:
    """The calendar of each port with queues, in the order of the settings.

    Raises:
        CommandError: reservations are off.
    """
    limits, booked = _booked(context)
    now_s = clock.now_s()
    return tuple(
        PortCalendar(port, limit, tuple(calendar(booked, port).segments(now_s))) for port, limit in limits.items()
    )


def over_cap(context: Context) -> tuple[PortCalendar, ...]:
    """Ports whose reservations exceed their cap because it was lowered."""
    return tuple(each for each in port_calendars(context) if each.most_bps > each.limit.cap_bps)


def lost_ports(context: Context) -> tuple[LostPortError, ...]:
    """What is wrong with active and future reservations on ports that have left the settings, one for each port."""
    limits, booked = _booked(context)
    return tuple(LostPortError(each.number, port) for each in booked for port in each.ports if port not in limits)


def _booked(context: Context) -> tuple[dict[Port, PortLimit], tuple[Reservation, ...]]:
    limits = limits_of(context.settings)
    with reading(context.database) as session:
        found = reservations.standing(session, clock.now_s())
    return limits, tuple(map(as_reservation, found))
