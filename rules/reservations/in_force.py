"""The policed pairs of a router at an instant, one for each reservation that is active there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hntes.rules.qos.reserved import Reserved
from hntes.rules.reservations.gara import burst_bytes, queueing_time_ms
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import shares_at


def reserved_at(
    reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], router: str, moment_s: int
) -> tuple[Reserved, ...]:
    """The policed pairs of a router at that instant, by number; background transfers with their share at that time.

    `reservations` are all valid ones, of any router: promises on other routers' ports bound shares here.
    """
    active = [each for each in reservations if each.is_active(moment_s)]
    shares = shares_at(active, limits, moment_s)
    here = [each for each in active if any(port.router == router for port in each.ports)]
    return tuple(
        _reserved(each, limits, shares.get(each.number, each.rate_bps))
        for each in sorted(here, key=lambda each: each.number)
    )


def reserved_pair(
    reservation: Reservation, deciding: Iterable[Reservation], limits: Mapping[Port, PortLimit], moment_s: int
) -> Reserved | None:
    """The policed pair of one reservation at that instant; None if it is not active then.

    `deciding` are those on which its rate depends (`sharing.deciding`).
    """
    if not reservation.is_active(moment_s):
        return None
    rate_bps = reservation.rate_bps
    if reservation.kind == "background":
        rate_bps = shares_at(deciding, limits, moment_s)[reservation.number]
    return _reserved(reservation, limits, rate_bps)


@dataclass(frozen=True)
class Stretch:
    """The policed pairs of a router, by number, from one change of the calendar until before the next."""

    start_s: int
    end_s: int
    reserved: tuple[Reserved, ...]


def timetable(
    reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], router: str, start_s: int, end_s: int
) -> tuple[Stretch, ...]:
    """The policed pairs of a router from `start_s` until before `end_s`; each start is a change."""
    within = [each for each in reservations if each.overlaps(start_s, end_s)]
    inner = {moment for each in within for moment in (each.start_s, each.end_s) if start_s < moment < end_s}
    found: list[Stretch] = []
    for begins, ends in pairwise([start_s, *sorted(inner), end_s]):
        wanted = reserved_at(within, limits, router, begins)
        if found and found[-1].reserved == wanted:
            found[-1] = Stretch(found[-1].start_s, ends, wanted)
        else:
            found.append(Stretch(begins, ends, wanted))
    return tuple(found)


def slowest_limit(reservation: Reservation, limits: Mapping[Port, PortLimit]) -> PortLimit:
    """The delay of the port of its path with the longest queue: bursts are spread out behind it."""
    return max(
        (limits[port] for port in reservation.ports),
        key=lambda limit: queueing_time_ms(reservation.rtt_ms, limit.share, limit.served),
    )


def _reserved(reservation: Reservation, limits: Mapping[Port, PortLimit], rate_bps: int) -> Reserved:
    limit = slowest_limit(reservation, limits)
    return Reserved(
        f"reservation-{reservation.number}",
        reservation.pair.source,
        reservation.pair.destination,
        rate_bps,
        burst_bytes(rate_bps, reservation.rtt_ms, limit.share, limit.served),
    )
