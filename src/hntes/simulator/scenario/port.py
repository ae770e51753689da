"""Router ports with several queues. An option that is None has the engine's default."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from hntes.simulator.scenario.conditioner import Conditioner
from hntes.simulator.scenario.discipline import Discipline, Marking
from hntes.simulator.scenario.document import ALWAYS_WRITTEN


@dataclass(frozen=True)
class PriorityWfq:
    """Guarantees by rate share and priority; what is left is shared, too."""

    kind: ClassVar[str] = "priority_wfq"

    credit_window_us: float | None = None


@dataclass(frozen=True)
class StrictPartition:
    """A queue never gets more than its share."""

    kind: ClassVar[str] = "strict_partition"


@dataclass(frozen=True)
class RoundRobin:
    """Surplus round robin."""

    kind: ClassVar[str] = "round_robin"

    quantum_bytes: int | None = None


@dataclass(frozen=True)
class ClassGuarantees:
    """Rates that follow the guarantees of the classes (JoBS, Christin and Liebeherr 2003)."""

    kind: ClassVar[str] = "class_guarantees"

    marking: Marking | None = None
    credits_at_arrivals: bool | None = None


Scheduler = PriorityWfq | StrictPartition | RoundRobin | ClassGuarantees


@dataclass(frozen=True)
class Guarantees:
    """The guarantees of a class besides its rate; ratios are of the next class to this one."""

    delay_ms: float | None = None
    loss_pct: float | None = None
    delay_ratio: float | None = None
    loss_ratio: float | None = None


@dataclass(frozen=True)
class Queue:
    """The queue of a class: shares of the link's rate and of the port's buffer; priority 0 is served first."""

    class_: str
    rate_share_pct: float
    buffer_share_pct: float
    priority: int | None = None
    excess_priority: int | None = None
    discipline: Discipline | None = None
    guarantees: Guarantees | None = None
    delay_bound_ms: float | None = None


@dataclass(frozen=True)
class Rule:
    """A classifier rule; a field that is None matches every packet. `flow` stands for the flow's 5-tuple."""

    class_: str
    from_: str | None = None
    to: str | None = None
    protocol: Literal["tcp", "udp", "icmp"] | None = None
    flow: str | None = None


@dataclass(frozen=True)
class Port:
    """The port of router `at` to its neighbour `to`; the first rule that matches a packet decides on its queue."""

    at: str
    to: str
    queues: tuple[Queue, ...]
    default_class: str
    classifier: tuple[Rule, ...] = field(default=(), metadata=ALWAYS_WRITTEN)
    conditioners: tuple[Conditioner, ...] = field(default=(), metadata=ALWAYS_WRITTEN)
    buffer_bytes: int | None = None
    scheduler: Scheduler | None = None
    reopen_bytes: int | None = None
    token_bucket_bytes: int | None = None
