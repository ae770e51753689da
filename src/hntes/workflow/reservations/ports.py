"""Reservable ports and their limits, and conversion of stored reservations."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hntes.platforms.registry import platform_of
from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.settings import Settings
from hntes.settings.model import Router
from hntes.settings.plans import Plan, TwoQueue
from hntes.settings.reservations import Reservations
from hntes.sql.reservations import StoredReservation
from hntes.workflow.errors import CommandError


class LostPortError(CommandError):
    """A reservation is on a port that is no longer a port with queues in the settings."""

    def __init__(self, number: int, port: Port) -> None:
        super().__init__(
            f"reservation {number}: port {port} is no longer a port with queues in the settings; restore it, or cancel "
            f"the reservation (hntes reserve cancel {number})"
        )
        self.number = number
        self.port = port


def section_of(settings: Settings) -> Reservations:
    """The section [reservations].

    Raises:
        CommandError: the section is missing, so reservations are off.
    """
    if settings.reservations is None:
        raise CommandError(
            "reservations are off: add the section [reservations] to the settings; hntes.example.toml shows it"
        )
    return settings.reservations


def limits_of(settings: Settings) -> dict[Port, PortLimit]:
    """The reservable rate of each port with queues. Units of one interface share its lowest rate.

    Where a router's plan has a class for reservations, its `premium_cap_pct` bounds the caps and, taken of the slowest
    port, the sum over all ports of the router: its configuration does not say by which port a reservation leaves.

    Raises:
        CommandError: reservations are off.
    """
    chosen = section_of(settings)
    caps = {Port(each.router, each.interface): each.cap_pct for each in chosen.ports}
    return {
        port: replace(limit, policed=platform_of(router.platform).capabilities.policer_rates)
        for router in settings.routers
        for port, limit in _limits_of_router(router, settings.plans[router.plan], caps, chosen.cap_pct).items()
    }


def _limits_of_router(router: Router, plan: Plan, caps: Mapping[Port, int], usual_pct: int) -> dict[Port, PortLimit]:
    rates: dict[Port, int] = {}
    for interface in router.interfaces:
        if interface.role != "edge":
            port = Port(router.name, interface.name)
            rates[port] = min(rates.get(port, interface.rate_bps), interface.rate_bps)
    if not isinstance(plan, TwoQueue) or plan.premium_share_pct is None:
        return {port: PortLimit(rate_bps, caps.get(port, usual_pct)) for port, rate_bps in rates.items()}
    cap_pct, served_pct = plan.premium_cap_pct, plan.premium_share_pct
    limits = {
        port: PortLimit(rate_bps, min(caps.get(port, usual_pct), cap_pct), served_pct)
        for port, rate_bps in rates.items()
    }
    slowest_bps = min(rates.values(), default=None)
    together = {} if slowest_bps is None else {Port.all_of(router.name): PortLimit(slowest_bps, cap_pct, served_pct)}
    return limits | together


def as_reservation(stored: StoredReservation) -> Reservation:
    """Converts a stored reservation for the rules."""
    e = stored.entry
    return Reservation(
        e.number, e.owner, e.ticket, PrefixPair.parse(f"{e.source}>{e.destination}"), e.rate_bps, e.start_s, e.end_s,
        "foreground" if e.kind == "foreground" else "background", e.floor_bps,
        "immediate" if e.booking == "immediate" else "advance", e.rtt_ms, tuple(Port(*port) for port in stored.ports),
    )  # fmt: skip


def require_limits(
    reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], router: str | None = None
) -> None:
    """Refuses to compute shares if a reserved port, of this router or (None) of any, is no longer in the settings.

    Raises:
        LostPortError: there is such a port.
    """
    for each in reservations:
        for port in each.ports:
            if port not in limits and router in (None, port.router):
                raise LostPortError(each.number, port)
