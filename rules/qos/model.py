"""The vendor-neutral configuration model: all configuration of one router by HNTES, before rendering.

Units are in the names: `_pct` per cent 0..100, `_bps` bit/s, `_bytes` bytes, `_ms` milliseconds.
"""

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from typing import Literal

from hntes.addresses import Network
from hntes.errors import HntesError
from hntes.rules.pairs import PrefixPair
from hntes.settings.terms import ALPHA, Priority

LossPriority = Literal["low", "medium-low", "medium-high", "high"]
PlanKind = Literal["single_queue", "two_queue", "scavenger_policer", "wred_policer", "three_color_marker"]
# What carries a class from input to output within a Cisco router.
Carrier = Literal["qos-group", "traffic-class"]
Role = Literal["edge", "core", "both"]

LOSS_PRIORITIES: tuple[LossPriority, ...] = ("low", "medium-low", "medium-high", "high")


class ModelError(HntesError, ValueError):
    """An invalid model; `problems` has one line per problem.

    Example:
        >>> str(ModelError(["queue 9 of class alpha is out of 0..7; choose another"]))
        'queue 9 of class alpha is out of 0..7; choose another'
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class ForwardingClass:
    """A class of traffic and the hardware queue, 0..7, that serves it."""

    name: str
    queue: int


@dataclass(frozen=True)
class DropPoint:
    """At `fill_pct` of the queue's buffer, `drop_pct` of the arriving packets are dropped."""

    fill_pct: int
    drop_pct: int


@dataclass(frozen=True)
class DropProfile:
    """A drop probability against queue occupancy, straight lines between its points."""

    name: str
    points: tuple[DropPoint, ...]


@dataclass(frozen=True)
class DropBinding:
    """The drop profile for packets of one loss priority in a queue."""

    loss_priority: LossPriority
    drop_profile: str


@dataclass(frozen=True)
class Scheduler:
    """The scheduler of one class's queue: shares of the link rate and of the port's buffer, and priority.

    With `ecn` a packet that can carry a mark (RFC 3168) gets one where its drop profile would drop it.
    """

    name: str
    forwarding_class: str
    transmit_share_pct: int
    buffer_share_pct: int
    priority: Priority
    drops: tuple[DropBinding, ...]
    ecn: bool = False


# The schedulers of the operator's classes in the map of HNTES: followed by the queue's number.
KEPT_SCHEDULER = "hntes-queue-"


def scheduler_name(traffic: str) -> str:
    """The name of the scheduler of a class of plans."""
    return f"hntes-{traffic}"


@dataclass(frozen=True)
class TwoColorPolicer:
    """A single token bucket; traffic above it changes class and/or loss priority, or is discarded."""

    name: str
    rate_bps: int
    burst_bytes: int
    out_forwarding_class: str | None
    out_loss_priority: LossPriority | None
    out_discard: bool


@dataclass(frozen=True)
class ThreeColorPolicer:
    """A colour-blind marker: RFC 2697 (`single_rate`) or RFC 2698 (`two_rate`).

    Green gets loss priority low, yellow medium-high, red high. `excess_burst_bytes` is the EBS of RFC 2697 and the
    PBS of RFC 2698; `peak_rate_bps` is the PIR of RFC 2698 and None for RFC 2697.
    """

    name: str
    marker: Literal["single_rate", "two_rate"]
    committed_rate_bps: int
    committed_burst_bytes: int
    peak_rate_bps: int | None
    excess_burst_bytes: int
    discard_red: bool


@dataclass(frozen=True)
class FilterTerm:
    """One prefix pair's term: its match and actions. `redirect` applies the model's redirect."""

    name: str
    source: Network
    destination: Network
    forwarding_class: str
    counter: str
    policer: str | None
    redirect: bool

    @cached_property
    def pair(self) -> PrefixPair:
        """The prefix pair that the term matches; one object, which keeps its hash and its place in the order."""
        return PrefixPair(self.source, self.destination)


@dataclass(frozen=True)
class Filter:
    """The ordered terms of one address family; the first that matches decides, `final_action` ends the list.

    `reserved` are those of reservations, each with its own policer; they precede `terms`, the pairs'.
    """

    name: str
    ip_version: Literal[4, 6]
    terms: tuple[FilterTerm, ...]
    final_action: Literal["accept", "discard"]
    reserved: tuple[FilterTerm, ...] = ()

    @property
    def all_terms(self) -> tuple[FilterTerm, ...]:
        """The terms in the order in which they are tried."""
        return self.reserved + self.terms


@dataclass(frozen=True)
class OperatorFilter:
    """The operator's own input filter of an interface for one family."""

    ip_version: Literal[4, 6]
    name: str


@dataclass(frozen=True)
class InterfaceBinding:
    """One logical interface: `edge` gets the filters on input, `core` the schedulers on output, `both` both.

    `ip_versions` are the families that it carries. `operator_filters` follow those of HNTES in an
    input-list (Junos only). `logical` is the logical interface on this port and unit, on platforms that name it apart
    from the port.
    """

    name: str
    unit: int
    role: Role
    rate_bps: int
    ip_versions: tuple[Literal[4, 6], ...] = (4, 6)
    operator_filters: tuple[OperatorFilter, ...] = ()
    logical: str | None = None

    def operator_filter(self, ip_version: int) -> str | None:
        """The operator's filter of a family, which follows that of HNTES; None if there is none."""
        return next((each.name for each in self.operator_filters if each.ip_version == ip_version), None)

    @property
    def is_edge(self) -> bool:
        return self.role in ("edge", "both")

    @property
    def is_core(self) -> bool:
        return self.role in ("core", "both")


@dataclass(frozen=True)
class Redirect:
    """The target of redirected terms: next hops by family, or an LSP (a name on Junos, else a tunnel).

    Junos only: a fallback is used when the next hop of its family is down, and the LSP is used for `routes` and more
    specific ones.
    """

    kind: Literal["next_hop", "lsp"]
    ipv4: IPv4Address | None
    ipv6: IPv6Address | None
    lsp_name: str | None
    tunnel: int | None
    fallback_ipv4: IPv4Address | None = None
    fallback_ipv6: IPv6Address | None = None
    routes: tuple[Network, ...] = ()


@dataclass(frozen=True)
class Marking:
    """Delivery of pairs by BGP FlowSpec instead of text: it marks them with a DSCP, 1..47 (RFC 8955).

    `redirect` is the route target ASN:NUMBER of a routing instance, None for none.
    """

    dscp: int
    redirect: str | None = None


@dataclass(frozen=True)
class Adopted:
    """What core ports keep of the operator's class of service: all of it, besides a class that HNTES may add (Junos).

    `forwarding_class` is the operator's class that takes the pairs; None: HNTES adds its own class to the scheduler map
    `policy`. A `policy` that is given is that of each core port. `is_by_queue`: the router lists its classes as
    `queue N NAME` (Junos). `carrier` is the mark by which that class takes packets (Cisco). `shares_with` are marks of
    other traffic that the operator accepts in that class.
    """

    forwarding_class: str | None = None
    policy: str | None = None
    is_by_queue: bool = False
    carrier: Carrier = "qos-group"
    shares_with: tuple[str, ...] = ()


@dataclass(frozen=True)
class RouterModel:
    """The whole configuration of one router. Grain: one router, one plan, one set of prefix pairs.

    `fast_lookup` asks a Junos line card to look filters up in hardware. With `flowspec` the pairs are announced. The
    sum of reservations is at most `premium_cap_pct` of the slowest core port; None if there can be none. With `adopted`
    the ports keep the operator's schedulers, and the model has at most the one class that takes the pairs.
    `hardware` is the family of the router, None if the settings name none.
    """

    router: str
    platform: str
    plan_kind: PlanKind
    forwarding_classes: tuple[ForwardingClass, ...]
    schedulers: tuple[Scheduler, ...]
    drop_profiles: tuple[DropProfile, ...]
    policers: tuple[TwoColorPolicer, ...]
    three_color_policers: tuple[ThreeColorPolicer, ...]
    filters: tuple[Filter, ...]
    interfaces: tuple[InterfaceBinding, ...]
    redirect: Redirect | None
    port_buffer_ms: int | float  # as in the settings: 100 stays 100, and hashes with it
    fast_lookup: bool = False
    flowspec: Marking | None = None
    premium_cap_pct: int | None = None
    adopted: Adopted | None = None
    hardware: str | None = None

    @property
    def keeps_classes(self) -> bool:
        """Whether classes of the operator stay: in their own schedulers, or in queues of the plan's."""
        return self.adopted is not None or any(each.name.startswith(KEPT_SCHEDULER) for each in self.schedulers)

    @property
    def policer_names(self) -> tuple[str, ...]:
        """The names of all policers, of both kinds."""
        return (*(each.name for each in self.policers), *(each.name for each in self.three_color_policers))

    def filter_of(self, ip_version: int) -> Filter:
        """The filter of one address family.

        Raises:
            KeyError: the model has none.
        """
        for each in self.filters:
            if each.ip_version == ip_version:
                return each
        raise KeyError(ip_version)

    def queue_of(self, forwarding_class: str) -> int:
        """The queue that serves a class.

        Raises:
            KeyError: the class is not defined.
        """
        for each in self.forwarding_classes:
            if each.name == forwarding_class:
                return each.queue
        raise KeyError(forwarding_class)

    def queue_for(self, traffic: str) -> int | None:
        """The queue of a plan's class (alpha, beta, ...), whatever its name on the router; None without one."""
        if traffic == ALPHA and self.adopted is not None:
            return self.forwarding_classes[0].queue if self.forwarding_classes else None
        for each in self.schedulers:
            if each.name == scheduler_name(traffic):
                return self.queue_of(each.forwarding_class)
        return None

    def scheduler_of(self, forwarding_class: str) -> Scheduler:
        """The scheduler of a class.

        Raises:
            KeyError: the class has none.
        """
        for each in self.schedulers:
            if each.forwarding_class == forwarding_class:
                return each
        raise KeyError(forwarding_class)
