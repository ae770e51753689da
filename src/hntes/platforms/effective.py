"""The effective model: the vendor-neutral behaviour of a router, parsed from its configuration text.

The model identifies queues by number, which is common to all platforms: the number of a Junos queue, or the QoS group
that carries a class from input to output on Cisco. It holds only what a platform expresses: a Cisco class has no rank
among others, and its buffer is a time or a number of packets. Names and line numbers without effect are labels and are
not compared.
"""

from dataclasses import dataclass, field
from typing import Literal

from hntes.addresses import Address, Network
from hntes.platforms.hardware import Ranking
from hntes.rules.qos.model import Carrier, ForwardingClass, LossPriority
from hntes.settings.terms import Priority

BEST_EFFORT = 0
ANY_CLASS = "forwarding-class-default"

ProgramKind = Literal["filter", "access_list", "classes", "paths"]
BufferUnit = Literal["pct", "ms", "us", "packets", "bytes"]
Ceiling = Literal["none", "exact", "rate-limit", "shaped", "policed", "policed when congested"]


@dataclass(frozen=True)
class NextHop:
    """A redirection to an address; `resolves`: the router can resolve it with this text.

    `fallback` is used when the address is down; None if that is the routing table, or nothing.
    """

    address: Address
    resolves: bool
    fallback: Address | None = None


@dataclass(frozen=True)
class Tunnel:
    """A redirection into a tunnel interface."""

    number: int


@dataclass(frozen=True)
class Lsp:
    """A redirection to the label-switched path with that name."""

    name: str


Path = NextHop | Tunnel | Lsp


@dataclass(frozen=True)
class Treatment:
    """The action of a policer on packets of one colour; None keeps queue, class or loss priority."""

    discard: bool = False
    queue: int | None = None
    forwarding_class: str | None = None
    loss_priority: LossPriority | None = None


@dataclass(frozen=True)
class Policer:
    """A policer with one or two token buckets. A two-colour policer has no `violate`.

    `excess_burst_bytes` is the EBS of RFC 2697 or the PBS of RFC 2698, as in `rules.qos.model`. `scope` is the traffic
    that shares the buckets: one term, all terms of a filter that name it, or all packets of a class.
    """

    committed_rate_bps: int
    committed_burst_bytes: int
    peak_rate_bps: int | None
    excess_burst_bytes: int | None
    color_aware: bool
    conform: Treatment
    exceed: Treatment
    violate: Treatment | None
    scope: Literal["term", "filter", "class"]
    per_interface: bool
    name: str = field(compare=False, default="")


@dataclass(frozen=True)
class Action:
    """The action of an entry on its packets. `next` continues with the entries below."""

    disposition: Literal["accept", "discard", "next"] = "accept"
    queue: int | None = None
    forwarding_class: str | None = None
    loss_priority: LossPriority | None = None
    policer: Policer | None = None
    path: Path | None = None


@dataclass(frozen=True)
class Entry:
    """One term or line: matches packets from any of `sources` to any of `destinations`; empty means any."""

    sources: tuple[Network, ...]
    destinations: tuple[Network, ...]
    action: Action
    label: str = field(compare=False, default="")
    line: int = field(compare=False, default=0)


@dataclass(frozen=True)
class Program:
    """Entries in order of evaluation, and the default action.

    `fast_lookup`: the line card looks them up in hardware; it does not change outcomes. `sets_exp`: each packet
    gets the EXP of imposed labels by its precedence, those of the entries 0.
    """

    kind: ProgramKind
    entries: tuple[Entry, ...]
    final: Action
    name: str = field(compare=False, default="")
    fast_lookup: bool = False
    sets_exp: bool = False


@dataclass(frozen=True)
class Edge:
    """The programs for input packets of one family on one interface. Each program sees each packet.

    `unmarked_queue` is the queue of a packet with DSCP 0 that no program puts elsewhere: an operator's classifier may
    have another than best effort.
    """

    interface: str
    unit: int
    ip_version: Literal[4, 6]
    programs: tuple[Program, ...]
    unmarked_queue: int = field(compare=False, default=BEST_EFFORT)


@dataclass(frozen=True)
class DropCurve:
    """The drop probability of one loss priority, interpolated between points (queue length, per cent)."""

    loss_priority: LossPriority
    unit: BufferUnit
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Buffer:
    """A queue's length: a per cent of the port's buffer, a time at the queue's own rate, packets or bytes.

    Only per cents have fractions. `is_rest`: it is what the other queues of the port leave.
    """

    amount: float
    unit: BufferUnit
    is_rest: bool = field(compare=False, default=False)


@dataclass(frozen=True)
class Queue:
    """One queue of a port.

    `numbers` are the queue's number or its QoS groups, `code_points` additional DSCP values.
    `is_default`: it serves all packets without another queue, as Cisco's class-default does.
    `priority` is None if the platform ranks all such queues alike. With `ecn`, ECN-capable packets (RFC 3168) are
    marked where `drops` would drop them. A `share_pct` of 0 is no guarantee. `limit_pct` is a shaping rate, in per cent
    of the port's. `is_rest`: its share is what the other queues of the port leave.
    """

    numbers: tuple[int, ...]
    code_points: tuple[int, ...]
    forwarding_classes: tuple[str, ...]
    is_default: bool
    share_pct: int
    ceiling: Ceiling
    priority: Priority | None
    buffer: Buffer | None
    drops: tuple[DropCurve, ...]
    average_weight: int | None
    ecn: bool = False
    limit_pct: int | None = None
    is_rest: bool = field(compare=False, default=False)
    label: str = field(compare=False, default="")
    line: int = field(compare=False, default=0)


@dataclass(frozen=True)
class Port:
    """One core port: its queues in the platform's order of assignment; none if unbound.

    `ranking` is what the router's hardware makes of priorities; None: not known, so that each ranks above the lower
    within its share. `carrier` is what brings packets into its queues (Cisco).
    """

    name: str
    rate_bps: int
    queues: tuple[Queue, ...]
    carrier: Carrier = "qos-group"
    ranking: Ranking | None = field(compare=False, default=None)

    def queue_of(self, number: int) -> Queue | None:
        """The queue that serves a queue number or QoS group; None if there is none."""
        for queue in self.queues:
            if number in queue.numbers:
                return queue
        for queue in self.queues:
            if queue.is_default:
                return queue
        return None


@dataclass(frozen=True)
class ClassPath:
    """CoS-based forwarding: the path of a forwarding class; None for next hops that are not LSPs.

    `falls_back`: other next hops are used when the path is down; `routes` are the governed routes and more specific
    ones, empty means all. The class `ANY_CLASS` is any class without its own path.
    """

    forwarding_class: str
    path: Path | None
    falls_back: bool = False
    routes: tuple[Network, ...] = ()


@dataclass(frozen=True)
class UnparsedStatement:
    """Statements of a whole configuration that the parser skipped: kind, lines and number.

    `touches` is the judged behaviour that they could change; None: none of it. Without `blocks` they are listed, but no
    reason not to judge.
    """

    text: str
    line: int
    last_line: int
    statements: int
    touches: str | None
    blocks: bool = True

    @property
    def is_reason(self) -> bool:
        """Whether the text cannot be judged because of them."""
        return self.touches is not None and self.blocks


@dataclass(frozen=True)
class EffectiveModel:
    """The whole behaviour of a text. Grain: one router, the interfaces of the settings.

    `merged` names the objects in use that the text does not replace as a whole: the router's earlier statements in
    them stay. `unparsed` lists the skipped statements by line, only for a whole configuration, since nothing of a
    candidate is skipped.
    """

    platform: str
    edges: tuple[Edge, ...]
    ports: tuple[Port, ...]
    classes: tuple[ForwardingClass, ...]
    class_paths: tuple[ClassPath, ...]
    merged: tuple[str, ...]
    unparsed: tuple[UnparsedStatement, ...] = field(compare=False, default=())

    @property
    def is_redirected(self) -> bool:
        """Whether any packet takes a path that the text configures."""
        actions = (entry.action for edge in self.edges for program in edge.programs for entry in program.entries)
        return bool(self.class_paths) or any(action.path is not None for action in actions)

    def path_of(self, forwarding_class: str | None) -> Path | None:
        """The path that CoS-based forwarding gives a class."""
        for each in self.class_paths:
            if each.forwarding_class == forwarding_class:
                return each.path
        return None


def buffer_bytes(queue: Queue, rate_bps: int, port_buffer_ms: float, packet_bytes: int = 1_500) -> int | None:
    """A queue's length in bytes on a port of that rate and buffer; None where the text does not say.

    Example:
        >>> from dataclasses import replace
        >>> queue = Queue((4,), (), (), False, 50, "none", None, Buffer(100, "ms"), (), None)
        >>> buffer_bytes(queue, 8_000_000_000, 100)
        50000000
        >>> buffer_bytes(replace(queue, buffer=Buffer(50, "pct")), 8_000_000_000, 100)
        50000000
    """
    if queue.buffer is None:
        return None
    amount = queue.buffer.amount
    match queue.buffer.unit:
        case "pct":
            return int(rate_bps * port_buffer_ms * amount // (8 * 1_000 * 100))
        case "ms":
            return int(rate_bps * queue.share_pct * amount // (8 * 1_000 * 100))
        case "us":
            return int(rate_bps * queue.share_pct * amount // (8 * 1_000_000 * 100))
        case "packets":
            return int(amount * packet_bytes)
        case "bytes":
            return int(amount)
