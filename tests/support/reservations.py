"""Reservations made up for tests, and the laws written apart from the program: second by second, bit by bit."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation

P1, P2 = Port("r1", "et-0/0/1"), Port("r2", "et-0/0/2")
LIMITS = {P1: PortLimit(100, 50), P2: PortLimit(100, 50)}
_RESERVATION = Reservation(
    number=1, owner="anna", ticket="T-1", pair=PrefixPair.parse("198.18.1.0/24>203.0.113.0/24"), rate_bps=20,
    start_s=0, end_s=10, kind="foreground", floor_bps=0, booking="advance", rtt_ms=100, ports=(P1,),
)  # fmt: skip


def reservation(number: int = 1, **changes: object) -> Reservation:
    """A foreground reservation of a pair of its own, from 0 to 10 s, 20 bit/s on P1."""
    own = PrefixPair.parse(f"198.18.{number // 256}.{number % 256}/32>203.0.113.0/24")
    return replace(_RESERVATION, **{"number": number, "pair": own, **changes})


def background(number: int, floor_bps: int, rate_bps: int, **changes: object) -> Reservation:
    """A background reservation."""
    return reservation(number, kind="background", floor_bps=floor_bps, rate_bps=rate_bps, **changes)


def random_reservation(
    chance: random.Random, number: int, ports: Sequence[Port], last_s: int, longest_s: int, most_bps: int
) -> Reservation:
    """A reservation of any kind on one to three of the ports; one in ten shares its prefixes with another's."""
    start_s = chance.randrange(last_s)
    rate_bps = chance.randint(1, most_bps)
    is_background = chance.random() < 0.4
    host = chance.randrange(8) if chance.random() < 0.1 else 1000 + number
    return reservation(
        number,
        pair=PrefixPair.parse(f"198.18.{host // 256}.{host % 256}/32>203.0.113.0/24"),
        start_s=start_s,
        end_s=start_s + chance.randint(1, longest_s),
        rate_bps=rate_bps,
        kind="background" if is_background else "foreground",
        floor_bps=chance.randint(1, rate_bps) if is_background else 0,
        ports=tuple(chance.sample(list(ports), chance.randint(1, min(3, len(ports))))),
    )


def fits(wanted: Reservation, booked: Sequence[Reservation], limits: Mapping[Port, PortLimit], start_s: int) -> bool:
    """Whether it may be promised from that start on: each second looked at, nothing merged, nothing kept."""
    return all(_fits_second(wanted, booked, limits, second) for second in range(start_s, start_s + wanted.length_s))


def _fits_second(
    wanted: Reservation, booked: Sequence[Reservation], limits: Mapping[Port, PortLimit], second: int
) -> bool:
    there = [each for each in booked if each.start_s <= second < each.end_s]
    for port in places(wanted, limits):
        promised = sum(_promised(each) for each in there if port in places(each, limits)) + _promised(wanted)
        if promised * 100 > limits[port].rate_bps * limits[port].cap_pct:
            return False
    routers = {port.router for port in wanted.ports}
    return not any(
        routers & {port.router for port in each.ports}
        and wanted.pair.source.overlaps(each.pair.source)
        and wanted.pair.destination.overlaps(each.pair.destination)
        for each in there
    )


def places(each: Reservation, limits: Mapping[Port, PortLimit]) -> set[Port]:
    """Where it counts: on its ports, and once on each of its routers that has a limit as a whole."""
    routers = {port.router for port in each.ports}
    return {*each.ports, *(port for port in limits if port.interface == "*" and port.router in routers)}


def _promised(each: Reservation) -> int:
    return {"foreground": each.rate_bps, "background": each.floor_bps}[each.kind]


def handed_out(active: Sequence[Reservation], limits: Mapping[Port, PortLimit]) -> dict[int, int]:
    """What background transfers get, by the definition: each bit to whoever has least over its floor."""
    sharing = {each.number: each for each in active if each.kind == "background"}
    got = {number: each.floor_bps for number, each in sharing.items()}

    def room(port: Port) -> int:
        foreground = sum(e.rate_bps for e in active if e.kind == "foreground" and port in places(e, limits))
        shared = sum(bps for number, bps in got.items() if port in places(sharing[number], limits))
        return limits[port].rate_bps * limits[port].cap_pct // 100 - foreground - shared

    def has_room(port: Port) -> bool:
        return room(port) > 0

    while True:
        able = [n for n, e in sharing.items() if got[n] < e.rate_bps and all(map(has_room, places(e, limits)))]
        if not able:
            return got
        got[min(able, key=lambda n: (got[n] - sharing[n].floor_bps, n))] += 1
