"""Hosts, links and routes. An option that is None has the engine's default."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Napi:
    """Receive processing as in Linux: an interrupt starts polling, which continues while packets wait."""

    kind: ClassVar[str] = "napi"

    interrupt_us: float
    packet_us: float
    poll_pkts: int | None = None


@dataclass(frozen=True)
class DelayEmulator:
    """A delay emulator in front of a host's network card, as netem."""

    delay_us: float
    limit_buffers: int | None = None


@dataclass(frozen=True)
class HostOptions:
    """The hardware of a host; `nic_queue_bytes` counts link time."""

    nic_queue_bytes: int | None = None
    interrupt_gap_us: float | None = None
    stalls_per_s: float | None = None
    stall_us: float | None = None
    receive: Napi | None = None
    segmentation_offload: bool | None = None
    delay_emulator: DelayEmulator | None = None


@dataclass(frozen=True, kw_only=True)
class Host(HostOptions):
    """A host by its name."""

    name: str


@dataclass(frozen=True)
class Ethernet:
    """Ethernet frames, the smallest of them padded."""

    kind: ClassVar[str] = "ethernet"


@dataclass(frozen=True)
class Atm:
    """Cells of AAL5."""

    kind: ClassVar[str] = "atm"

    encapsulation_bytes: int | None = None


Framing = Ethernet | Atm


@dataclass(frozen=True)
class Link:
    """A link in both directions; `buffer_bytes` and `reopen_bytes` are of routers that have no port for it."""

    from_: str
    to: str
    rate_bps: float
    delay_us: float
    framing_bytes: int | None = None
    framing: Framing | None = None
    buffer_bytes: int | None = None
    reopen_bytes: int | None = None
    loss_probability: float | None = None

    @property
    def ends(self) -> frozenset[str]:
        """The names of both nodes."""
        return frozenset((self.from_, self.to))


@dataclass(frozen=True)
class Route:
    """A static route: packets for host `to` leave router `at` through neighbour `via`."""

    at: str
    to: str
    via: str
