"""Whether the texts of a path's routers can hold what is asked for.

What no text can hold is refused when it is booked: at its start it would block all other reservations of the router.
"""

from collections.abc import Iterable, Iterator, Mapping

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
    settings: Settings, asked: Reservation, limits: Mapping[Port, PortLimit], standing: Iterable[Reservation]
) -> None:
    """Refuses what the text of a router of the path could not hold, whatever room its ports have.

    Of a background transfer both what it is promised and the most that it takes must be policed: shares lie between.

    Raises:
        CommandError: a rate or a bucket cannot be policed, or not be judged by the gate, or a router has as many
            reservations as it takes at an instant of the asked interval.
        ReservationError: a port has no limit.
    """
    require_ports(asked, limits)
    limit = slowest_limit(asked, limits)
    least, most = (
        burst_bytes(bps, asked.rtt_ms, limit.share, limit.served) for bps in (asked.promised_bps, asked.rate_bps)
    )
    others = [each for each in standing if each.overlaps(asked.start_s, asked.end_s)]
    for name in dict.fromkeys(port.router for port in asked.ports):
        router = settings.router(name)
        if problem := next(_problems(router, asked, least, most), None):
            raise CommandError(f"reservation of {asked.pair}: router {name} cannot police it: {problem}")
        _require_place(router, asked, [each for each in others if any(port.router == name for port in each.ports)])


def _require_place(router: Router, asked: Reservation, others: Iterable[Reservation]) -> None:
    # Where no limit is known, the gate and a person are asked of each text.
    most = platform_of(router.platform).capabilities.max_reservations
    if most is not None and _most_at_once(others, asked) >= most:
        raise CommandError(
            f"reservation of {asked.pair}: router {router.name} polices at most {most} reservations at once; ask for "
            "another time, or for one reservation in the place of several"
        )


def _problems(router: Router, asked: Reservation, least_bytes: int, most_bytes: int) -> Iterator[str]:
    what = "for it"
    judged = max(least_burst_bytes(each.rate_bps) for each in router.interfaces if each.role != "edge")
    least_allowed = max(MIN_BURST_BYTES, judged)
    if asked.promised_bps < MIN_RATE_BPS:
        yield f"{asked.promised_bps} bit/s are below {MIN_RATE_BPS}; ask for more"
    if least_bytes < least_allowed:
        yield (
            f"its bucket of {least_bytes} bytes ({asked.promised_bps} bit/s, {asked.rtt_ms} ms) is below "
            f"{least_allowed}; ask for more, or for a longer round-trip time"
        )
    yield from policer_problems(router.platform, what, asked.promised_bps, least_bytes)
    if asked.kind == "background":
        # its shares are rounded to what a platform has a number for
        yield from policer_problems(router.platform, what, asked.rate_bps - asked.rate_bps % 1000, most_bytes)


def _most_at_once(others: Iterable[Reservation], asked: Reservation) -> int:
    """The most of these that are active at one instant of the asked interval."""
    changes = sorted(change for each in others for change in ((max(each.start_s, asked.start_s), 1), (each.end_s, -1)))
    most = active = 0
    for _, change in changes:  # what ends at an instant goes before what begins there
        active += change
        most = max(most, active)
    return most
