"""The settings of reservations: caps of ports, limits of duration and advance, delivery, webhooks."""

from collections.abc import Collection
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from hntes.settings.names import InterfaceName, Name
from hntes.settings.section import Section

# GARA's rule bounds the queue for less than 99 % of a port.
CapPct = Annotated[int, Field(ge=1, le=98)]


class PortCap(Section):
    """The cap of one egress port, in per cent of its rate."""

    router: Name
    """router that has the port"""
    interface: InterfaceName
    """the egress port, with role core or both"""
    cap_pct: CapPct
    """maximum reserved share of the port's rate"""


HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$")]
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Webhook(Section):
    """A URL notified of the rates of an owner's transfers: https, or http on this machine."""

    owner: Annotated[str, Field(min_length=1, max_length=200)]
    """owner of the transfers whose rates are sent"""
    url: Annotated[str, Field(pattern=r"^[!-~]{1,1000}$")]
    """https://HOST[:PORT]/PATH, or http on this machine"""

    @model_validator(mode="after")
    def _is_taken(self) -> Self:
        parts = urlsplit(self.url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
            raise ValueError(f"webhook of {self.owner}: must be https, or http to {', '.join(LOOPBACK)}")
        if not parts.hostname or parts.username is not None or parts.password is not None or parts.fragment:
            raise ValueError(
                f"webhook of {self.owner}: write https://HOST[:PORT]/PATH, without a user, a password or a fragment"
            )
        if parts.port == 0:
            raise ValueError(f"webhook of {self.owner}: port 0 is invalid")
        return self


class Reservations(Section):
    """Reservations on ports with role core or both, which have the queues.

    `cap_pct` of a port's rate may be reserved; `ports` have caps of their own. The plan's `premium_excess` sets the
    treatment of packets above a reservation's rate. Configurations of the next `propose_hours` are generated in advance
    and delivered `lead_s` before a reservation starts; `outside_windows`: also outside the windows of [delivery].
    `rtt_ms` is the default round-trip time of a reservation, `max_rtt_ms` the maximum: buckets grow with it, and all
    share one queue.
    A token of the API books nothing shorter than `api_min_length_s`, its owner has at most `api_max_standing` active
    and future reservations by it, and it books and cancels at most `api_changes_per_hour` times.
    `webhooks` are notified of the rates of an owner's transfers; their hosts must be in `webhook_hosts`, or this
    machine.
    """

    cap_pct: CapPct = 33
    rtt_ms: Annotated[int, Field(ge=1, le=2000)] = 100
    max_rtt_ms: Annotated[int, Field(ge=1, le=2000)] = 300
    max_duration_hours: Annotated[int, Field(ge=1, le=87_600)] = 720
    max_advance_days: Annotated[int, Field(ge=1, le=3650)] = 366
    propose_hours: Annotated[int, Field(ge=1, le=8784)] = 24
    lead_s: Annotated[int, Field(ge=0, le=3600)] = 120
    outside_windows: bool = False
    api_min_length_s: Annotated[int, Field(ge=1, le=86_400)] = 60
    api_max_standing: Annotated[int, Field(ge=1, le=10_000)] = 100
    api_changes_per_hour: Annotated[int, Field(ge=1, le=100_000)] = 120
    webhook_hosts: tuple[HostName, ...] = ()
    webhook_timeout_s: Annotated[int, Field(ge=1, le=60)] = 5
    """timeout of one call of a webhook"""
    webhooks: tuple[Webhook, ...] = ()
    ports: tuple[PortCap, ...] = ()

    @model_validator(mode="after")
    def _hosts_are_named(self) -> Self:
        for each in self.webhooks:
            host = urlsplit(each.url).hostname
            if host not in (*LOOPBACK, *(name.lower() for name in self.webhook_hosts)):
                raise ValueError(f"webhooks: {host} is not in webhook_hosts; add it there")
        return self

    @model_validator(mode="after")
    def _usual_time_is_allowed(self) -> Self:
        if self.rtt_ms > self.max_rtt_ms:
            raise ValueError(f"rtt_ms {self.rtt_ms} is above max_rtt_ms {self.max_rtt_ms}; raise that, too")
        return self

    @model_validator(mode="after")
    def _each_port_once(self) -> Self:
        named = [(each.router, each.interface) for each in self.ports]
        for router, interface in named:
            if named.count((router, interface)) > 1:
                raise ValueError(f"port {router}:{interface} is given twice")
        return self


def require_known_ports(reservations: Reservations | None, queued: Collection[tuple[str, str]]) -> None:
    """Refuses caps of ports that are not in `queued`, the router and interface of each port with role core or both.

    Raises:
        ValueError: there is such a cap.
    """
    for each in reservations.ports if reservations else ():
        if (each.router, each.interface) not in queued:
            raise ValueError(
                f"reservations.ports: {each.router}:{each.interface} is not an interface with queues; "
                "give one with role core or both"
            )
