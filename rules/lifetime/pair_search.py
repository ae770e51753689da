"""Search for known pairs by a host, a prefix, or both ends of a flow."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hntes.addresses import Network, network
from hntes.rules.pairs import PairError, PrefixPair


@dataclass(frozen=True)
class PairSearch:
    """A search for pairs whose sides overlap these prefixes.

    `either`: one prefix was given, for either side. A side that is None matches anything.
    """

    source: Network | None
    destination: Network | None
    either: bool = False

    @classmethod
    def parse(cls, text: str) -> "PairSearch":
        """From `HOST`, `PREFIX`, `SOURCE>DESTINATION`, `SOURCE>` or `>DESTINATION`; sides are hosts or prefixes.

        Raises:
            PairError: a side is neither, host bits are set, the sides are of two families, or nothing is given.

        Example:
            >>> PairSearch.parse("198.18.10.5")
            PairSearch(source=IPv4Network('198.18.10.5/32'), destination=None, either=True)
        """
        left, arrow, right = (part.strip() for part in text.partition(">"))
        source, destination = _network(left), _network(right)
        if source is None and destination is None:
            raise PairError(f"{text!r} has no host or prefix; write HOST, PREFIX or SOURCE>DESTINATION")
        if source is not None and destination is not None:
            PrefixPair(source, destination)
        return cls(source, destination, either=not arrow)

    @property
    def pair(self) -> PrefixPair | None:
        """The pair of exactly these prefixes, if both are given."""
        return None if self.source is None or self.destination is None else PrefixPair(self.source, self.destination)

    def finds(self, pair: PrefixPair) -> bool:
        """Whether this pair matches."""
        source, destination = self._wanted
        if self.either:
            return _overlap(source, pair.source) or _overlap(source, pair.destination)
        return _overlap(source, pair.source) and _overlap(destination, pair.destination)

    @cached_property
    def _wanted(self) -> "tuple[_Bits | None, _Bits | None]":
        source, destination = (None if side is None else _Bits.of(side) for side in (self.source, self.destination))
        return source, destination

    def among(self, known: Iterable[PrefixPair]) -> tuple[PrefixPair, ...]:
        """The matching known pairs in the order of filter terms; only the pair of exactly these prefixes if it is
        known.

        If both sides are given and no known pair matches, the pair itself, so that its absence is explained.
        """
        pairs = set(known)
        if self.pair is not None and self.pair in pairs:
            return (self.pair,)
        found = tuple(sorted(filter(self.finds, pairs), key=lambda pair: pair.sort_key))
        return found or (() if self.pair is None else (self.pair,))


def _network(text: str) -> Network | None:
    if not text:
        return None
    try:
        return network(text)
    except ValueError as cause:
        raise PairError(f"{text!r} is neither a host nor a prefix: {cause}") from cause


class _Bits(NamedTuple):
    """A prefix as numbers: overlaps() takes several times as long, and there are thousands of prefixes."""

    version: int
    address: int
    length: int
    width: int

    @classmethod
    def of(cls, prefix: Network) -> "_Bits":
        return cls(prefix.version, int(prefix.network_address), prefix.prefixlen, prefix.max_prefixlen)


def _overlap(wanted: _Bits | None, prefix: Network) -> bool:
    if wanted is None:
        return True
    version, address, length, width = wanted
    if version != prefix.version:
        return False
    drop = width - min(length, prefix.prefixlen)
    return address >> drop == int(prefix.network_address) >> drop
