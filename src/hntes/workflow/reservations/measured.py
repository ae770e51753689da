"""Reserved and measured rates of the days before: the alpha flows of reserved pairs, as the nights have found them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hntes import clock
from hntes.etl.days import day_bounds_ms, day_of_ms
from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.calendar import Segment, calendar
from hntes.rules.reservations.measured import Carried, binned_bps, mean_bps
from hntes.rules.reservations.reservation import Port, Reservation
from hntes.sql import day_status, observations, reservations
from hntes.sql.entries import ObservationEntry
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context
from hntes.workflow.reservations.ports import as_reservation, limits_of

# A page reads the flows of so many reservations, the newest; a program may reserve thousands.
MOST_MEASURED = 50
BIN_S = 900
_DAY_S = 86_400


@dataclass(frozen=True)
class MeasuredReservation:
    """What one router saw of a reservation since the first day.

    Attributes:
        number: Of the reservation.
        router: A router of its path.
        pair: Its prefix pair.
        start_s: When it began, or the first day; seconds since 1970.
        end_s: When it ended or was cancelled, or now.
        promised_bps: The guaranteed rate.
        known_s: Seconds of that period on days whose flows were processed; only these are measured.
        mean_bps: The mean rate of alpha flows of the pair over `known_s`; None if that is 0.
        peak_bps: The mean rate of the fullest window of any of them that begins in the period; None without one.
    """

    number: int
    router: str
    pair: PrefixPair
    start_s: int
    end_s: int
    promised_bps: int
    known_s: int
    mean_bps: float | None
    peak_bps: float | None


@dataclass(frozen=True)
class MeasuredPort:
    """A port over the days: the promised rate by interval, and the measured rate in bins of `BIN_S` seconds.

    `measured_bps` has None in bins of days that were not processed.
    """

    port: Port
    start_s: int
    promised: tuple[Segment, ...]
    measured_bps: tuple[float | None, ...]


@dataclass(frozen=True)
class MeasuredDays:
    """The days from `first` through `last`: reservations, the newest first, and the ports that they crossed.

    `left_out` are older reservations of these days, which count in no rate.
    """

    first: date
    last: date
    reservations: tuple[MeasuredReservation, ...]
    ports: tuple[MeasuredPort, ...]
    left_out: int


def measured_days(context: Context, days: int) -> MeasuredDays:
    """The last `days` days up to now.

    Raises:
        CommandError: reservations are off.
    """
    limits, now_s = limits_of(context.settings), clock.now_s()
    last = day_of_ms(1000 * now_s)
    first = last - timedelta(days=days - 1)
    start_s = day_bounds_ms(first)[0] // 1000
    with reading(context.database) as session:
        stored = reservations.overlapping(session, start_s, now_s)
        chosen = [_valid(as_reservation(each), each.entry.cancelled_s) for each in stored[-MOST_MEASURED:]]
        routers = dict.fromkeys(port.router for each in chosen for port in each.ports)
        known = {
            router: {each.day for each in day_status.day_statuses(session, router, last, first)} for router in routers
        }
        flows = _flows(session, chosen, (first, last))
    measured = [
        _measured(each, router, flows[router, each.pair], known[router], (start_s, now_s))
        for each in reversed(chosen)
        for router in dict.fromkeys(port.router for port in each.ports)
    ]
    ports = [
        _port(port, [each for each in chosen if each.crosses(port)], flows, known[port.router], first, days)
        for port in limits
        if any(each.crosses(port) for each in chosen)
    ]
    return MeasuredDays(first, last, tuple(measured), tuple(ports), len(stored) - len(chosen))


def _valid(found: Reservation, cancelled_s: int | None) -> Reservation:
    """A reservation until it was cancelled."""
    if cancelled_s is None or cancelled_s >= found.end_s:
        return found
    return Reservation(**{**vars(found), "end_s": max(cancelled_s, found.start_s + 1)})


_Flows = dict[tuple[str, PrefixPair], tuple[ObservationEntry, ...]]


def _flows(session: Session, chosen: Iterable[Reservation], days: tuple[date, date]) -> _Flows:
    """The believed alpha flows of each reserved pair on each router of its path."""
    wanted = {(port.router, each.pair) for each in chosen for port in each.ports}
    return {
        (router, pair): tuple(
            flow
            for flow in observations.between(session, router, pair.source, pair.destination, days)
            if not flow.implausible
        )
        for router, pair in wanted
    }


def _measured(
    each: Reservation, router: str, flows: Sequence[ObservationEntry], known: Collection[date], span_s: tuple[int, int]
) -> MeasuredReservation:  # fmt: skip
    start_s, end_s = max(each.start_s, span_s[0]), min(each.end_s, span_s[1])
    parts = [part for day in sorted(known) if (part := _part_of(day, start_s, end_s))]
    known_s = sum(until_s - from_s for from_s, until_s in parts)
    carried = [_carried(flow) for flow in flows]
    rates = [mean_bps(carried, *part) * (part[1] - part[0]) / known_s for part in parts]
    peaks = [
        8 * flow.peak_bytes / flow.window_s for flow in flows if 1000 * start_s <= flow.peak_start_ms < 1000 * end_s
    ]
    return MeasuredReservation(
        each.number, router, each.pair, start_s, end_s, each.promised_bps, known_s, sum(rates) if known_s else None,
        max(peaks, default=None),
    )  # fmt: skip


def _part_of(day: date, start_s: int, end_s: int) -> tuple[int, int] | None:
    """The part of a period that is on that day."""
    day_s = day_bounds_ms(day)[0] // 1000
    from_s, until_s = max(start_s, day_s), min(end_s, day_s + _DAY_S)
    return (from_s, until_s) if from_s < until_s else None


def _port(
    port: Port, crossing: Sequence[Reservation], flows: _Flows, known: Collection[date], first: date, days: int
) -> MeasuredPort:
    start_s = day_bounds_ms(first)[0] // 1000
    end_s = start_s + days * _DAY_S
    pairs = {each.pair for each in crossing}
    carried = [_carried(flow) for pair in pairs for flow in flows[port.router, pair]]
    rates = binned_bps(carried, start_s, BIN_S, days * _DAY_S // BIN_S)
    per_day = _DAY_S // BIN_S
    is_known = [first + timedelta(days=number) in known for number in range(days)]
    measured = tuple(rate if is_known[number // per_day] else None for number, rate in enumerate(rates))
    promised = [each for each in calendar(crossing, port).segments(start_s) if each.start_s < end_s]
    return MeasuredPort(port, start_s, tuple(promised), measured)


def _carried(flow: ObservationEntry) -> Carried:
    """A flow's bytes of its day: a flow that lasts over midnight has an entry on each day."""
    start_ms, end_ms = day_bounds_ms(flow.day)
    return Carried(max(flow.first_ms, start_ms), min(flow.last_ms, end_ms), flow.flow_bytes)
