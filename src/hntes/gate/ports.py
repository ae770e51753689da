"""Conversion of the parsed model to the plans of its ports, as the simulator takes them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from hntes.gate.adopted_port import simulated_port
from hntes.gate.colours import early_drops, is_marker, loss_priorities, marker_plan
from hntes.gate.errors import NotJudgedError
from hntes.gate.marking import ecn_plan
from hntes.gate.policing import LEAST_BURST_BYTES, drops_marked, marked, policer_plan
from hntes.gate.premium import Promised, premium_plan, reservation_words
from hntes.gate.served import as_served
from hntes.gate.treatment import QueueAssignment, alpha_treatment, beta_treatment
from hntes.platforms.effective import EffectiveModel, Policer, Port, Queue
from hntes.platforms.ports import ROUNDING_PCT, buffer_share_pct
from hntes.rules.pairs import PrefixPair
from hntes.simulator import EarlyDrops, MarkerPlan, PlanError, PolicerPlan, PortPlan, QueuePlan
from hntes.simulator.testbed.files import Sharing
from hntes.simulator.testbed.premium_plan import PremiumPlan, total_bps

# All ports are simulated at the testbed's rate: shares, times and loads relative to the link stay (decision 8).
SIMULATED_BPS = 10_000_000_000
# The buffer that a simulated port has, whatever the port's own: queues count by the time they hold (decision 52).
SIMULATED_BUFFER_MS = 100
# What a text leaves of the operator's class of service on core ports.
Keeps = Literal["nothing", "classes", "queues"]
_FLOAT_MS = 1e-6
# Lengths from so many ms on are rounded to so many digits: ms, packets and per cent of one length are one plan.
_LENGTH_DIGITS = ((4.0, 1), (0.4, 2), (0.0, 3))
PRIORITIES = ("high", "medium-high", "medium-low", "low")
EQUAL_RANK_NOTE = "the platform ranks these queues alike; simulated as fair queueing by share at one priority"


@dataclass(frozen=True)
class PlannedPort:
    """One or several core ports with the same plan, and words for what it was made from.

    `premium` are the reservations at the slowest of them, of which they take the most; None where there are none.
    `reserved_words` are their prefix pairs by their names there. `buffer_ms` is the whole buffer of the port.
    `kept` are the plan's queues of the operator's other classes, where he keeps them.
    """

    ports: tuple[str, ...]
    plan: PortPlan
    queue_words: tuple[tuple[str, str], ...]
    policer_words: str
    notes: tuple[str, ...]
    premium: PremiumPlan | None = None
    reserved_words: tuple[tuple[str, str], ...] = ()
    buffer_ms: float = SIMULATED_BUFFER_MS
    kept: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The ports, for sentences."""
        return ", ".join(self.ports)

    def words_of(self, queue: str) -> str:
        """A queue of the plan in words: number, name and line of the text."""
        return dict(self.queue_words)[queue]

    def length_ms(self, queue: str) -> float:
        """How long a queue of the plan may grow, as the time that the link takes to send it."""
        share_pct = next(each.buffer_share_pct for each in self.plan.queues if each.name == queue)
        whole_bytes = self.plan.buffer_bytes
        whole_ms = SIMULATED_BUFFER_MS if whole_bytes is None else whole_bytes * 8 * 1000 / SIMULATED_BPS
        return round(share_pct * whole_ms / 100, 3)

    def pair_of(self, reserved: str) -> str:
        """The prefix pair of a reservation of the plan."""
        return dict(self.reserved_words)[reserved]

    @property
    def is_single_queue(self) -> bool:
        return self.plan.alpha_queue == self.plan.beta_queue


def planned_ports(
    model: EffectiveModel,
    pairs: Iterable[PrefixPair],
    *,
    alpha_queue: int,
    port_buffer_ms: float,
    promised: Sequence[Promised] = (),
    keeps: Keeps = "nothing",
) -> list[PlannedPort]:
    """The plans of all core ports, equal ones once.

    Args:
        model: What was read back.
        pairs: The rules whose packets are alpha traffic.
        alpha_queue: The queue of alpha packets if there is no pair.
        port_buffer_ms: What the buffers of a port are shares of.
        promised: The reservations; `model` is then without their entries.
        keeps: What of the operator's the ports have: his classes in queues of HNTES, or his own queues.

    Raises:
        NotJudgedError: something is not simulated exactly; it is named.
    """
    wanted = list(pairs)
    alpha, beta = alpha_treatment(model, wanted, alpha_queue), beta_treatment(model, wanted)
    if not model.ports:
        raise NotJudgedError("the router has no core port")
    found: list[PlannedPort] = []
    for each in model.ports:
        port = as_served(each, {alpha.queue, beta.queue})
        if keeps == "queues":
            fitted = simulated_port(port, alpha.queue, beta.queue)
            made = _planned(fitted.port, alpha, beta, port_buffer_ms, promised)
            made = replace(made, notes=(*made.notes, *fitted.notes))
        else:
            made = _planned(port, alpha, beta, port_buffer_ms, promised)
        if keeps != "nothing":
            made = replace(made, kept=_others(made.plan))
        same = next((index for index, one in enumerate(found) if one.plan == made.plan), None)
        if same is None:
            found.append(made)
        else:
            harder = max(found[same], made, key=_reserved_bps)
            found[same] = replace(found[same], ports=(*found[same].ports, *made.ports), premium=harder.premium)
    return found


def _others(plan: PortPlan) -> tuple[str, ...]:
    """The queues that neither the pairs nor unmarked traffic use."""
    return tuple(each.name for each in plan.queues if each.name not in (plan.alpha_queue, plan.beta_queue))


def _reserved_bps(port: PlannedPort) -> float:
    """The reservations at the simulated rate: a larger share on a slower port."""
    return total_bps(port.premium.reserved) if port.premium is not None else 0.0


def _planned(
    port: Port, alpha: QueueAssignment, beta: QueueAssignment, port_buffer_ms: float, promised: Sequence[Promised]
) -> PlannedPort:
    alpha_queue, beta_queue = _served(port, alpha.queue), _served(port, beta.queue)
    names = _names(port, alpha_queue, beta_queue)
    lengths_ms = {id(queue): _length_ms(queue, port, port_buffer_ms) for queue in port.queues}
    whole_ms = _simulated_buffer_ms(lengths_ms.values())
    queues: list[QueuePlan] = []
    notes: list[str] = []
    for queue in port.queues:
        where = f"{port.name}: {_words(queue)}"
        is_alpha_alone = queue is alpha_queue is not beta_queue
        ecn, remarks = ecn_plan(queue, where, is_alpha_alone=is_alpha_alone, is_policed=alpha.policer is not None)
        drops, by_colour = False, tuple[EarlyDrops, ...]()
        if ecn is None:
            drops, by_colour, remarks = _drops(queue, alpha.policer if queue is alpha_queue else None, where)
        notes += remarks
        shares = queue.share_pct, 100 * lengths_ms[id(queue)] / whole_ms
        queues.append(QueuePlan(names[id(queue)], *shares, _rank(queue, port), drops, ecn, by_colour))
    if all(queue.priority is None for queue in port.queues):
        notes.append(EQUAL_RANK_NOTE)
    policer, marker = _policed(port, alpha, names)
    try:
        in_order = tuple(sorted(queues, key=lambda queue: queue.name))
        plan = PortPlan(
            in_order, names[id(alpha_queue)], names[id(beta_queue)], _sharing(port), policer, marker,
            _buffer_bytes(whole_ms),
        )  # fmt: skip
    except PlanError as cause:
        raise NotJudgedError(f"{port.name}: {cause}") from cause
    words = "" if alpha.policer is None else f"policer {alpha.policer.name}".rstrip()
    queue_words = tuple(sorted((names[id(queue)], _words(queue)) for queue in port.queues))
    premium = premium_plan(promised, port, plan, _by_number(port, names), SIMULATED_BPS / port.rate_bps)
    return PlannedPort(
        (port.name,),
        plan,
        queue_words,
        words,
        tuple(notes),
        premium,
        tuple(reservation_words(promised).items()),
        port_buffer_ms,
    )


def _drops(queue: Queue, policer: Policer | None, where: str) -> tuple[bool, tuple[EarlyDrops, ...], tuple[str, ...]]:
    """The early drops of a queue behind a policer, for all marked packets alike or by colour, with notes."""
    if policer is not None and is_marker(policer):
        by_colour, notes = early_drops(queue, loss_priorities(policer), where)
        return False, by_colour, notes
    exceed = marked(policer)
    drops, notes = drops_marked(queue, None if exceed is None else exceed.loss_priority, where)
    return drops, (), notes


def _policed(port: Port, alpha: QueueAssignment, names: dict[int, str]) -> tuple[PolicerPlan | None, MarkerPlan | None]:
    """The policer of two colours on alpha packets, or the marker of three."""
    policer, factor = alpha.policer, SIMULATED_BPS / port.rate_bps
    if policer is None:
        return None, None
    if is_marker(policer):
        return None, marker_plan(policer, alpha.queue, factor)
    return policer_plan(policer, alpha.queue, _by_number(port, names), factor), None


def _by_number(port: Port, names: dict[int, str]) -> dict[int, str]:
    """The plan's names of the queues that serve queue numbers."""
    return {number: names[id(served)] for number in range(64) if (served := port.queue_of(number))}


def _served(port: Port, number: int) -> Queue:
    queue = port.queue_of(number)
    if queue is None:
        raise NotJudgedError(f"{port.name}: queue {number} has no scheduler")
    return queue


def _names(port: Port, alpha_queue: Queue, beta_queue: Queue) -> dict[int, str]:
    """Names by the role of a queue, the same on all platforms."""
    names = {id(beta_queue): "beta"}
    names[id(alpha_queue)] = "alpha" if alpha_queue is not beta_queue else "shared"
    others = [queue for queue in port.queues if id(queue) not in names]
    others.sort(key=lambda queue: (queue.numbers, queue.code_points), reverse=True)
    return names | {id(queue): f"other{number}" for number, queue in enumerate(others, 1)}


def _length_ms(queue: Queue, port: Port, port_buffer_ms: float) -> float:
    """How long a queue may grow, as the time that the link takes to send it.

    Raises:
        NotJudgedError: the text does not say, or it is longer than the port's buffer.
    """
    where = f"{port.name}: {_words(queue)}"
    if queue.buffer is None:
        raise NotJudgedError(f"{where}: its maximum length is unknown")
    share_pct = buffer_share_pct(queue, port.rate_bps, port_buffer_ms)
    length_ms = rounded_ms(share_pct * port_buffer_ms / 100)
    if not length_ms or share_pct > 100 + ROUNDING_PCT:
        raise NotJudgedError(f"{where}: its buffer is {share_pct:.3g}% of the port's {port_buffer_ms:g} ms")
    return length_ms


def _simulated_buffer_ms(lengths_ms: Collection[float]) -> int:
    """The testbed's buffer, or a larger one that holds all queues: it follows from their lengths alone."""
    together_ms = sum(lengths_ms)
    fits = together_ms <= SIMULATED_BUFFER_MS + _FLOAT_MS
    return SIMULATED_BUFFER_MS if fits else ceil(together_ms)


def _buffer_bytes(whole_ms: int) -> int | None:
    """The size of a simulated buffer; None: that of the testbed."""
    return None if whole_ms == SIMULATED_BUFFER_MS else SIMULATED_BPS // 8_000 * whole_ms


def rounded_ms(length_ms: float) -> float:
    """A queue's length as it is simulated: to 1.25%.

    Example:
        >>> rounded_ms(54.9996), rounded_ms(1.2345), rounded_ms(0.2751)
        (55.0, 1.23, 0.275)
    """
    exact_ms = round(length_ms, 9)  # halves go one way, however they were reckoned
    return round(exact_ms, next(digits for least_ms, digits in _LENGTH_DIGITS if exact_ms >= least_ms))


def _rank(queue: Queue, port: Port) -> int:
    """0 goes first; queues of a platform without ranks are all 0."""
    if queue.priority == "strict-high":
        raise NotJudgedError(f"{port.name}: {_words(queue)} is strict-high, which is not simulated")
    present = sorted({PRIORITIES.index(each.priority) for each in port.queues if each.priority in PRIORITIES})
    return present.index(PRIORITIES.index(queue.priority)) if queue.priority is not None else 0


def _sharing(port: Port) -> Sharing:
    ceilings = {queue.ceiling for queue in port.queues}
    if ceilings == {"none"}:
        return "work_conserving"
    if ceilings == {"exact"}:
        return "strictly_partitioned"
    listed = ", ".join(sorted(ceilings))
    raise NotJudgedError(f"{port.name}: limits of its queues ({listed}) are not simulated: none, or all exact")


def _words(queue: Queue) -> str:
    if not queue.numbers and not queue.code_points:
        return f"class {queue.label} (line {queue.line})"
    number = "/".join(str(each) for each in queue.numbers) or "of DSCP " + "/".join(map(str, queue.code_points))
    name = queue.label or ("class-default" if queue.is_default else "")
    line = f", line {queue.line}" if queue.line else ""
    return f"queue {number} ({name}{line})" if name or line else f"queue {number}"


def single_queue(buffer_ms: float) -> PortPlan:
    """What a plan is compared with in figures: one queue that has the link and the port's whole buffer."""
    whole_ms = _simulated_buffer_ms([buffer_ms])
    queue = QueuePlan("shared", 100, 100 * buffer_ms / whole_ms)
    return PortPlan((queue,), "shared", "shared", buffer_bytes=_buffer_bytes(whole_ms))


def least_burst_bytes(port_rate_bps: int) -> int:
    """The smallest bucket that can be judged where a port of that rate is simulated with `SIMULATED_BPS`.

    Example:
        >>> least_burst_bytes(100_000_000_000)
        30000
    """
    return -(-LEAST_BURST_BYTES * port_rate_bps // SIMULATED_BPS)
