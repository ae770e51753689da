"""Admission check of a requested reservation against the configurations of the routers on its path.

A reservation that cannot be configured is refused at booking: at its start it would block all others of the router.
"""

from collections.abc import Iterable, Iterator, Mapping

from hntes.format import exact_rate
from hntes.gate.ports import least_burst_bytes
from hntes.platforms.registry import platform_of
from hntes.platforms.validate import policer_problems
from hntes.rules.qos.validate import MIN_BURST_BYTES, MIN_RATE_BPS
from hntes.rules.reservations.admission import require_ports
from hntes.rules.reservations.gara import burst_bytes
from hntes.rules.reservations.in_force import slowest_limit
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.settings import Settings
from hntes.settings.model import Router
from hntes.workflow.errors import CommandError


def require_texts(
    settings: Settings, asked: Reservation, limits: Mapping[Port, PortLimit], booked: Iterable[Reservation]
) -> None:
    """Refuses a request that a router of the path cannot configure, regardless of free capacity on its ports.

    For a background transfer both its guaranteed and its maximum rate must be policeable: shares lie between.

    Raises:
        CommandError: a rate or burst size cannot be policed or judged by the gate, or a router has its maximum number
            of reservations at an instant of the requested interval.
        ReservationError: a port has no limit.
    """
    require_ports(asked, limits)
    limit = slowest_limit(asked, limits)
    least, most = (
        burst_bytes(bps, asked.rtt_ms, limit.share, limit.served) for bps in (asked.promised_bps, asked.rate_bps)
    )
    others = [each for each in booked if each.overlaps(asked.start_s, asked.end_s)]
    for name in dict.fromkeys(port.router for port in asked.ports):
        router = settings.router(name)
        if problem := next(_problems(router, asked, least, most), None):
            raise CommandError(f"reservation of {asked.pair}: router {name} cannot police it: {problem}")
        _require_place(router, asked, [each for each in others if any(port.router == name for port in each.ports)])


def _require_place(router: Router, asked: Reservation, others: Iterable[Reservation]) -> None:
    # Where no limit is known, the gate and an operator judge each text.
    most = platform_of(router.platform).capabilities.max_reservations
    if most is not None and _most_at_once(others, asked) >= most:
        raise CommandError(
            f"reservation of {asked.pair}: router {router.name} polices at most {most} reservations at once; choose "
            "another time, or combine several reservations"
        )


def _problems(router: Router, asked: Reservation, least_bytes: int, most_bytes: int) -> Iterator[str]:
    what = "for it"
    judged = max(least_burst_bytes(each.rate_bps) for each in router.interfaces if each.role != "edge")
    least_allowed = max(MIN_BURST_BYTES, judged)
    if asked.promised_bps < MIN_RATE_BPS:
        yield f"{exact_rate(asked.promised_bps)} are below {MIN_RATE_BPS}; request more"
    if least_bytes < least_allowed:
        yield (
            f"its bucket of {least_bytes} bytes ({exact_rate(asked.promised_bps)}, {asked.rtt_ms} ms) is below "
            f"{least_allowed}; request more, or a longer round-trip time"
        )
    yield from policer_problems(router.platform, what, asked.promised_bps, least_bytes)
    if asked.kind == "background":
        # shares are rounded to rates that the platform can express
        yield from policer_problems(router.platform, what, asked.rate_bps - asked.rate_bps % 1000, most_bytes)


def _most_at_once(others: Iterable[Reservation], asked: Reservation) -> int:
    """The highest number of these that are active at one instant of the requested interval."""
    changes = sorted(change for each in others for change in ((max(each.start_s, asked.start_s), 1), (each.end_s, -1)))
    most = active = 0
    for _, change in changes:  # at one instant, ends are counted before starts
        active += change
        most = max(most, active)
    return most
