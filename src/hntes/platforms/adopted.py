"""The operator's ports that a candidate leaves as they are: read from his configuration, and what they must allow."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from hntes.platforms.effective import BEST_EFFORT, Buffer, EffectiveModel, Port, Queue
from hntes.platforms.parse import parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.remainders import with_queues
from hntes.rules.qos.model import Adopted, InterfaceBinding, RouterModel
from hntes.settings.terms import Priority

# From the first served on; of the same rank, queues share by weight.
RANKS: tuple[Priority, ...] = ("strict-high", "high", "medium-high", "medium-low", "low")
# Marks of bulk transfers, which may share a queue with the pairs: AF1x is High-Throughput Data and CS1 Low-Priority
# Data (RFC 4594, 4.8 and 4.10), LE is RFC 8622; 001 is CS1's precedence in three bits.
BULK_MARKS = frozenset(
    {"af11", "af12", "af13", "cs1", "le", "001010", "001100", "001110", "001000", "000001", "001"},
)
_BITS = {
    **{f"af{number}{drop}": f"{8 * number + 2 * drop:06b}" for number in range(1, 5) for drop in range(1, 4)},
    **{f"cs{number}": f"{8 * number:06b}" for number in range(8)},
}
_LIMITING = ("exact", "rate-limit", "shaped", "policed", "policed when congested")


@dataclass(frozen=True)
class AdoptedFinding:
    """Why an operator's queue cannot take the pairs: the port, the line of its scheduler (0: none), and the reason."""

    port: str
    line: int
    reason: str


def read_kept(platform: str, running: str, interfaces: Iterable[InterfaceBinding]) -> EffectiveModel:
    """The effective model of a running configuration without what HNTES delivered.

    Raises:
        ParseError: a statement that affects packets cannot be parsed.
    """
    text = "\n".join(platform_of(platform).kept_lines(running, ""))
    return parse_config(platform, text, interfaces, is_whole=True, is_merged=True, keeps_classes=True)


def expected_beside(model: RouterModel, running: str) -> EffectiveModel:
    """The effective model of a model's text in a running configuration.

    Raises:
        ParseError: the model keeps the operator's queues, and they cannot be parsed.
    """
    expected = platform_of(model.platform).expected(model)
    if model.adopted is None:
        return expected
    return kept_expected(expected, read_kept(model.platform, running, model.interfaces))


def kept_expected(expected: EffectiveModel, kept: EffectiveModel) -> EffectiveModel:
    """What a candidate gives beside the operator's classes: his ports and classes, and the class that it adds."""
    added = {port.name: port.queues for port in expected.ports}
    ports = tuple(with_queues(port, added.get(port.name, ())) for port in kept.ports)
    classes = {(each.queue, each.name): each for each in (*kept.classes, *expected.classes)}
    return replace(expected, ports=ports, classes=tuple(classes[key] for key in sorted(classes)))


def allowed_marks(adopted: Adopted) -> frozenset[str]:
    """The marks of other traffic that the class of the pairs may have, as names and as bits."""
    return BULK_MARKS | {each for mark in adopted.shares_with for each in (mark, _BITS.get(mark, mark))}


def names_of_marks(marks: Collection[str]) -> frozenset[str] | None:
    """Marks by their names where they have one; None without any: a statement that takes other packets, too."""
    names = {bits: name for name, bits in _BITS.items()}
    return frozenset(names.get(each, each) for each in marks) or None


def waiting_reason(name: str, marks: frozenset[str]) -> str:
    """Why a statement may not put packets with these marks into the class of the pairs; no marks: any packets."""
    what = f"packets marked {', '.join(sorted(marks))}" if marks else "packets"
    return (
        f"puts {what} into class {name}, in which they would wait behind the pairs: name a class for bulk "
        "transfers, or accept interactive data in adopt.shares_with"
    )


def adopted_findings(model: EffectiveModel, alpha_queue: int) -> Iterator[AdoptedFinding]:
    """What prevents the queue of the pairs from taking them, on each core port."""
    unmarked = {each.unmarked_queue for each in model.edges} or {BEST_EFFORT}
    for port in model.ports:
        queue = port.queue_of(alpha_queue)
        if queue is None or (queue.is_default and alpha_queue not in queue.numbers):
            yield AdoptedFinding(port.name, 0, f"queue {alpha_queue}, that of the pairs, has no scheduler of its own")
            continue
        yield from (AdoptedFinding(port.name, queue.line, reason) for reason in _unfit(queue))
        for number in sorted(unmarked):
            yield from _beside(port, queue, number)


def _unfit(queue: Queue) -> Iterator[str]:
    if queue.priority == "strict-high":
        yield "is of strict-high priority: alpha flows would starve all other traffic; name a class of priority low"
    if queue.ceiling in _LIMITING:
        yield f"is limited ({queue.ceiling}): alpha flows could not use an idle link; name a class without a limit"
    if not queue.share_pct:
        yield "has no guaranteed rate: alpha flows would starve; give it one, or name another class"
    if queue.buffer is None or queue.buffer == Buffer(0, "pct"):
        yield "has no buffer of a known size: give it one, or name another class"


def _beside(port: Port, queue: Queue, number: int) -> Iterator[AdoptedFinding]:
    other = port.queue_of(number)
    if other is None:
        reason = f"queue {number}, where unmarked traffic goes, has no scheduler: give its class one"
        yield AdoptedFinding(port.name, 0, reason)
    elif other is queue:
        reason = f"takes unmarked traffic, too (queue {number}): it would wait behind the pairs; name another class"
        yield AdoptedFinding(port.name, queue.line, reason)
    elif None not in (queue.priority, other.priority) and RANKS.index(str(queue.priority)) < RANKS.index(
        str(other.priority)
    ):
        reason = (
            f"ranks above queue {number}, where unmarked traffic goes ({queue.priority}, {other.priority}): "
            "alpha flows would be served before it; name a class of its rank or below"
        )
        yield AdoptedFinding(port.name, queue.line, reason)
