"""Reservations of a text: their rates, and the treatment of their packets by the parsed text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hntes.addresses import Network
from hntes.gate.colours import is_marker
from hntes.gate.errors import NotJudgedError
from hntes.gate.policing import policer_plan
from hntes.gate.treatment import QueueAssignment, assignment_of
from hntes.platforms.effective import EffectiveModel, Entry, Policer, Port
from hntes.platforms.lookup import FilterLookup
from hntes.simulator import PlanError, PolicerPlan, PortPlan
from hntes.simulator.testbed.premium_plan import PremiumPlan, ReservedPlan

# Two addresses of a packet, as numbers.
_Packet = tuple[int, int]


@dataclass(frozen=True)
class _Walks:
    """One interface and family: the intended treatment, and that by the text."""

    asked: FilterLookup
    found: FilterLookup


@dataclass(frozen=True)
class Promised:
    """One reservation: the rate and the burst that it was promised, and how the text treats its packets.

    `words` are its prefix pair, `served_pct` what its queue was to be served with on each port, per cent of the rate.
    """

    words: str
    rate_bps: int
    burst_bytes: int
    treatment: QueueAssignment
    served_pct: tuple[tuple[str, int], ...]


def promised_in(asked: EffectiveModel, entries: Sequence[Entry], model: EffectiveModel) -> tuple[Promised, ...]:
    """All reservations of a text.

    Args:
        asked: What the text was rendered for; the text itself where that is not known.
        entries: The entries of reservations in it: their policers say what is promised.
        model: What was read back.

    Raises:
        NotJudgedError: nothing says what is promised; no packet is a reservation's alone; packets of one are treated
            differently by where they come in, or pass what the simulator does not have; or two share a policer.
    """
    walks = _walks(asked, model) if entries else []
    found = tuple(_promised(asked, entry, walks) for entry in entries)
    _require_own_policers(found)
    return found


def premium_plan(
    promised: Iterable[Promised], port: Port, plan: PortPlan, queue_names: dict[int, str], factor: float
) -> PremiumPlan | None:
    """The reservations at a port at the simulated rate; None where there are none.

    All of them are taken to cross it: the text does not say which do.

    Args:
        promised: All reservations of the text.
        port: The port as it was read back.
        plan: The plan that was made of it.
        queue_names: The plan's name of the queue that serves a queue number.
        factor: Simulated rate of the port over its real one; rates and bursts shrink alike, so that times stay.

    Raises:
        NotJudgedError: the treatment of a reservation is not simulated.
    """
    known = list(promised)
    if not known:
        return None
    try:
        return PremiumPlan(
            plan, tuple(_reserved_plan(name, each, queue_names, factor, port) for name, each in _named(known).items())
        )
    except PlanError as cause:
        raise NotJudgedError(f"{port.name}: {cause}") from cause


def reservation_words(promised: Iterable[Promised]) -> dict[str, str]:
    """The prefix pairs of reservations by their names in the plan, which say nothing: equal plans are one run."""
    return {name: each.words for name, each in _named(promised).items()}


def _named(promised: Iterable[Promised]) -> dict[str, Promised]:
    return {f"reserved{number}": each for number, each in enumerate(promised, 1)}


def _reserved_plan(
    name: str, promised: Promised, queue_names: dict[int, str], factor: float, port: Port
) -> ReservedPlan:
    queue, policer = promised.treatment.queue, promised.treatment.policer
    if queue not in queue_names:
        raise NotJudgedError(f"{port.name}: queue {queue} of {promised.words} has no scheduler")
    metered = None if policer is None else _metered(policer, queue, queue_names, factor)
    served = dict(promised.served_pct)
    if port.name not in served:
        raise NotJudgedError(f"{port.name}: reservation {promised.words} has no queue in the plan")
    window_bytes = round(promised.burst_bytes * factor)
    return ReservedPlan(
        name, promised.rate_bps * factor, window_bytes, queue_names[queue], metered, served[port.name] / 100
    )


def _metered(policer: Policer, queue: int, queue_names: dict[int, str], factor: float) -> PolicerPlan:
    if is_marker(policer):
        raise NotJudgedError(f"policer {policer.name} marks packets of a reservation in three colours")
    return policer_plan(policer, queue, queue_names, factor)


def _walks(asked: EffectiveModel, model: EffectiveModel) -> list[_Walks]:
    """Each interface and family: the intended and the parsed treatment."""
    found = {(edge.interface, edge.unit, edge.ip_version): edge for edge in model.edges}
    return [
        _Walks(FilterLookup(asked, edge), FilterLookup(model, found[key]))
        for edge in asked.edges
        if (key := (edge.interface, edge.unit, edge.ip_version)) in found
    ]


def _promised(asked: EffectiveModel, entry: Entry, walks: Sequence[_Walks]) -> Promised:
    words = pair_words(entry)
    policer = entry.action.policer
    if policer is None:
        raise NotJudgedError(f"reservation {words}: without a policer its rate is unknown")
    treated = set(_treatments(entry, walks))
    if len(treated) > 1:
        raise NotJudgedError(
            f"packets of reservation {words} are treated differently; the gate simulates one treatment"
        )
    if not treated:
        raise NotJudgedError(f"reservation {words}: no packet was found that is its own; others take them before")
    queue = entry.action.queue if policer.conform.queue is None else policer.conform.queue
    served = ((port.name, port.queue_of(queue)) for port in asked.ports if queue is not None)
    served_pct = tuple((name, each.share_pct) for name, each in served if each is not None)
    return Promised(words, policer.committed_rate_bps, policer.committed_burst_bytes, treated.pop(), served_pct)


def _treatments(entry: Entry, walks: Iterable[_Walks]) -> Iterator[QueueAssignment]:
    """How the text treats the packets that were to be the entry's, on each interface of its family."""
    version = entry.sources[0].version if entry.sources else 0
    for each in walks:
        if each.asked.edge.ip_version != version:
            continue
        for packet in _corners(entry):
            if each.asked.outcome(*packet).term == entry.label:
                yield assignment_of(each.found.outcome(*packet), f"packets of reservation {pair_words(entry)}")


def _corners(entry: Entry) -> Iterator[_Packet]:
    """First and last addresses of its prefixes, which another reservation may hold, and some between them."""
    for source in entry.sources:
        for destination in entry.destinations:
            for part in range(5):
                yield _address(source, part), _address(destination, part)


def _address(network: Network, part: int) -> int:
    """An address of a prefix, at so many quarters of it."""
    return int(network.network_address) + (network.num_addresses - 1) * part // 4


def _require_own_policers(promised: Sequence[Promised]) -> None:
    shared: dict[str, str] = {}
    for each in promised:
        policer = each.treatment.policer
        if policer is None or policer.scope != "filter":
            continue
        if (other := shared.setdefault(policer.name, each.words)) != each.words:
            raise NotJudgedError(f"reservations {other} and {each.words} share policer {policer.name}")


def pair_words(entry: Entry) -> str:
    """The prefix pair of an entry."""
    return " > ".join(", ".join(map(str, each)) or "any" for each in (entry.sources, entry.destinations))
