"""Which terms hold a pair of hosts: by containment on both sides, whatever the prefix lengths."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hntes.rules.backtest.columns import Ends, HostPairs, Mask, Terms, Whole

_WIDTH = {4: 32, 6: 128}


@dataclass(frozen=True)
class Matches:
    """One row per pair of hosts and term that holds it, by hosts."""

    hosts: Whole
    term: Whole


def matches(hosts: HostPairs, terms: Terms) -> Matches:
    """All terms that hold each pair of hosts. Its cost grows with the number of different shapes among the terms."""
    found = list(_by_shape(hosts, terms))
    if not found:
        return Matches(np.empty(0, np.int64), np.empty(0, np.int64))
    both = np.concatenate([pair for pair, _ in found]), np.concatenate([term for _, term in found])
    order = np.argsort(both[0], kind="stable")
    return Matches(both[0][order], both[1][order])


def _by_shape(hosts: HostPairs, terms: Terms) -> Iterator[tuple[Whole, Whole]]:
    """Per family and lengths, equality of networks; no two terms of a shape are equal."""
    # one number a shape: rows of three would be compared one by one
    shapes = (terms.version * 256 + terms.source_length) * 256 + terms.destination_length
    for shape in np.unique(shapes).tolist():
        version, (source_length, destination_length) = shape >> 16, divmod(shape & 0xFFFF, 256)
        mine = np.flatnonzero(shapes == shape)
        asked = np.flatnonzero(hosts.version == version)
        width = _WIDTH[version]
        of_terms, of_hosts = _pair_numbers(
            (terms.source.at(mine), terms.destination.at(mine)),
            (
                hosts.source.at(asked).masked(source_length, width),
                hosts.destination.at(asked).masked(destination_length, width),
            ),
        )
        order = np.argsort(of_terms)
        place = np.searchsorted(of_terms[order], of_hosts)
        hit = place < len(mine)
        hit[hit] = of_terms[order][place[hit]] == of_hosts[hit]
        yield asked[hit], mine[order][place[hit]]


def overlapping(terms: Terms, side: str, version: int, address: int, length: int) -> Mask:
    """The terms whose prefix on that side ("source", "destination") overlaps a prefix, whichever contains the other."""
    ends, lengths = (
        (terms.source, terms.source_length) if side == "source" else (terms.destination, terms.destination_length)
    )
    width, given = _WIDTH[version], Ends.of([address])
    found = np.zeros(len(terms), dtype=np.bool_)
    for own in np.unique(lengths[terms.version == version]).tolist():
        bits = min(own, length)
        mine, its = ends.masked(bits, width), given.masked(bits, width)
        equal = (mine.hi == its.hi) & (mine.lo == its.lo)
        found |= equal & (terms.version == version) & (lengths == own)
    return found


def numbered(first: Ends, second: Ends) -> tuple[Whole, Whole]:
    """Numbers for two lists of addresses, equal where the addresses are."""
    hi, lo = np.concatenate([first.hi, second.hi]), np.concatenate([first.lo, second.lo])
    order = np.lexsort((lo, hi))
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (hi[order][1:] != hi[order][:-1]) | (lo[order][1:] != lo[order][:-1])
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return numbers[: len(first.hi)], numbers[len(first.hi) :]


def _pair_numbers(terms: tuple[Ends, Ends], hosts: tuple[Ends, Ends]) -> tuple[Whole, Whole]:
    sources, destinations = numbered(terms[0], hosts[0]), numbered(terms[1], hosts[1])
    count = 1 + max((int(column.max()) for column in destinations if len(column)), default=0)
    return sources[0] * count + destinations[0], sources[1] * count + destinations[1]
