"""The numbers of `setup.toml`: what the paper states, and what it does not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hntes.papers.stated import read_setup
from hntes.simulator.scenario import Framing


@dataclass(frozen=True)
class Transfer:
    """A transfer through a committed access rate, by the configuration's burst."""

    transfer_bytes: int
    burst_bytes: Mapping[str, int]


@dataclass(frozen=True)
class Congestion:
    """A program that writes, and best effort that comes later; the class's weight by configuration."""

    window_bytes: int
    writer_bytes_s: int
    best_effort_bps: float
    best_effort_payload_bytes: int
    best_effort_from_s: float
    premium_weight_pct: Mapping[str, float]


@dataclass(frozen=True)
class Queueing:
    """A burst that a policer lets by; the policed share of the link by configuration."""

    premium_weight_pct: float
    policed_share: Mapping[str, float]


@dataclass(frozen=True)
class Channel:
    """What a manager hands out of the slow link, and best effort beside it."""

    channel_bps: float
    best_effort_bps: float
    premium_weight_pct: int


@dataclass(frozen=True)
class Request:
    """What a transfer asks for, in bit/s of IP bytes, and when."""

    rate_bps: int
    start_s: int
    end_s: int


@dataclass(frozen=True)
class Background:
    """A transfer that gets what others leave."""

    floor_bps: int
    most_bps: int


@dataclass(frozen=True)
class Requests:
    """What is asked of the manager; `rtt_ms` is the largest round-trip time that a request names."""

    duration_s: int
    rtt_ms: int
    foreground: tuple[Request, ...]
    background: Background


@dataclass(frozen=True)
class LinkFraming:
    """How a link frames packets, as the keys of a link give it."""

    framing: Framing | None = None
    framing_bytes: int | None = None


@dataclass(frozen=True)
class Assumed:
    """Of all experiments."""

    car_rate_bps: float
    round_trip_ms: float
    queue_bytes: int
    framing: LinkFraming
    queueing_round_trip_ms: float
    manager: Requests


@dataclass(frozen=True)
class Setup:
    """What all experiments have, and each one's own."""

    link_bps: float
    segment_data_bytes: int
    header_bytes: int
    car: Transfer
    congestion: Congestion
    queueing: Queueing
    manager: Channel
    assumed: Assumed

    @property
    def packet_bytes(self) -> int:
        return self.segment_data_bytes + self.header_bytes


@cache
def setup() -> Setup:
    """All numbers."""
    return read_setup(Setup, __file__)
