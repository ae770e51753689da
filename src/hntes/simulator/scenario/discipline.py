"""Queue disciplines: which arrivals a queue accepts. An option that is None has the engine's default."""

from dataclasses import dataclass
from typing import ClassVar, Literal

# What the average behind a colour's drops counts: that colour (GRED), it and better ones (RIO), or all (WRED).
Averages = Literal["own", "better", "all"]


@dataclass(frozen=True)
class DropTail:
    """Accepts what fits."""

    kind: ClassVar[str] = "drop_tail"


@dataclass(frozen=True)
class Ramp:
    """Drop probability by occupancy: 0 up to `from_pct` of the queue, 1 from `to_pct` on, a straight line between."""

    from_pct: float
    to_pct: float


@dataclass(frozen=True)
class Ramps:
    """A ramp per colour; a colour without one is dropped by a full queue only."""

    green: Ramp | None = None
    yellow: Ramp | None = None
    red: Ramp | None = None


@dataclass(frozen=True)
class Wred:
    """Drops packets out of profile by occupancy, read in steps; with `ramps`, packets of each colour by its ramp."""

    kind: ClassVar[str] = "wred"

    step_pct: float
    ramps: Ramps | None = None


@dataclass(frozen=True)
class Red:
    """Random early detection by the averaged queue, one curve for all packets."""

    kind: ClassVar[str] = "red"

    average_weight: float
    min_pkts: float
    max_pkts: float
    max_probability: float
    gentle: bool | None = None
    mean_packet_bytes: int | None = None
    ecn: bool | None = None
    marks_below: float | None = None


@dataclass(frozen=True)
class Curve:
    """Drop probability by the averaged queue: 0 below `min_pkts`, `max_probability` at `max_pkts`."""

    min_pkts: float
    max_pkts: float
    max_probability: float
    gentle: bool | None = None


@dataclass(frozen=True)
class Curves:
    """A curve per colour."""

    green: Curve
    yellow: Curve
    red: Curve


@dataclass(frozen=True)
class Gred:
    """Random early detection with a curve per colour: RIO, GRED."""

    kind: ClassVar[str] = "gred"

    average_weight: float
    averages: Averages
    curves: Curves
    mean_packet_bytes: int | None = None
    ecn: bool | None = None
    marks_below: float | None = None


@dataclass(frozen=True)
class ProportionalIntegral:
    """The PI controller of Hollot et al. 2001."""

    kind: ClassVar[str] = "pi"

    a: float
    b: float
    reference_pkts: float
    frequency_hz: float
    ecn: bool | None = None


@dataclass(frozen=True)
class Rounds:
    """The separation of the rounds of a TCP flow at a router (Christin and Liebeherr 2003)."""

    gaps_per_round_trip: float | None = None
    round_trip_memory: float | None = None
    initial_round_trip_ms: float | None = None


@dataclass(frozen=True)
class ReferenceMarking:
    """Marks by what all TCP flows will send next."""

    kind: ClassVar[str] = "reference_marking"

    rounds: Rounds | None = None


@dataclass(frozen=True)
class HeuristicMarking:
    """Marks by what the TCP flows that send much will send next."""

    kind: ClassVar[str] = "heuristic_marking"

    threshold_bytes: int
    interval_s: float
    stages: int | None = None
    buckets: int | None = None
    rounds: Rounds | None = None


Marking = ReferenceMarking | HeuristicMarking
Discipline = DropTail | Wred | Red | Gred | ProportionalIntegral | Marking
