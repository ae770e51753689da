"""Findings on the queues of a text's ports, independent of traffic."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hntes.platforms.adopted import adopted_findings
from hntes.platforms.effective import BEST_EFFORT, EffectiveModel, Port, Queue, buffer_bytes

# Rounding a buffer to whole ms at the class's own rate is off by half a ms; together the classes have at most the link
# rate, so one per cent of a 100 ms buffer covers all of them.
ROUNDING_PCT = 1.0


@dataclass(frozen=True)
class Finding:
    """One problem: its kind, its object, and a sentence for the operator."""

    kind: str
    subject: str
    sentence: str


def port_findings(model: EffectiveModel, alpha_queue: int, port_buffer_ms: float) -> Iterator[Finding]:
    """Findings on the core ports."""
    for port in model.ports:
        if not port.queues:
            yield Finding("no_schedulers", port.name, f"{port.name} has no schedulers: it uses the default queues")
            continue
        yield from _sums(port, port_buffer_ms)
        yield from _served(model, port, alpha_queue)
        for queue in port.queues:
            if queue.priority == "strict-high" and queue.ceiling == "none":
                sentence = f"{port.name}: {_name(queue)} is strict-high without a limit: it can starve all other queues"
                yield Finding("may_starve", port.name, sentence)


def adopted_port_findings(model: EffectiveModel, alpha_queue: int, port_buffer_ms: float) -> Iterator[Finding]:
    """Findings on core ports with the operator's queues: on that of the pairs, and on sums that cannot hold."""
    for port in model.ports:
        # A limit in packets, bytes or ms reserves nothing: those of all queues may be more than the buffer.
        shared = tuple(each for each in port.queues if each.buffer is not None and each.buffer.unit == "pct")
        yield from _rate_sum(port)
        yield from _buffer_sum(replace(port, queues=shared), port_buffer_ms)
    for each in adopted_findings(model, alpha_queue):
        yield Finding(
            "adopted_queue", each.port, f"{each.port}: the queue of the pairs (line {each.line}) {each.reason}"
        )


def _sums(port: Port, port_buffer_ms: float) -> Iterator[Finding]:
    yield from _rate_sum(port)
    yield from _buffer_sum(port, port_buffer_ms)


def _rate_sum(port: Port) -> Iterator[Finding]:
    shares = sum(queue.share_pct for queue in port.queues)
    if shares > 100:
        yield Finding("shares_above_100", port.name, f"{port.name}: shares of the rate add up to {shares}%")


def _buffer_sum(port: Port, port_buffer_ms: float) -> Iterator[Finding]:
    buffers = sum(buffer_share_pct(queue, port.rate_bps, port_buffer_ms) for queue in port.queues)
    is_exact = all(queue.buffer is None or queue.buffer.unit == "pct" for queue in port.queues)
    if buffers > 100 + (0 if is_exact else ROUNDING_PCT):
        sentence = f"{port.name}: shares of the buffer of {port_buffer_ms:g} ms add up to {buffers:.1f}%"
        yield Finding("buffers_above_100", port.name, sentence)


def buffer_share_pct(queue: Queue, rate_bps: int, port_buffer_ms: float) -> float:
    """A queue's share of the port's buffer, 0 where the text does not say.

    Example:
        >>> from hntes.platforms.effective import Buffer
        >>> queue = Queue((4,), (), (), False, 55, "none", None, Buffer(100, "ms"), (), None)
        >>> buffer_share_pct(queue, 10_000_000_000, 100)
        55.0
    """
    if queue.buffer is not None and queue.buffer.unit == "pct":
        return float(queue.buffer.amount)
    length = buffer_bytes(queue, rate_bps, port_buffer_ms) or 0
    return length * 100 * 8 * 1_000 / (rate_bps * port_buffer_ms)


def _served(model: EffectiveModel, port: Port, alpha_queue: int) -> Iterator[Finding]:
    numbers = {number for queue in port.queues for number in queue.numbers}
    for each in model.classes:
        if each.queue not in numbers or not any(each.name in queue.forwarding_classes for queue in port.queues):
            sentence = f"{port.name}: forwarding class {each.name} (queue {each.queue}) has no scheduler: it starves"
            yield Finding("class_without_scheduler", each.name, sentence)
    for number in sorted(_marks(model) - numbers):
        sentence = f"{port.name}: packets are put into queue {number}, which has no scheduler of its own"
        yield Finding("queue_without_scheduler", f"{port.name} queue {number}", sentence)
    best_effort, alpha = port.queue_of(BEST_EFFORT), port.queue_of(alpha_queue)
    if best_effort is None:
        sentence = f"{port.name}: queue {BEST_EFFORT}, where all other traffic goes, has no scheduler"
        yield Finding("queue_without_scheduler", f"{port.name} queue {BEST_EFFORT}", sentence)
    if alpha is not None and alpha is best_effort and alpha_queue != BEST_EFFORT:
        sentence = f"{port.name}: {_name(alpha)} serves alpha and all other traffic"
        yield Finding("alpha_shares_queue", f"{port.name} queue {alpha_queue}", sentence)


def _marks(model: EffectiveModel) -> set[int]:
    """The queues that entries or policers assign packets to."""
    found: set[int | None] = set()
    actions = {
        id(action): action
        for edge in model.edges
        for program in edge.programs
        for action in (program.final, *(entry.action for entry in program.entries))
    }
    for action in actions.values():
        found.add(action.queue)
        policer = action.policer
        if policer is not None:
            found |= {one.queue for one in (policer.conform, policer.exceed, policer.violate) if one is not None}
    return {queue for queue in found if queue is not None}


def _name(queue: Queue) -> str:
    return queue.label or f"queue {', '.join(str(number) for number in queue.numbers)}"
