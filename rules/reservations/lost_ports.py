"""Reservations some of whose ports have left the settings, as the routers of their other ports police them."""

from collections.abc import Container, Iterable
from dataclasses import replace

from hntes.rules.reservations.reservation import Port, Reservation


def on_known_ports(reservations: Iterable[Reservation], known: Container[Port]) -> tuple[Reservation, ...]:
    """These reservations on those of their ports that are known; those that have none are left out.

    Nobody knows what an unknown port has to share: a background transfer across one gets its floor, which it was
    promised, and leaves the rest of the known ports to others.
    """
    return tuple(found for each in reservations if (found := _on_known(each, known)) is not None)


def _on_known(each: Reservation, known: Container[Port]) -> Reservation | None:
    ports = tuple(port for port in each.ports if port in known)
    if ports == each.ports:
        return each
    return replace(each, ports=ports, rate_bps=each.promised_bps) if ports else None
