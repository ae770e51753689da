"""The prefix pairs that a router's history and its pins know, and on which days each was seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hntes.rules.backtest.columns import Ends, HostPairs, Mask, Terms, Whole
from hntes.rules.backtest.matching import numbered
from hntes.rules.pairs import PrefixPair


@dataclass(frozen=True)
class PrefixLengths:
    """To which prefixes hosts are widened: those of the source and of the destination, by family."""

    ipv4: tuple[int, int]
    ipv6: tuple[int, int]

    def __str__(self) -> str:
        return ", ".join(_lengths(pair) for pair in (self.ipv4, self.ipv6))


@dataclass(frozen=True)
class Sightings:
    """One row per alpha flow and day: the evidence of rules. `hosts` are rows of the host pairs.

    `weak`: the flow is borderline. `implausible`: it cannot be true.
    """

    day: Whole
    hosts: Whole
    bytes: Whole
    weak: Mask
    implausible: Mask


@dataclass(frozen=True)
class PairDays:
    """One row per term and day on which it was seen, by term and day; as `rules.life.pair_days.PairDay`."""

    term: Whole
    day: Whole
    bytes: Whole
    weak: Mask
    implausible: Mask


@dataclass(frozen=True)
class KnownPairs:
    """All terms that may be, the term of each pair of hosts, and the term of each pin."""

    terms: Terms
    of_hosts: Whole
    of_pins: Whole


def known_pairs(hosts: HostPairs, pinned: Sequence[PrefixPair], lengths: PrefixLengths) -> KnownPairs:
    """The pairs of hosts widened to those lengths, then pins that are no such pair."""
    own, of_hosts = _widened(hosts, lengths)
    pins = Terms.of(pinned)
    place: dict[PrefixPair, int] = {}
    more: list[int] = []
    for number, pair in enumerate(pinned):
        equal = np.flatnonzero(_is_equal(own, pins, number))
        if pair not in place:
            place[pair] = int(equal[0]) if len(equal) else len(own) + len(more)
            if not len(equal):
                more.append(number)
    chosen = np.array(more, dtype=np.int64)
    of_pins = np.array([place[pair] for pair in pinned], dtype=np.int64)
    return KnownPairs(_joined(own, pins, chosen), of_hosts, of_pins)


def pair_days(sightings: Sightings, known: KnownPairs) -> PairDays:
    """What was seen of each term on each day. A day with a believable flow takes no account of the others."""
    term = known.of_hosts[sightings.hosts]
    order = np.lexsort((sightings.day, term))
    term, day = term[order], sightings.day[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (term[1:] != term[:-1]) | (day[1:] != day[:-1])
    begins = np.flatnonzero(is_new)
    if not len(begins):
        return PairDays(term, day, term, is_new, is_new)
    believed = ~sightings.implausible[order]
    total = np.where(believed, sightings.bytes[order], 0)
    firm = believed & ~sightings.weak[order]
    is_believed = np.logical_or.reduceat(believed, begins)
    return PairDays(
        term[begins],
        day[begins],
        np.add.reduceat(total, begins),
        is_believed & ~np.logical_or.reduceat(firm, begins),
        ~is_believed,
    )


def _widened(hosts: HostPairs, lengths: PrefixLengths) -> tuple[Terms, Whole]:
    of_hosts = np.empty(len(hosts), dtype=np.int64)
    found: list[Terms] = []
    count = 0
    for version, width, (source_length, destination_length) in ((4, 32, lengths.ipv4), (6, 128, lengths.ipv6)):
        mine = np.flatnonzero(hosts.version == version)
        source = hosts.source.at(mine).masked(source_length, width)
        destination = hosts.destination.at(mine).masked(destination_length, width)
        nothing = Ends.of([])
        sources, destinations = numbered(source, nothing)[0], numbered(destination, nothing)[0]
        key = sources * (1 + (int(destinations.max()) if len(mine) else 0)) + destinations
        _, example, inverse = np.unique(key, return_index=True, return_inverse=True)
        of_hosts[mine] = count + inverse
        count += len(example)
        found.append(
            Terms(
                np.full(len(example), version, dtype=np.int64),
                source.at(example),
                destination.at(example),
                np.full(len(example), source_length, dtype=np.int64),
                np.full(len(example), destination_length, dtype=np.int64),
            )
        )
    return _joined(found[0], found[1], np.arange(len(found[1]))), of_hosts


def _is_equal(terms: Terms, others: Terms, number: int) -> Mask:
    found: Mask = (
        (terms.version == others.version[number])
        & (terms.source_length == others.source_length[number])
        & (terms.destination_length == others.destination_length[number])
        & (terms.source.hi == others.source.hi[number])
        & (terms.source.lo == others.source.lo[number])
        & (terms.destination.hi == others.destination.hi[number])
        & (terms.destination.lo == others.destination.lo[number])
    )
    return found


def _joined(first: Terms, second: Terms, chosen: Whole) -> Terms:
    def ends(one: Ends, other: Ends) -> Ends:
        return Ends(np.concatenate([one.hi, other.hi[chosen]]), np.concatenate([one.lo, other.lo[chosen]]))

    return Terms(
        np.concatenate([first.version, second.version[chosen]]),
        ends(first.source, second.source),
        ends(first.destination, second.destination),
        np.concatenate([first.source_length, second.source_length[chosen]]),
        np.concatenate([first.destination_length, second.destination_length[chosen]]),
    )


def _lengths(pair: tuple[int, int]) -> str:
    source, destination = pair
    return f"/{source}" if source == destination else f"/{source} to /{destination}"
