"""Admission of a reservation; a refusal names port, time, conflicting reservations, and the next start that fits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hntes.format import counted, exact_rate, rfc3339
from hntes.rules.reservations.calendar import Calendar, calendar
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation, ReservationError

_NAMED = 5


@dataclass(frozen=True)
class Full:
    """A period within the requested interval in which a port's cap would be exceeded, by at most `over_bps`.

    `reservations` are the numbers of those active there; none if the cap itself is too small.
    """

    port: Port
    start_s: int
    end_s: int
    over_bps: int
    reservations: tuple[int, ...]


@dataclass(frozen=True)
class SamePackets:
    """A period within the requested interval in which another reservation on a router matches the same packets."""

    router: str
    start_s: int
    end_s: int
    reservation: int


@dataclass(frozen=True)
class Refusal:
    """The reasons of a refusal by period, and the first later start of the same length that fits, None if there is
    none.
    """

    full: tuple[Full, ...]
    same_packets: tuple[SamePackets, ...]
    nearest_start_s: int | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The refusal in words, one sentence per period and one for the nearest slot."""
        nearest = (
            f"the first later start that fits is {_at(self.nearest_start_s)}"
            if self.nearest_start_s is not None
            else "no later start within the booking horizon fits"
        )
        return (*map(_full_words, self.full), *map(_same_words, self.same_packets), nearest)


def refusal(
    wanted: Reservation, booked: Sequence[Reservation], limits: Mapping[Port, PortLimit], horizon_s: int
) -> Refusal | None:
    """Why `wanted` does not fit with the existing reservations; None if it fits.

    At each instant, the sum of reservations must be at most the cap of each of its ports, and of all ports of its
    routers together if that has a limit. No other reservation on its routers may have overlapping prefixes at the same
    time.

    Args:
        wanted: The requested reservation.
        booked: All existing ones, of any port and time.
        limits: Each port of `wanted` with its limit; those that it does not cross do not matter.
        horizon_s: The nearest slot must end by then.

    Raises:
        ReservationError: a port has no limit.
    """
    require_ports(wanted, limits)
    others = [each for each in booked if each.end_s > wanted.start_s]
    over = [
        stretch
        for port in limits
        if wanted.crosses(port)
        for stretch in _over(calendar(others, port), wanted, port, limits[port].cap_bps - wanted.promised_bps)
    ]
    meeting = [
        SamePackets(router, max(each.start_s, wanted.start_s), each.end_s, each.number)
        for each in others
        for router in _common_routers(wanted, each)
        if _meet(wanted, each)
    ]
    full = tuple(_clipped(each, wanted, others) for each in over if each.start_s < wanted.end_s)
    same = tuple(_clipped_same(each, wanted) for each in meeting if each.start_s < wanted.end_s)
    if not full and not same:
        return None
    blocked = [(each.start_s, each.end_s) for each in over] + [(each.start_s, each.end_s) for each in meeting]
    return Refusal(full, same, _first_gap(blocked, wanted, horizon_s))


def require_ports(wanted: Reservation, limits: Mapping[Port, PortLimit]) -> None:
    """Refuses a path with a port without reservations.

    Raises:
        ReservationError: a port has no limit.
    """
    for port in wanted.ports:
        if port not in limits:
            raise ReservationError(f"reservation of {wanted.pair}: port {port} does not allow reservations")


@dataclass(frozen=True)
class _Over:
    """As `Full`, unclipped; `end_s` None: forever."""

    port: Port
    start_s: int
    end_s: int | None
    over_bps: int


def _over(booked: Calendar, wanted: Reservation, port: Port, room_bps: int) -> list[_Over]:
    """The periods from the requested start on with more than `room_bps` reserved, adjacent ones merged."""
    found: list[_Over] = []
    for segment in booked.segments(wanted.start_s):
        over_bps = segment.level_bps - room_bps
        if over_bps <= 0:
            continue
        if found and found[-1].end_s == segment.start_s:
            last = found.pop()
            found.append(_Over(port, last.start_s, segment.end_s, max(last.over_bps, over_bps)))
        else:
            found.append(_Over(port, segment.start_s, segment.end_s, over_bps))
    return found


def _clipped(over: _Over, wanted: Reservation, others: Iterable[Reservation]) -> Full:
    end_s = wanted.end_s if over.end_s is None else min(over.end_s, wanted.end_s)
    numbers = sorted(each.number for each in others if each.crosses(over.port) and each.overlaps(over.start_s, end_s))
    return Full(over.port, over.start_s, end_s, over.over_bps, tuple(numbers))


def _clipped_same(found: SamePackets, wanted: Reservation) -> SamePackets:
    return SamePackets(found.router, found.start_s, min(found.end_s, wanted.end_s), found.reservation)


def _common_routers(one: Reservation, other: Reservation) -> list[str]:
    return sorted({port.router for port in one.ports} & {port.router for port in other.ports})


def _meet(one: Reservation, other: Reservation) -> bool:
    """Whether a packet can match both."""
    return (
        one.pair.ip_version == other.pair.ip_version
        and one.pair.source.overlaps(other.pair.source)
        and one.pair.destination.overlaps(other.pair.destination)
    )


def _first_gap(blocked: Iterable[tuple[int, int | None]], wanted: Reservation, horizon_s: int) -> int | None:
    """The first start, not before the requested one, with the requested length free of blocked periods."""
    start_s = wanted.start_s
    for begins_s, ends_s in sorted(blocked, key=lambda stretch: stretch[0]):
        if begins_s >= start_s + wanted.length_s:
            break
        if ends_s is None:
            return None
        start_s = max(start_s, ends_s)
    return start_s if start_s + wanted.length_s <= horizon_s else None


def _full_words(full: Full) -> str:
    there = f"with {_numbers(full.reservations)}" if full.reservations else "the rate alone exceeds the cap"
    when = f"from {_at(full.start_s)} to {_at(full.end_s)}"
    what = f"router {full.port.router}, all its ports together," if full.port.is_all else f"port {full.port}"
    return f"{what} is over its cap by {exact_rate(full.over_bps)} {when}: {there}"


def _same_words(same: SamePackets) -> str:
    return (
        f"reservation {same.reservation} on router {same.router} matches the same packets from {_at(same.start_s)} "
        f"to {_at(same.end_s)}"
    )


def _numbers(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"reservation {numbers[0]}"
    named = ", ".join(map(str, numbers[:_NAMED]))
    more = f" and {counted(len(numbers) - _NAMED, 'more', 'more')}" if len(numbers) > _NAMED else ""
    return f"reservations {named}{more}"


def _at(moment_s: int) -> str:
    return rfc3339(moment_s * 1000)
