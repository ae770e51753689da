"""The settings of reservations: how much of a port may be promised, for how long, and how far ahead."""

from collections.abc import Collection
from typing import Annotated, Self

from pydantic import Field, model_validator

from settings.names import InterfaceName, Name
from settings.section import Section

# GARA's rule bounds the queue for less than 99 % of a port.
CapPct = Annotated[int, Field(ge=1, le=98)]


class PortCap(Section):
    """The cap of one egress port, in per cent of its rate."""

    router: Name
    interface: InterfaceName
    cap_pct: CapPct


class Reservations(Section):
    """What may be reserved on ports with role core or both, which have the queues.

    `cap_pct` of a port's rate may be promised, `ports` name those with another cap. What becomes of packets above a
    reservation's rate, the plan says (`premium_excess`). The texts of the next `propose_hours` are made ahead; where
    something begins, they are delivered `lead_s` before; `outside_windows`: whatever the windows of [delivery] are.
    """

    cap_pct: CapPct = 33
    rtt_ms: Annotated[int, Field(ge=1, le=2000)] = 100
    longest_hours: Annotated[int, Field(ge=1, le=87_600)] = 720
    ahead_days: Annotated[int, Field(ge=1, le=3650)] = 366
    propose_hours: Annotated[int, Field(ge=1, le=8784)] = 24
    lead_s: Annotated[int, Field(ge=0, le=3600)] = 120
    outside_windows: bool = False
    ports: tuple[PortCap, ...] = ()

    @model_validator(mode="after")
    def _each_port_once(self) -> Self:
        named = [(each.router, each.interface) for each in self.ports]
        for router, interface in named:
            if named.count((router, interface)) > 1:
                raise ValueError(f"port {router}:{interface} is given twice")
        return self


def require_known_ports(reservations: Reservations | None, queued: Collection[tuple[str, str]]) -> None:
    """Refuses caps of ports that are none of `queued`: router and interface of each port with role core or both.

    Raises:
        ValueError: there is such a cap.
    """
    for each in reservations.ports if reservations else ():
        if (each.router, each.interface) not in queued:
            raise ValueError(
                f"reservations.ports: {each.router}:{each.interface} is no interface of these routers that has queues; "
                "name one with role core or both"
            )
