"""Joins of hosts and prefixes by containment on both sides, whatever the prefix lengths."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hntes.addresses import Network
from hntes.rules.columns import WIDTHS, Addresses, Bits, HostPairs, Mask, PairColumns, Whole

_ABSENT = -1


@dataclass(frozen=True)
class Matches:
    """One row per pair of hosts and prefix pair that contains it, by hosts."""

    hosts: Whole
    pair: Whole


def matches(hosts: HostPairs, pairs: PairColumns) -> Matches:
    """All prefix pairs that contain each pair of hosts. Its cost grows with the number of different shapes of pairs."""
    found = list(_by_shape(hosts, pairs))
    if not found:
        return Matches(np.empty(0, np.int64), np.empty(0, np.int64))
    host_rows, pair_rows = (np.concatenate([rows[side] for rows in found]) for side in (0, 1))
    order = np.argsort(host_rows, kind="stable")
    return Matches(host_rows[order], pair_rows[order])


def overlapping(pairs: PairColumns, side: str, prefix: Network) -> Mask:
    """The pairs whose prefix on that side ("source", "destination") overlaps a prefix, whichever contains the other.

    Two prefixes overlap if they agree in as many bits as the shorter one has.
    """
    is_source = side == "source"
    addresses = pairs.source if is_source else pairs.destination
    lengths = pairs.source_length if is_source else pairs.destination_length
    given = Addresses.of([int(prefix.network_address)])
    is_of_family = pairs.version == prefix.version
    found = np.zeros(len(pairs), dtype=np.bool_)
    for length in np.unique(lengths[is_of_family]).tolist():
        bits = min(length, prefix.prefixlen)
        own, other = (each.masked(bits, prefix.max_prefixlen) for each in (addresses, given))
        found |= (own.hi == other.hi) & (own.lo == other.lo) & is_of_family & (lengths == length)
    return found


def pair_numbers(*listed: tuple[Addresses, Addresses]) -> list[Whole]:
    """A number for each source and destination of several lists, equal where both are, rising with both."""
    sources, destinations = (_numbered([each[side] for each in listed]) for side in (0, 1))
    count = 1 + max((int(column.max()) for column in destinations if len(column)), default=0)
    return [source * count + destination for source, destination in zip(sources, destinations, strict=True)]


def _numbered(listed: list[Addresses]) -> list[Whole]:
    """A number for each address, equal where the addresses are, rising with them, below the number of addresses."""
    hi, lo = (np.concatenate([getattr(each, half) for each in listed]) for half in ("hi", "lo"))
    _, numbers = np.unique(lo, return_inverse=True)
    if len(hi) and hi.min() != hi.max():
        count = int(numbers.max()) + 1
        _, numbers = np.unique(np.unique(hi, return_inverse=True)[1] * count + numbers, return_inverse=True)
    return np.split(numbers, np.cumsum([len(each.lo) for each in listed])[:-1])


def _by_shape(hosts: HostPairs, pairs: PairColumns) -> Iterator[tuple[Whole, Whole]]:
    """Per family and lengths, equality of networks; no two pairs of a shape are equal."""
    shapes = pairs.shapes()
    for shape in np.unique(shapes).tolist():
        version, (source_length, destination_length) = shape >> 16, divmod(shape & 0xFFFF, 256)
        own = np.flatnonzero(shapes == shape)
        asked = np.flatnonzero(hosts.version == version)
        width = WIDTHS[version]
        sources = _numbered_as(pairs.source.at(own), hosts.source.at(asked).masked(source_length, width))
        ends = _numbered_as(pairs.destination.at(own), hosts.destination.at(asked).masked(destination_length, width))
        numbers, found = _combined(sources, ends)
        hit = np.flatnonzero(found != _ABSENT)
        yield asked[hit], own[np.argsort(numbers)[found[hit]]]


def _numbered_as(known: Addresses, asked: Addresses) -> tuple[Whole, Whole]:
    """A number for each known address, and those of the queried ones: _ABSENT for an unknown address."""
    return _combined(_joined(known.hi, asked.hi), _joined(known.lo, asked.lo))


def _combined(first: tuple[Whole, Whole], second: tuple[Whole, Whole]) -> tuple[Whole, Whole]:
    """The numbers of pairs of numbers, for the known and the queried ones."""
    count = len(first[0])
    known, asked = (one * count + other for one, other in zip(first, second, strict=True))
    numbers, found = _joined(known, asked)
    is_absent = (first[1] == _ABSENT) | (second[1] == _ABSENT)
    return numbers, np.where(is_absent, _ABSENT, found)


def _joined(known: Whole | Bits, asked: Whole | Bits) -> tuple[Whole, Whole]:
    """A number for each known value, rising with it, and those of the queried ones; there is a known value."""
    values, numbers = np.unique(known, return_inverse=True)
    places = np.minimum(np.searchsorted(values, asked), len(values) - 1)
    return numbers, np.where(values[places] == asked, places, _ABSENT)
