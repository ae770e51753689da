"""The treatment of packets on input by the parsed model, never by the rendered one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address

from hntes.gate.errors import NotJudgedError
from hntes.platforms.effective import BEST_EFFORT, EffectiveModel, Policer
from hntes.platforms.lookup import FilterLookup, Outcome
from hntes.rules.pairs import PrefixPair

# Addresses of which some are outside of any possible set of pairs; tried in turn, as source and destination.
_STEPS = 64


@dataclass(frozen=True)
class QueueAssignment:
    """The queue that packets are put into within the policer's rate, and the policer, if there is one."""

    queue: int
    policer: Policer | None


def alpha_queue_of(model: EffectiveModel, pairs: Iterable[PrefixPair], otherwise: int) -> int:
    """The queue number that most pairs' packets are put into, apart from best effort; else best effort.

    `otherwise` is taken if there is no pair.
    """
    counts: dict[int, int] = {}
    for outcome in _alpha_outcomes(model, pairs):
        counts[outcome.queue] = counts.get(outcome.queue, 0) + 1
    apart = {queue: count for queue, count in counts.items() if queue != BEST_EFFORT}
    if apart:
        return max(sorted(apart), key=lambda queue: apart[queue])
    return BEST_EFFORT if counts else otherwise


def alpha_treatment(model: EffectiveModel, pairs: Iterable[PrefixPair], otherwise: int) -> QueueAssignment:
    """How all pairs' packets are treated; without pairs, as packets that are put into queue `otherwise`.

    Raises:
        NotJudgedError: packets of pairs are treated differently, or in a way that the simulator lacks.
    """
    found = {assignment_of(outcome, "a pair's packets") for outcome in _alpha_outcomes(model, pairs)}
    if len(found) > 1:
        queues = ", ".join(sorted(f"queue {each.queue}{_with(each.policer)}" for each in found))
        raise NotJudgedError(f"the pairs' packets are treated differently ({queues}); the gate simulates one treatment")
    return found.pop() if found else QueueAssignment(otherwise, None)


def beta_treatment(model: EffectiveModel, pairs: Iterable[PrefixPair]) -> QueueAssignment:
    """How all other packets are treated.

    Raises:
        NotJudgedError: they are treated differently on different interfaces, or are policed or discarded.
    """
    wanted = list(pairs)
    found = set()
    for edge in model.edges:
        outside = _outside([pair for pair in wanted if pair.ip_version == edge.ip_version], edge.ip_version)
        outcome = FilterLookup(model, edge).outcome(*outside)
        assigned = assignment_of(outcome, f"other packets of IPv{edge.ip_version} on {edge.interface}")
        if assigned.queue == BEST_EFFORT:
            assigned = replace(assigned, queue=edge.unmarked_queue)
        found.add(assigned)
    if len(found) > 1:
        raise NotJudgedError("other traffic is treated differently on different interfaces; the gate simulates one")
    treatment = found.pop() if found else QueueAssignment(BEST_EFFORT, None)
    if treatment.policer is not None:
        raise NotJudgedError(f"other traffic is policed ({treatment.policer.name or 'policer'})")
    return treatment


def assignment_of(outcome: Outcome, what: str) -> QueueAssignment:
    """The queue and policer of packets, which a sentence calls `what`.

    Raises:
        NotJudgedError: they are discarded, pass several policers, or are marked whatever their rate.
    """
    if outcome.discarded:
        raise NotJudgedError(f"{what} are discarded before any queue ({outcome.term or 'no entry takes them'})")
    if len(outcome.policers) > 1:
        raise NotJudgedError(f"{what} pass {len(outcome.policers)} policers; the simulator has one")
    if outcome.loss_priority != "low":
        raise NotJudgedError(f"{what} get loss priority {outcome.loss_priority} at any rate ({outcome.term})")
    return QueueAssignment(outcome.queue, outcome.policers[0] if outcome.policers else None)


def _alpha_outcomes(model: EffectiveModel, pairs: Iterable[PrefixPair]) -> Iterator[Outcome]:
    wanted = list(pairs)
    for edge in model.edges:
        walker = FilterLookup(model, edge)
        for pair in wanted:
            if pair.ip_version == edge.ip_version:
                yield walker.outcome(int(pair.source.network_address), int(pair.destination.network_address))
                yield walker.outcome(int(pair.source.broadcast_address), int(pair.destination.broadcast_address))


def _with(policer: Policer | None) -> str:
    return f" with policer {policer.name or 'without a name'}" if policer is not None else ""


def _outside(pairs: list[PrefixPair], ip_version: int) -> tuple[int, int]:
    """A packet of no pair, as numbers of its two addresses."""
    width, kind = (32, IPv4Address) if ip_version == 4 else (128, IPv6Address)
    step = (1 << width) // _STEPS
    for source in range(_STEPS):
        for destination in range(_STEPS):
            found = source * step + step // 3, destination * step + step // 5
            if not any(pair.contains(kind(found[0]), kind(found[1])) for pair in pairs):
                return found
    raise NotJudgedError(f"the pairs match all tested IPv{ip_version} addresses: there is no other traffic")
