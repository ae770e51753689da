"""A reservation: a rate for a prefix pair, on named egress ports, from one instant until before another."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hntes.errors import HntesError
from hntes.format import exact_rate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.policer_rates import EVERY_RATE, PolicerRates
from hntes.rules.reservations.gara import GARA_SERVED_PCT

Kind = Literal["foreground", "background"]
Booking = Literal["immediate", "advance"]
# Far more than any port carries, and far less than 64 bits hold.
MOST_BPS = 10**14
MOST_RTT_MS = 2000
_ALL = "*"


class ReservationError(HntesError, ValueError):
    """An invalid reservation or port; the message names the field and the remedy."""


@dataclass(frozen=True, order=True)
class Port:
    """An egress port: a router of the settings and the name of its interface."""

    router: str
    interface: str

    def __str__(self) -> str:
        return f"{self.router} (all ports)" if self.is_all else f"{self.router}:{self.interface}"

    @classmethod
    def parse(cls, text: str) -> "Port":
        """A port from `ROUTER:INTERFACE`; names of routers hold no colon, those of interfaces may.

        Raises:
            ReservationError: a part is missing.
        """
        router, colon, interface = text.partition(":")
        if not (router and colon and interface):
            raise ReservationError(f"port {text!r}: write ROUTER:INTERFACE, such as r1:et-0/0/1")
        return cls(router, interface)

    @classmethod
    def all_of(cls, router: str) -> "Port":
        """All ports of a router as one: its policers do not depend on the egress port."""
        return cls(router, _ALL)

    @property
    def is_all(self) -> bool:
        """Whether it stands for all ports of the router."""
        return self.interface == _ALL


@dataclass(frozen=True)
class PortLimit:
    """The reservable part of a port, or of all ports of a router together.

    `cap_pct` per cent of `rate_bps`, from 1 to below `served_pct`: so many per cent the premium class is served with.
    `policed`: the rates to which the router polices what is promised.
    """

    rate_bps: int
    cap_pct: int
    served_pct: int = GARA_SERVED_PCT
    policed: PolicerRates = EVERY_RATE

    def __post_init__(self) -> None:
        if self.rate_bps < 1 or not 1 <= self.cap_pct < self.served_pct <= GARA_SERVED_PCT:
            raise ReservationError(
                f"a cap of {self.cap_pct} % of {exact_rate(self.rate_bps)}, served with {self.served_pct} %: "
                f"must be from 1 to {min(self.served_pct, GARA_SERVED_PCT) - 1} %"
            )

    @property
    def cap_bps(self) -> int:
        """The maximum reserved rate, whole bits per second."""
        return self.rate_bps * self.cap_pct // 100

    @property
    def share(self) -> Fraction:
        """The cap as a part of the port, x in GARA's rules."""
        return Fraction(self.cap_pct, 100)

    @property
    def served(self) -> Fraction:
        """The service share of the premium class, S in GARA's rules."""
        return Fraction(self.served_pct, 100)


@dataclass(frozen=True)
class Reservation:
    """One reservation, from `start_s` until before `end_s` (seconds since 1970, UTC).

    Attributes:
        number: Its public number; 0 before it has one.
        owner: Who is responsible.
        ticket: The ticket of the agreement, "" if none.
        pair: The prefix pair of its packets.
        rate_bps: The guaranteed rate of a foreground transfer; the maximum rate of a background one.
        floor_bps: The guaranteed rate of a background transfer; 0 for foreground.
        booking: `immediate` started when it was booked.
        rtt_ms: The maximum round-trip time of its path without queues.
        ports: The egress ports that it crosses.
    """

    number: int
    owner: str
    ticket: str
    pair: PrefixPair
    rate_bps: int
    start_s: int
    end_s: int
    kind: Kind
    floor_bps: int
    booking: Booking
    rtt_ms: int
    ports: tuple[Port, ...]

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise ReservationError(f"reservation of {self.pair}: {problem}")

    @property
    def promised_bps(self) -> int:
        """The guaranteed rate."""
        return self.rate_bps if self.kind == "foreground" else self.floor_bps

    @property
    def length_s(self) -> int:
        return self.end_s - self.start_s

    def crosses(self, port: Port) -> bool:
        """Whether that port is on its path; all ports of a router as one are, if any of them is."""
        return port in self.ports or (port.is_all and any(each.router == port.router for each in self.ports))

    def is_active(self, moment_s: int) -> bool:
        """Whether that instant lies within it."""
        return self.start_s <= moment_s < self.end_s

    def overlaps(self, start_s: int, end_s: int) -> bool:
        """Whether it has an instant in common with the interval."""
        return self.start_s < end_s and start_s < self.end_s

    def _problem(self) -> str | None:
        if not 1 <= self.rate_bps <= MOST_BPS:
            return f"rate {exact_rate(self.rate_bps)}; must be from 1 bit/s to {exact_rate(MOST_BPS)}"
        if self.kind == "background" and not 1 <= self.floor_bps <= self.rate_bps:
            return f"floor {exact_rate(self.floor_bps)}; must be from 1 bit/s to its rate, {exact_rate(self.rate_bps)}"
        if self.kind == "foreground" and self.floor_bps != 0:
            return "a floor is for background transfers only; foreground gets its whole rate"
        if self.start_s >= self.end_s:
            return "it ends before or at its start"
        if not 1 <= self.rtt_ms <= MOST_RTT_MS:
            return f"round-trip time {self.rtt_ms} ms; must be from 1 to {MOST_RTT_MS}"
        if not self.ports or len(set(self.ports)) != len(self.ports) or any(port.is_all for port in self.ports):
            return "list each egress port of its path once"
        return None
