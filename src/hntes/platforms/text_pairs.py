"""The prefix pairs that a configuration puts into the alpha queue, from its text alone."""

from hntes.platforms.effective import BEST_EFFORT
from hntes.platforms.lookup import FilterLookup
from hntes.platforms.parse import EffectiveModel, parse_config
from hntes.platforms.split_reserved import split_reserved
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from hntes.settings.terms import PREMIUM


def queued_pairs(model: RouterModel, text: str) -> frozenset[PrefixPair]:
    """The pairs whose packets a candidate's text puts into a queue other than best effort, at any edge of the router.

    Reservations are ignored: a pair keeps its queue while one of its transfers has a reservation. The model gives only
    the platform, the interfaces, and the queue of reservations.

    Raises:
        ParseError: the text cannot be parsed.
    """
    effective = parse_config(model.platform, text, model.interfaces)
    return pairs_of(split_reserved(effective, model.queue_for(PREMIUM)).rest)


def pairs_of(effective: EffectiveModel) -> frozenset[PrefixPair]:
    """As `queued_pairs`, of a parsed text; without pairs that an entry above puts elsewhere."""
    found: set[PrefixPair] = set()
    for edge in effective.edges:
        walker = FilterLookup(effective, edge)
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
