"""What the book says: the host sheet of a reservation, what is in force on a router, each port's calendar."""

from dataclasses import dataclass

from hntes import clock
from hntes.format import rfc3339
from hntes.rules.reservations.calendar import Segment, calendar
from hntes.rules.reservations.in_force import Stretch
from hntes.rules.reservations.in_force import timetable as rules_timetable
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import Step, steps
from hntes.rules.reservations.sheet import host_sheet
from hntes.sql import reservations
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.ports import as_reservation, limits_of, require_limits

__all__ = [
    "Port",
    "PortCalendar",
    "Step",
    "Stretch",
    "over_cap",
    "port_calendars",
    "shares_of",
    "sheet",
    "timetable",
]


@dataclass(frozen=True)
class PortCalendar:
    """One port: how much of it may be promised, and what is, stretch by stretch from now on; the last has no end."""

    port: Port
    limit: PortLimit
    segments: tuple[Segment, ...]

    @property
    def most_bps(self) -> int:
        """The most that is promised at any instant to come."""
        return max(each.level_bps for each in self.segments)


def sheet(context: Context, number: int) -> str:
    """What the sender of a reservation's transfer sets on its host, as text.

    Raises:
        StoreError: there is no such reservation.
        CommandError: reservations are off, or a port of its path is gone from the settings.
    """
    limits = limits_of(context.settings)
    with reading(context.database) as session:
        found = as_reservation(reservations.reservation(session, number))
    require_limits([found], limits)
    return host_sheet(found, limits)


def shares_of(context: Context, number: int) -> tuple[Step, ...]:
    """The rates of a background reservation from now on, by interval, as far as is booked; none for foreground.

    Raises:
        CommandError: as `sheet`.
    """
    limits, standing = _standing(context)
    found = next((each for each in standing if each.number == number and each.kind == "background"), None)
    if found is None:
        return ()
    require_limits(standing, limits)
    begins_s = max(found.start_s, clock.now_s())
    return tuple(
        Step(step.start_s, step.end_s, {number: step.rates_bps[number]})
        for step in steps(standing, limits, begins_s, found.end_s)
    )


def timetable(context: Context, router: str, start_s: int | None, length_s: int) -> tuple[Stretch, ...]:
    """What a router has to police from `start_s` (None: now) on for so long; each start is a change.

    Raises:
        CommandError: the start is past, the router is unknown, or as `sheet`.
    """
    begins_s = clock.now_s() if start_s is None else start_s
    if begins_s < clock.now_s():
        raise CommandError(f"router {router}: {rfc3339(begins_s * 1000)} is past; begin now or later")
    context.chosen([router])
    limits, standing = _standing(context)
    require_limits(standing, limits)
    return rules_timetable(standing, limits, router, begins_s, begins_s + length_s)


def port_calendars(context: Context) -> tuple[PortCalendar, ...]:
    """Each port with queues, in the order of the settings.

    Raises:
        CommandError: reservations are off.
    """
    limits, standing = _standing(context)
    now_s = clock.now_s()
    return tuple(
        PortCalendar(port, limit, tuple(calendar(standing, port).segments(now_s))) for port, limit in limits.items()
    )


def over_cap(context: Context) -> tuple[PortCalendar, ...]:
    """Ports on which more is promised than their cap, since it was lowered."""
    return tuple(each for each in port_calendars(context) if each.most_bps > each.limit.cap_bps)


def _standing(context: Context) -> tuple[dict[Port, PortLimit], tuple[Reservation, ...]]:
    limits = limits_of(context.settings)
    with reading(context.database) as session:
        found = reservations.standing(session, clock.now_s())
    return limits, tuple(map(as_reservation, found))
