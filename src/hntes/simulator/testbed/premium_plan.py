"""Reservations at a port as data: whose packets a policer moves to which queue, beside the port's plan."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hntes.simulator.scenario import (
    Action,
    Actions,
    Conditioner,
    DropTail,
    Port,
    Queue,
    RouterParameters,
    Rule,
    ToClass,
)
from hntes.simulator.testbed.port_plan import MAX_QUEUES, PlanError, PolicerPlan, PortPlan, policer_conditioner

# A full packet in IP bytes, as policers count.
FULL_IP_BYTES = 1500
_Meter = tuple[str, PolicerPlan]


@dataclass(frozen=True)
class ReservedPlan:
    """One reservation at a port.

    Attributes:
        name: Its own among those of the port.
        rate_bps: What it is promised, in bit/s of IP bytes.
        window_bytes: The window of its sender, in IP bytes: the accepted burst.
        queue: The plan's queue of its packets, within the policer's rate if there is one.
        policer: What meters its packets; None: nothing does.
        served_share: The part of the link that its queue was meant to be served with, S in GARA's rules.
    """

    name: str
    rate_bps: float
    window_bytes: int
    queue: str
    policer: PolicerPlan | None
    served_share: float

    @property
    def window_s(self) -> float:
        """The duration of its window at its rate: round trip plus queueing delay."""
        return self.window_bytes * 8 / self.rate_bps

    @property
    def meter(self) -> _Meter | None:
        """The queue and policer of its packets."""
        return None if self.policer is None else (self.queue, self.policer)


@dataclass(frozen=True)
class PremiumPlan:
    """A port's plan, and the reservations at it.

    Raises:
        PlanError: two have one name, a queue is missing, a window holds no packet, or the engine cannot meter them.
    """

    port: PortPlan
    reserved: tuple[ReservedPlan, ...]

    def __post_init__(self) -> None:
        queues, names = {queue.name for queue in self.port.queues}, [each.name for each in self.reserved]
        if not names or len(set(names)) != len(names):
            raise PlanError(f"reservations at a port have different names, not {names}")
        for each in self.reserved:
            _check(each, queues)
        meters = self._meters()
        if len(queues) + len(meters) > MAX_QUEUES:
            raise PlanError(f"reservations with {len(meters)} different policers; {MAX_QUEUES - len(queues)} fit")
        if meters and self.port.sharing == "strictly_partitioned":
            raise PlanError("reservations beside queues that are held to their shares are not simulated")

    def engine_port(
        self, at: str, to: str, router: RouterParameters, classes: Mapping[str, str], unmetered: Mapping[str, str]
    ) -> Port:
        """The port for the engine; a flow with a reservation's name is metered as that reservation.

        A conditioner of the engine belongs to a queue, and reservations that share a queue have policers of their own.
        So their packets enter by queues without a share, in which nothing waits: all is moved on, or dropped.

        Args:
            at: Router.
            to: Neighbour that the port's link leads to.
            router: Parameters of routers.
            classes: Flow -> `alpha`, or anything else for beta.
            unmetered: Flow -> the queue that it goes to past all policers.
        """
        made = self.port.port(at, to, router, classes)
        entries = {meter: f"entry{number}" for number, meter in enumerate(self._meters(), 1)}
        reserved = [(each.name, entries[each.meter] if each.meter else each.queue) for each in self.reserved]
        rules = (Rule(queue, flow=flow) for flow, queue in (*reserved, *unmetered.items()))
        moving = (_moving(entry, queue, policer) for (queue, policer), entry in entries.items())
        return replace(
            made,
            queues=(*made.queues, *map(_entry, entries.values())),
            classifier=(*rules, *made.classifier),
            conditioners=(*made.conditioners, *moving),
        )

    def _meters(self) -> list[_Meter]:
        """The different ones: flows of one have buckets of their own, so equal reservations share it."""
        return sorted({each.meter for each in self.reserved if each.meter is not None}, key=repr)


def total_bps(reserved: Iterable[ReservedPlan]) -> float:
    """The sum of reservations, bit/s of IP bytes."""
    return sum(each.rate_bps for each in reserved)


def _check(reserved: ReservedPlan, queues: set[str]) -> None:
    moved_to = reserved.policer.to_queue if reserved.policer is not None else None
    if missing := {reserved.queue, moved_to or reserved.queue} - queues:
        known = ", ".join(sorted(queues))
        raise PlanError(f"reservation {reserved.name}: there is no queue {min(missing)!r} among {known}")
    if reserved.rate_bps <= 0 or reserved.window_bytes < FULL_IP_BYTES:
        size = f"{reserved.rate_bps:g} bit/s in windows of {reserved.window_bytes} bytes"
        raise PlanError(f"reservation {reserved.name}: {size} at the simulated rate; a window holds at least a packet")


def _entry(name: str) -> Queue:
    return Queue(name, rate_share_pct=0, buffer_share_pct=0, priority=0, discipline=DropTail())


def _moving(entry: str, queue: str, policer: PolicerPlan) -> Conditioner:
    """The conditioner of an entry: to the queue what is within the rate, and the rest to where the policer puts it."""
    to_queue = policer.to_queue if policer.out_of_profile == "reclass" else queue
    red: Action = "drop" if policer.out_of_profile == "drop" else ToClass(str(to_queue))
    made = policer_conditioner(entry, policer.rate_bps, policer.burst_bytes, per_flow=True, red=red)
    return replace(made, actions=Actions(green=ToClass(queue), red=red))
