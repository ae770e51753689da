"""Reservations of all owners for programs that watch: bookings, and the reserved rate of each port."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from hntes.format import rfc3339
from hntes.web.api.caller import Reader
from hntes.web.api.describing import Limit, Offset, answers
from hntes.web.api.paging import next_offset
from hntes.web.api.problem import document_of
from hntes.web.reservations import MOST_ROWS
from hntes.workflow.reservations.calendar import PortCalendar, port_calendars
from hntes.workflow.reservations.reserve import ReservationView, listing

routes = APIRouter(prefix="/api/calendar", tags=["reservations"])


@dataclass(frozen=True)
class ReservedPeriod:
    """From `start` until before `end`, in RFC 3339, `reserved_bps` are reserved."""

    start: str
    end: str
    reserved_bps: int


@dataclass(frozen=True)
class PortPeriods:
    """A port, its most reservable rate, and the first of `periods_total` periods with reservations from now on."""

    port: str
    cap_bps: int
    rate_bps: int
    most_bps: int
    periods: tuple[ReservedPeriod, ...]
    periods_total: int


@dataclass(frozen=True)
class ReservationCalendar:
    """Active and future reservations of all owners, by number, and all ports. `next_offset` is of the reservations."""

    reservations: tuple[ReservationView, ...]
    total: int
    next_offset: int | None
    ports: tuple[PortPeriods, ...]


@routes.get("", summary="Show the calendar", responses=answers(400, ok_200=ReservationCalendar))
def show(caller: Reader, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Active and future reservations of all owners, and each port's calendar; empty where reservations are off."""
    with caller.reading() as visit:
        is_on = visit.context.settings.reservations is not None
        rows = listing(visit.context) if is_on else ()
        ports = tuple(map(_port, port_calendars(visit.context))) if is_on else ()
    page, more = tuple(rows[offset : offset + limit]), next_offset(offset, limit, len(rows))
    return document_of(ReservationCalendar, ReservationCalendar(page, len(rows), more, ports))


def _port(found: PortCalendar) -> PortPeriods:
    periods = [
        ReservedPeriod(rfc3339(each.start_s * 1000), rfc3339(each.end_s * 1000), each.level_bps)
        for each in found.segments
        if each.level_bps > 0 and each.end_s is not None
    ]
    limit, shown = found.limit, tuple(periods[:MOST_ROWS])
    return PortPeriods(str(found.port), limit.cap_bps, limit.rate_bps, found.most_bps, shown, len(periods))
