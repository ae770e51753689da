"""A port's plan as data: any set of queues in the place of an experiment's own."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from hntes.errors import HntesError
from hntes.simulator.scenario import (
    Action,
    Actions,
    Conditioner,
    Discipline,
    DropTail,
    Port,
    PriorityWfq,
    Queue,
    Ramp,
    Ramps,
    Red,
    RouterParameters,
    Rule,
    Scheduler,
    StrictPartition,
    ToClass,
    TokenBucket,
    Wred,
)
from hntes.simulator.testbed.files import Sharing
from hntes.simulator.testbed.marker_plan import EarlyDrops, MarkerPlan

OutOfProfile = Literal["drop", "reclass", "mark"]
FULL_PACKET_BYTES = 1538  # 1500 of IP and 38 of Ethernet, as queues count them: link time
MAX_QUEUES = 32  # bits of the engine's set of queues that hold packets


class PlanError(HntesError):
    """A plan that no port can have; the message names the queue and the value."""


@dataclass(frozen=True)
class EcnPlan:
    """Marks (RFC 3168): with a probability that rises from 0 to 1 between two fill levels in per cent of the queue.

    Packets that cannot carry a mark are dropped instead; above the upper level all are.
    """

    from_pct: float
    to_pct: float = 100


@dataclass(frozen=True)
class QueuePlan:
    """One queue: its shares in per cent of the link's rate and the port's buffer, its priority (0 goes first).

    `drops_marked`: packets that a policer marked are dropped with the probability to which the queue is full.
    `early_drops`, behind a marker: those of the colours that are named are dropped so; of others only by a full queue.
    """

    name: str
    rate_share_pct: float
    buffer_share_pct: float
    priority: int = 0
    drops_marked: bool = False
    ecn: EcnPlan | None = None
    early_drops: tuple[EarlyDrops, ...] = ()


@dataclass(frozen=True)
class PolicerPlan:
    """A token bucket before the alpha queue: one per flow, or one for all of them. Rate in bit/s of IP bytes."""

    rate_bps: float
    burst_bytes: int
    per_flow: bool
    out_of_profile: OutOfProfile
    to_queue: str | None = None


@dataclass(frozen=True)
class PortPlan:
    """The queues of one port, which of them alpha and beta packets take, and the policer or marker on alpha packets.

    `buffer_bytes` is the port's buffer, of which queues have shares; None: that of the testbed's routers.
    """

    queues: tuple[QueuePlan, ...]
    alpha_queue: str
    beta_queue: str
    sharing: Sharing = "work_conserving"
    policer: PolicerPlan | None = None
    marker: MarkerPlan | None = None
    buffer_bytes: int | None = None

    def __post_init__(self) -> None:
        names = [queue.name for queue in self.queues]
        if not names or len(names) > MAX_QUEUES or len(set(names)) != len(names):
            raise PlanError(f"a port has 1 to {MAX_QUEUES} queues of different names, not {names}")
        for queue in self.queues:
            _check_queue(queue)
        if self.buffer_bytes is not None and self.buffer_bytes <= 0:
            raise PlanError(f"a port's buffer of {self.buffer_bytes} bytes holds nothing")
        total = sum(queue.rate_share_pct for queue in self.queues)
        if total > 100 + 1e-9:
            raise PlanError(f"shares of the rate add up to {total:g}%")
        for name in (self.alpha_queue, self.beta_queue):
            if name not in names:
                raise PlanError(f"there is no queue {name!r} among {names}")
        if self.policer is not None:
            self._check_policer(self.policer, names)
        if self.marker is not None:
            self._check_marker(self.marker)

    def _check_policer(self, policer: PolicerPlan, names: Sequence[str]) -> None:
        if self.alpha_queue == self.beta_queue:
            raise PlanError("a policer before a queue that alpha shares with beta would police beta, too")
        if policer.rate_bps <= 0 or policer.burst_bytes <= 0:
            raise PlanError(f"a policer of {policer.rate_bps:g} bit/s and {policer.burst_bytes} bytes lets nothing by")
        if (policer.out_of_profile == "reclass") != (policer.to_queue is not None):
            raise PlanError("a policer that moves packets, and no other, names the queue they go to")
        if policer.to_queue is not None and policer.to_queue not in names:
            raise PlanError(f"the policer's queue {policer.to_queue!r} is none of {names}")

    def _check_marker(self, marker: MarkerPlan) -> None:
        if self.policer is not None:
            raise PlanError("alpha packets pass a policer or a marker, not both")
        if self.alpha_queue == self.beta_queue:
            raise PlanError("a marker before a queue that alpha shares with beta would mark beta, too")
        if marker.problem is not None:
            raise PlanError(marker.problem)

    @property
    def hash(self) -> str:
        """SHA-256 of the plan, 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def port(self, at: str, to: str, router: RouterParameters, classes: Mapping[str, str]) -> Port:
        """The port for the engine.

        Args:
            at: Router.
            to: Neighbour that the port's link leads to.
            router: Parameters of routers.
            classes: Flow -> `alpha`, or anything else for beta.
        """
        buffer_bytes = self.buffer_bytes if self.buffer_bytes is not None else router.buffer_bytes
        return Port(
            at=at,
            to=to,
            buffer_bytes=buffer_bytes,
            scheduler=scheduler(router, self.sharing),
            reopen_bytes=router.reopen_bytes,
            queues=tuple(_queue(queue, router, buffer_bytes) for queue in self.queues),
            classifier=tuple(
                Rule(self.alpha_queue if name == "alpha" else self.beta_queue, flow=flow)
                for flow, name in classes.items()
            ),
            default_class=self.beta_queue,
            conditioners=self._conditioners(),
        )

    @property
    def marks(self) -> bool:
        """Whether a queue marks packets: then it matters whether hosts have ECN."""
        return any(queue.ecn is not None for queue in self.queues)

    def _conditioners(self) -> tuple[Conditioner, ...]:
        if self.marker is not None:
            return (self.marker.conditioner(self.alpha_queue),)
        return () if self.policer is None else (self._conditioner(self.policer),)

    def _conditioner(self, policer: PolicerPlan) -> Conditioner:
        red: Action = "drop" if policer.out_of_profile == "drop" else "pass"
        return policer_conditioner(
            self.alpha_queue,
            policer.rate_bps,
            policer.burst_bytes,
            per_flow=policer.per_flow,
            red=red if policer.to_queue is None else ToClass(policer.to_queue),
        )


def _queue(queue: QueuePlan, router: RouterParameters, buffer_bytes: int) -> Queue:
    return Queue(
        class_=queue.name,
        rate_share_pct=queue.rate_share_pct,
        buffer_share_pct=queue.buffer_share_pct,
        priority=queue.priority,
        discipline=discipline(router, drops_marked=queue.drops_marked, early_drops=queue.early_drops)
        if queue.ecn is None
        else marking(queue.ecn, buffer_bytes * queue.buffer_share_pct / 100),
    )


def scheduler(router: RouterParameters, sharing: Sharing) -> Scheduler:
    """The sharing of a port's link."""
    if sharing == "strictly_partitioned":
        return StrictPartition()
    return PriorityWfq(router.credit_window_us)


def discipline(router: RouterParameters, *, drops_marked: bool, early_drops: Sequence[EarlyDrops] = ()) -> Discipline:
    """The drop behaviour of a queue: tail drop, or early drop of marked packets with rising probability.

    `early_drops`: by colour in place of all marked ones alike.
    """
    if not drops_marked and not early_drops:
        return DropTail()
    ramps = {each.colour: Ramp(each.from_pct, each.to_pct) for each in early_drops}
    return Wred(router.wred_step_pct, Ramps(**ramps) if ramps else None)


def marking(ecn: EcnPlan, queue_bytes: float) -> Red:
    """The discipline of a queue of this size that marks: RED by the momentary queue, counted in full packets."""
    pkts_per_pct = queue_bytes / FULL_PACKET_BYTES / 100
    return Red(
        average_weight=1.0,
        min_pkts=ecn.from_pct * pkts_per_pct,
        max_pkts=ecn.to_pct * pkts_per_pct,
        max_probability=1.0,
        ecn=True,
    )


def policer_conditioner(
    traffic_class: str, rate_bps: float, burst_bytes: int, *, per_flow: bool, red: Action
) -> Conditioner:
    """A policer: a token bucket per flow or for the class; `red` is the action on packets above it."""
    return Conditioner(
        class_=traffic_class,
        aggregate="flow" if per_flow else "class",
        meter=TokenBucket(rate_bps, burst_bytes),
        actions=Actions(red=red),
    )


def _check_queue(queue: QueuePlan) -> None:
    _within(f"queue {queue.name}: rate_share_pct", queue.rate_share_pct)
    _within(f"queue {queue.name}: buffer_share_pct", queue.buffer_share_pct)
    if not 0 <= queue.priority < MAX_QUEUES:
        raise PlanError(f"queue {queue.name}: priority {queue.priority} is none of 0..{MAX_QUEUES - 1}")
    if queue.ecn is not None and not 0 <= queue.ecn.from_pct < queue.ecn.to_pct <= 100:
        raise PlanError(f"queue {queue.name}: marks from {queue.ecn.from_pct:g}% to {queue.ecn.to_pct:g}%")
    if queue.ecn is not None and (queue.drops_marked or queue.early_drops):
        raise PlanError(f"queue {queue.name}: drops what a policer marked, and marks packets itself")
    _check_early_drops(queue)


def _check_early_drops(queue: QueuePlan) -> None:
    colours = [each.colour for each in queue.early_drops]
    if queue.drops_marked and colours:
        raise PlanError(f"queue {queue.name}: drops all marked packets alike, or by colour, not both")
    if len(set(colours)) != len(colours):
        raise PlanError(f"queue {queue.name}: early drops of a colour stand twice ({', '.join(colours)})")
    for each in queue.early_drops:
        if not 0 <= each.from_pct < each.to_pct <= 100:
            line = f"early drops of {each.colour} packets from {each.from_pct:g}% to {each.to_pct:g}%"
            raise PlanError(f"queue {queue.name}: {line} do not rise within 0 to 100%")


def _within(what: str, share_pct: float) -> None:
    if not 0 < share_pct <= 100:
        raise PlanError(f"{what} is {share_pct:g}, not above 0 and at most 100")
