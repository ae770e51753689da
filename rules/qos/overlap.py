"""Overlapping pairs: those that can be ordered, and those that cross."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from hntes.addresses import Network
from hntes.rules.pairs import PrefixPair

_Ranges = dict[tuple[int, int], list[tuple[int, int]]]


def crossing_pairs(pairs: Sequence[PrefixPair]) -> Iterator[tuple[PrefixPair, PrefixPair]]:
    """Each two pairs that overlap with neither containing the other, the one with the wider source first.

    Neither order of two such terms gives each pair all of its own packets. Two prefixes are disjoint or nested, so
    pairs cross exactly when one has the wider source and the other the wider destination.
    Cost: pairs x distinct source lengths x log(pairs), besides the crossings found.
    """
    for version in (4, 6):
        family = [pair for pair in pairs if pair.ip_version == version]
        by_source = _destinations_by_source(family)
        lengths = sorted({length for _, length in by_source})
        for pair in family:
            for length in lengths:
                if length >= pair.source.prefixlen:
                    break
                source = pair.source.supernet(new_prefix=length)
                for destination in _strictly_inside(by_source.get(_key(source), []), pair.destination):
                    yield PrefixPair(source, destination), pair


def _key(network: Network) -> tuple[int, int]:
    return int(network.network_address), network.prefixlen


def _destinations_by_source(pairs: Sequence[PrefixPair]) -> _Ranges:
    found: _Ranges = {}
    for pair in pairs:
        found.setdefault(_key(pair.source), []).append(_key(pair.destination))
    for destinations in found.values():
        destinations.sort()
    return found


def _strictly_inside(destinations: list[tuple[int, int]], outer: Network) -> Iterator[Network]:
    first, last = int(outer.network_address), int(outer.broadcast_address)
    begin = bisect_left(destinations, (first, 0))
    end = bisect_right(destinations, (last, outer.max_prefixlen))
    for address, length in destinations[begin:end]:
        if length > outer.prefixlen:
            yield type(outer)((address, length))
