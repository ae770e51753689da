"""The prefix pairs that a configuration's text puts into the alpha queue, read from the text alone."""

from dataclasses import replace

from rules.pairs import PrefixPair
from rules.qos.model import RouterModel
from rules.readback import EffectiveModel, read_back
from rules.readback.effective import BEST_EFFORT, Edge, Entry
from rules.readback.walk import Walker
from settings.terms import PREMIUM


def queued_pairs(model: RouterModel, text: str) -> frozenset[PrefixPair]:
    """The pairs whose packets a candidate's text puts into a queue apart from best effort, at any edge of the router.

    Reservations count as if they were not there: a pair keeps its queue while one of its transfers has a reservation.
    The model gives the platform, the interfaces, and the queue of reservations alone.

    Raises:
        ReadBackError: the text is not understood.
    """
    effective = read_back(model.platform, text, model.interfaces)
    premium = model.queue_for(PREMIUM)
    if premium is not None:
        effective = replace(effective, edges=tuple(_without_queue(each, premium) for each in effective.edges))
    return pairs_of(effective)


def _without_queue(edge: Edge, queue: int) -> Edge:
    """The edge less the entries that put packets into this queue, policed or not."""
    programs = (
        replace(each, entries=tuple(one for one in each.entries if not _goes_to(one, queue))) for each in edge.programs
    )
    return replace(edge, programs=tuple(programs))


def _goes_to(entry: Entry, queue: int) -> bool:
    policer = entry.action.policer
    return queue in (entry.action.queue, policer.conform.queue if policer is not None else None)


def pairs_of(effective: EffectiveModel) -> frozenset[PrefixPair]:
    """The same of what was read back: a pair that a line above takes elsewhere is not among them."""
    found: set[PrefixPair] = set()
    for edge in effective.edges:
        walker = Walker(effective, edge)
        for pair in {
            PrefixPair(source, destination)
            for program in edge.programs
            for entry in program.entries
            for source in entry.sources
            for destination in entry.destinations
        } - found:
            outcome = walker.outcome(int(pair.source.network_address), int(pair.destination.network_address))
            if not outcome.discarded and outcome.queue != BEST_EFFORT:
                found.add(pair)
    return frozenset(found)
