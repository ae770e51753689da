"""Exact sets of packets: the entry that takes each part of a prefix pair, without trying single packets.

A region is all packets from one prefix to another. Two prefixes are disjoint or nested, so a region that an entry takes
in part is halved repeatedly until each piece belongs to one entry as a whole. The number of pieces grows with the bits
by which the entries inside are narrower, not with the number of packets.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from hntes.addresses import Network


@dataclass(frozen=True)
class Region:
    """Packets from source addresses `source`..`source_last` to `destination`..`destination_last`: both prefixes."""

    source: int
    source_last: int
    destination: int
    destination_last: int

    def holds(self, other: "Region") -> bool:
        """Whether all packets of the other are in this region."""
        return (
            self.source <= other.source
            and other.source_last <= self.source_last
            and self.destination <= other.destination
            and other.destination_last <= self.destination_last
        )

    def meets(self, other: "Region") -> bool:
        """Whether the two share a packet."""
        return (
            self.source <= other.source_last
            and other.source <= self.source_last
            and self.destination <= other.destination_last
            and other.destination <= self.destination_last
        )

    def halves(self, inner: "Region") -> tuple["Region", "Region"]:
        """The two halves of the region, cut on a side on which `inner` is narrower."""
        if inner.source > self.source or inner.source_last < self.source_last:
            middle = (self.source + self.source_last) // 2
            return (
                Region(self.source, middle, self.destination, self.destination_last),
                Region(middle + 1, self.source_last, self.destination, self.destination_last),
            )
        middle = (self.destination + self.destination_last) // 2
        return (
            Region(self.source, self.source_last, self.destination, middle),
            Region(self.source, self.source_last, middle + 1, self.destination_last),
        )


def regions_of(sources: tuple[Network, ...], destinations: tuple[Network, ...], width: int) -> list[Region]:
    """The regions of a condition; no prefix means any address."""
    return [
        Region(*source, *destination)
        for source in _spans(sources, width)
        for destination in _spans(destinations, width)
    ]


def _spans(prefixes: tuple[Network, ...], width: int) -> list[tuple[int, int]]:
    if not prefixes:
        return [(0, (1 << width) - 1)]
    return [(int(each.network_address), int(each.broadcast_address)) for each in prefixes]


@dataclass(frozen=True)
class OwnedRegion:
    """A region and the number of its entry (or pair)."""

    region: Region
    owner: int


class RegionIndex:
    """Index of regions, to find those that share packets with a given one."""

    def __init__(self, owned: Iterable[OwnedRegion]) -> None:
        by_source: dict[tuple[int, int], list[tuple[int, int, OwnedRegion]]] = {}
        for each in owned:
            region = each.region
            found = by_source.setdefault((region.source, region.source_last), [])
            found.append((region.destination, region.destination_last, each))
        self._sources = _Spans([(*span, _Spans(found)) for span, found in by_source.items()])

    def meeting(self, region: Region) -> list[OwnedRegion]:
        """All regions that share a packet with this one, by owner."""
        found = [
            owned
            for destinations in self._sources.meeting(region.source, region.source_last)
            for owned in destinations.meeting(region.destination, region.destination_last)
        ]
        return sorted(found, key=lambda each: each.owner)


_Item = TypeVar("_Item")


class _Spans(Generic[_Item]):
    """Prefixes as intervals. An interval that meets a prefix starts inside of it or is one of the few around it."""

    def __init__(self, items: list[tuple[int, int, _Item]]) -> None:
        ordered = sorted(items, key=lambda each: each[:2])
        self._starts = [each[0] for each in ordered]
        self._items = [each[2] for each in ordered]
        self._sizes = sorted({last - first + 1 for first, last, _ in ordered})
        self._by_span: dict[tuple[int, int], list[_Item]] = {}
        for first, last, item in ordered:
            self._by_span.setdefault((first, last), []).append(item)

    def meeting(self, first: int, last: int) -> Iterator[_Item]:
        for size in self._sizes[bisect_right(self._sizes, last - first + 1) :]:
            start = first - first % size
            if start < first:
                yield from self._by_span.get((start, start + size - 1), ())
        yield from self._items[bisect_left(self._starts, first) : bisect_right(self._starts, last)]


def pieces(
    region: Region, meeting: list[OwnedRegion], passes: Callable[[int], bool] = lambda _: False
) -> Iterator[tuple[Region, tuple[int, ...]]]:
    """The pieces of the region, each with the owners that take it, in order.

    The first owner takes a piece and ends the walk, unless `passes` says that those below take it, too. If all owners
    of a piece pass, the piece falls through. Pieces with the fewest owners come first.
    """
    stack: list[tuple[Region, list[OwnedRegion], tuple[int, ...]]] = [(region, meeting, ())]
    while stack:
        whole, left, owners = stack.pop()
        while left and left[0].region.holds(whole):
            owners = (*owners, left[0].owner)
            left = left[1:] if passes(left[0].owner) else []
            if not left:
                break
        if not left:
            yield whole, owners
            continue
        halves = [(half, [each for each in left if each.region.meets(half)]) for half in whole.halves(left[0].region)]
        for half, rest in sorted(halves, key=lambda each: -len(each[1])):
            stack.append((half, rest, owners))
