"""Changes of the network during a run."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class LinkRate:
    """The rate of a link, in both directions."""

    kind: ClassVar[str] = "link_rate"

    at_s: float
    from_: str
    to: str
    rate_bps: float


@dataclass(frozen=True)
class RateShare:
    """The share of a class of its port's rate."""

    kind: ClassVar[str] = "rate_share"

    at_s: float
    at: str
    to: str
    class_: str
    rate_share_pct: float


@dataclass(frozen=True)
class BufferShare:
    """The share of a class of its port's buffer."""

    kind: ClassVar[str] = "buffer_share"

    at_s: float
    at: str
    to: str
    class_: str
    buffer_share_pct: float


@dataclass(frozen=True)
class MeterRate:
    """Rates of the meter that conditions a class."""

    kind: ClassVar[str] = "meter_rate"

    at_s: float
    at: str
    to: str
    class_: str
    rate_bps: float | None = None
    committed_rate_bps: float | None = None
    peak_rate_bps: float | None = None


Change = LinkRate | RateShare | BufferShare | MeterRate
