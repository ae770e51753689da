"""The share of the address space that a configuration matches: a bound on its reach without measurement."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.effective import BEST_EFFORT, Action, EffectiveModel, Entry

# Global unicast is an eighth of the IPv6 space (RFC 4291); the rest is not used.
_IPV6_SHARE = 1 / 8
Rectangle = tuple[int, int, int, int]


def taken_share(model: EffectiveModel) -> float:
    """The largest share, 0 to 1, of all address pairs that one edge of a configuration treats unlike other traffic.

    IPv6 is relative to global unicast.
    """
    shares: dict[tuple[int, ...], float] = {}
    for edge in model.edges:
        key = (edge.ip_version, *(id(program) for program in edge.programs))
        if key not in shares:
            entries = [entry for program in edge.programs for entry in program.entries if _is_taken(entry.action)]
            shares[key] = _share(entries, edge.ip_version)
    return max(shares.values(), default=0.0)


def _is_taken(action: Action) -> bool:
    if action.disposition == "discard":
        return True
    return action.queue not in (None, BEST_EFFORT) or action.path is not None or action.policer is not None


def _share(entries: Iterable[Entry], version: Literal[4, 6]) -> float:
    bits = 32 if version == 4 else 128
    rectangles = [
        (*_bounds(source, bits), *_bounds(destination, bits))
        for entry in entries
        for source in entry.sources or (None,)
        for destination in entry.destinations or (None,)
    ]
    whole = float(1 << bits) * (1.0 if version == 4 else _IPV6_SHARE)
    return min(1.0, area(rectangles) / whole / whole)


def _bounds(prefix: Network | None, bits: int) -> tuple[int, int]:
    if prefix is None:
        return 0, 1 << bits
    first = int(prefix.network_address)
    return first, first + prefix.num_addresses


def area(rectangles: Iterable[Rectangle]) -> int:
    """The area of a union of rectangles (left, right, low, high), right and high being outside.

    Example:
        >>> area([(0, 4, 0, 4), (2, 6, 2, 6), (2, 3, 2, 3)])
        28
    """
    found = list(rectangles)
    begins = sorted(found)
    edges = sorted({edge for left, right, _, _ in found for edge in (left, right)})
    total, position, open_ = 0, 0, list[Rectangle]()
    for left, right in pairwise(edges):
        open_ = [each for each in open_ if each[1] > left]
        while position < len(begins) and begins[position][0] <= left:
            open_.append(begins[position])
            position += 1
        total += (right - left) * _length([(low, high) for _, _, low, high in open_])
    return total


def _length(intervals: Iterable[tuple[int, int]]) -> int:
    total, reached = 0, 0
    for low, high in sorted(intervals):
        total += max(0, high - max(low, reached))
        reached = max(reached, high)
    return total
