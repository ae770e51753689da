"""Access-list sequence numbers derived from the pair, so that adding or removing a pair does not move other lines."""

import hashlib
from collections.abc import Iterable

from hntes.rules.pairs import PrefixPair

# One band of numbers per total prefix length, the most specific in the lowest band. IPv6 has 257 of them:
# 257 x 8,000,000 = 2,056,000,000 stays below the final line. That has the highest number IOS-XR takes in an access
# list of either family, which is four less than 2^31 - 1; IOS-XE allows more in both.
BAND_WIDTH = 8_000_000
FINAL_SEQUENCE = 2_147_483_643


def sequence_numbers(pairs: Iterable[PrefixPair]) -> dict[PrefixPair, int]:
    """A number for each pair, in the required order of evaluation.

    Within a band the order is free: two distinct pairs of one total length cannot contain one another. On a collision
    the next free number of the band is used, with pairs placed by `PrefixPair.sort_key`; so a pair can move only when
    another with the same hash is added or removed.
    """
    taken: set[int] = set()
    numbers: dict[PrefixPair, int] = {}
    for pair in sorted(pairs, key=lambda each: each.sort_key):
        band, offset = _band(pair), _offset(pair)
        while (number := band * BAND_WIDTH + offset + 1) in taken:
            offset = (offset + 1) % BAND_WIDTH
        taken.add(number)
        numbers[pair] = number
    return numbers


def _band(pair: PrefixPair) -> int:
    return 2 * pair.source.max_prefixlen - pair.source.prefixlen - pair.destination.prefixlen


def _offset(pair: PrefixPair) -> int:
    return int.from_bytes(hashlib.sha256(str(pair).encode("ascii")).digest()[:8], "big") % BAND_WIDTH
