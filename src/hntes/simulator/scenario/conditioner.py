"""Traffic conditioners (RFC 2475): a meter in front of a queue, and an action per colour."""

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class TokenBucket:
    """One rate, one bucket: green or red."""

    kind: ClassVar[str] = "token_bucket"

    rate_bps: float
    burst_bytes: int


@dataclass(frozen=True)
class Srtcm:
    """Single-rate three-colour marker (RFC 2697)."""

    kind: ClassVar[str] = "srtcm"

    committed_rate_bps: float
    committed_burst_bytes: int
    excess_burst_bytes: int
    colour_aware: bool | None = None


@dataclass(frozen=True)
class Trtcm:
    """Two-rate three-colour marker (RFC 2698)."""

    kind: ClassVar[str] = "trtcm"

    committed_rate_bps: float
    committed_burst_bytes: int
    peak_rate_bps: float
    peak_burst_bytes: int
    colour_aware: bool | None = None


@dataclass(frozen=True)
class Tsw2cm:
    """Time-sliding window, two colours."""

    kind: ClassVar[str] = "tsw2cm"

    committed_rate_bps: float
    window_s: float


@dataclass(frozen=True)
class Tsw3cm:
    """Time-sliding window, three colours (RFC 2859)."""

    kind: ClassVar[str] = "tsw3cm"

    committed_rate_bps: float
    peak_rate_bps: float
    window_s: float


@dataclass(frozen=True)
class RttAware:
    """Time-sliding window whose yellow and red are weighted by round-trip times (Habib et al. 2002)."""

    kind: ClassVar[str] = "rtt_aware"

    committed_rate_bps: float
    peak_rate_bps: float
    window_s: float
    small_window_pkts: int | None = None


@dataclass(frozen=True)
class RttRtoAware:
    """Time-sliding window that divides the excess by round-trip times and timeouts (Habib et al. 2002)."""

    kind: ClassVar[str] = "rtt_rto_aware"

    committed_rate_bps: float
    window_s: float
    excess_exponent: int | None = None
    rto_exponent: int | None = None
    small_window_pkts: int | None = None


@dataclass(frozen=True)
class Car:
    """Cisco's committed access rate: a bucket that lends up to the extended burst."""

    kind: ClassVar[str] = "car"

    rate_bps: float
    normal_burst_bytes: int
    extended_burst_bytes: int


Meter = TokenBucket | Srtcm | Trtcm | Tsw2cm | Tsw3cm | RttAware | RttRtoAware | Car


@dataclass(frozen=True)
class ToClass:
    """The packet moves to another class of the port."""

    to_class: str


Action = Literal["pass", "drop"] | ToClass


@dataclass(frozen=True)
class Actions:
    """An action per colour; a colour without one passes and carries its colour."""

    green: Action | None = None
    yellow: Action | None = None
    red: Action | None = None


@dataclass(frozen=True)
class Conditioner:
    """A conditioner of the packets of a class.

    `aggregate`: one meter for the class, one per flow, or one per list of flows; None is "class".
    """

    class_: str
    meter: Meter
    aggregate: Literal["class", "flow"] | tuple[tuple[str, ...], ...] | None = None
    actions: Actions | None = None
    colour_series: bool | None = None
