"""An operator's port in the terms of the simulator: ranks, guarantees and limits of queues that are not HNTES' own.

The simulator has ranks that hold within a queue's share and shares that add up to the link; docs/reference/gate.md says
what is lost. What an experiment does not reach may be left out with a note: other classes are offered less than their
shares, so that their limits and early drops do not act.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hntes.gate.errors import NotJudgedError
from hntes.platforms.adopted import RANKS
from hntes.platforms.effective import Port, Queue
from hntes.settings.terms import Priority

_SIMULATED_RANKS: tuple[Priority, ...] = ("high", "medium-high", "medium-low", "low")
STRICT_NOTE = "queues of strict-high priority are simulated as first served within their share"
SCALED_NOTE = "guarantees and limits add up to more than the link: those of the lowest rank share what the others leave"


@dataclass(frozen=True)
class AdoptedPort:
    """A port whose queues the simulator can have, with notes on what was left out."""

    port: Port
    notes: tuple[str, ...]


def simulated_port(port: Port, alpha_queue: int, beta_queue: int) -> AdoptedPort:
    """The queues of an operator's port as they are simulated.

    Args:
        port: The port as it was read back.
        alpha_queue: The queue number of the pairs.
        beta_queue: That of unmarked traffic.

    Raises:
        NotJudgedError: the classes that are served first may take the whole link.
    """
    judged = {alpha_queue, beta_queue}
    taking = [port.queue_of(number) for number in judged]
    served = [each for each in port.queues if _weight_pct(each) or any(each is one for one in taking)]
    weights = [_weight_pct(each) or each.share_pct for each in served]
    queues = [_unlimited(each, judged, alpha_queue) for each in _scaled(port.name, _ranked(served), weights)]
    return AdoptedPort(replace(port, queues=tuple(queues)), tuple(_notes(port, served, judged)))


def _weight_pct(queue: Queue) -> int:
    """The guarantee; of a queue that has none, the most that it may take before others."""
    if queue.share_pct:
        return queue.share_pct
    return queue.limit_pct or 0 if queue.priority != RANKS[-1] else 0


def _ranked(queues: list[Queue]) -> list[Queue]:
    """The same order of ranks in the words of the simulator; more than it has are the lowest of its first."""
    present = sorted({RANKS.index(each.priority) for each in queues if each.priority is not None})
    places = {RANKS[rank]: max(0, place - len(present) + 4) for place, rank in enumerate(present)}
    if len(present) < len(_SIMULATED_RANKS):
        places = {RANKS[rank]: 4 - len(present) + place for place, rank in enumerate(present)}
    return [
        each if each.priority is None else replace(each, priority=_SIMULATED_RANKS[places[each.priority]])
        for each in queues
    ]


def _scaled(name: str, queues: list[Queue], weights: list[int]) -> list[Queue]:
    """The queues with shares that add up to the link: those of the lowest rank share what others leave."""
    weighted = list(zip(queues, weights, strict=True))
    if sum(weights) <= 100:
        return [replace(each, share_pct=weight) for each, weight in weighted]
    last = queues[-1].priority if not any(each.priority for each in queues) else _SIMULATED_RANKS[-1]
    first = sum(weight for each, weight in weighted if each.priority != last)
    low = sum(weight for each, weight in weighted if each.priority == last)
    left = 100 - first
    if left < sum(each.priority == last for each in queues):
        raise NotJudgedError(
            f"{name}: queues that are served first may take {first}% of the link: nothing is left for the others"
        )
    return [
        replace(each, share_pct=weight if each.priority != last else max(1, weight * left // low))
        for each, weight in weighted
    ]


def _unlimited(queue: Queue, judged: set[int], alpha_queue: int) -> Queue:
    """A queue without limits; early drops are those of unmarked packets, and of judged queues alone."""
    drops = tuple(each for each in queue.drops if each.loss_priority == "low") if judged & set(queue.numbers) else ()
    ecn = queue.ecn and alpha_queue in queue.numbers
    return replace(queue, ceiling="none", limit_pct=None, drops=drops, ecn=ecn)


def _notes(port: Port, served: list[Queue], judged: set[int]) -> Iterator[str]:
    others = [each for each in served if not judged & set(each.numbers)]
    if any(each.priority == RANKS[0] for each in served):
        yield STRICT_NOTE
    if sum(map(_weight_pct, served)) > 100:
        yield SCALED_NOTE
    left_out = [each for each in port.queues if each not in served]
    if left_out:
        yield f"{_named(left_out)} without a guaranteed rate, and not simulated"
    if limited := [each for each in others if each.ceiling != "none"]:
        yield f"{_named(limited)} limited, and simulated without a limit: offered less than the guaranteed rate"
    if early := [each for each in others if each.drops or each.ecn]:
        yield f"{_named(early)} dropping or marking early, which is not simulated"


def _named(queues: list[Queue]) -> str:
    return ", ".join(each.label or f"queue {each.numbers[0]}" for each in queues)
