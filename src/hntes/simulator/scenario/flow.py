"""Flows: their ends, when they are on, and what they send. An option that is None has the engine's default."""

from dataclasses import dataclass
from typing import ClassVar, Literal

Congestion = Literal["reno", "htcp", "cubic", "bbr", "bbr3"]
TrafficKind = Literal["tcp", "udp", "ping"]


@dataclass(frozen=True)
class Endless:
    """More data than a connection can send."""

    kind: ClassVar[str] = "endless"


@dataclass(frozen=True)
class Transfer:
    """A fixed size."""

    kind: ClassVar[str] = "transfer"

    bytes: int


@dataclass(frozen=True)
class Writes:
    """A program that writes a fixed size at a fixed interval."""

    kind: ClassVar[str] = "writes"

    bytes: int
    every_ms: float


@dataclass(frozen=True)
class Bursts:
    """Bursts of random size with random pauses: exponential, or Pareto with a shape."""

    kind: ClassVar[str] = "bursts"

    mean_bytes: float
    mean_pause_s: float
    pareto_shape: float | None = None
    count: int | None = None


@dataclass(frozen=True)
class Web:
    """Pages of objects, each object by a connection of its own (HTTP/1.0)."""

    kind: ClassVar[str] = "web"

    objects_per_page: int
    mean_object_bytes: float
    mean_think_s: float
    pareto_shape: float | None = None
    pages: int | None = None


Data = Endless | Transfer | Writes | Bursts | Web


@dataclass(frozen=True)
class TcpTraffic:
    """One connection per interval. `profile` names the TCP that it has in place of the scenario's."""

    kind: ClassVar[TrafficKind] = "tcp"

    congestion: Congestion
    window_bytes: int | None = None
    profile: str | None = None
    data: Data | None = None


@dataclass(frozen=True)
class UdpOptions:
    """The sending pattern of datagrams."""

    datagram_bytes: int | None = None
    jitter: float | None = None
    poisson: bool | None = None
    on_off_s: tuple[float, float] | None = None
    wakeup_slack_us: float | None = None


@dataclass(frozen=True, kw_only=True)
class UdpTraffic(UdpOptions):
    """Datagrams at a rate of payload bits."""

    kind: ClassVar[TrafficKind] = "udp"

    rate_bps: float


@dataclass(frozen=True)
class PingTraffic:
    """Echo requests."""

    kind: ClassVar[TrafficKind] = "ping"

    interval_s: float
    ip_bytes: int | None = None
    poisson: bool | None = None
    wakeup_slack_us: float | None = None


Traffic = TcpTraffic | UdpTraffic | PingTraffic
Interval = tuple[float, float]


@dataclass(frozen=True)
class Flow:
    """A flow between two hosts; it is on in each interval."""

    name: str
    from_: str
    to: str
    intervals_s: tuple[Interval, ...]
    traffic: Traffic
    one_way_delays: bool | None = None
