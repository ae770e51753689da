"""Hosts and prefix pairs as numpy columns, for decisions about years of traffic at once.

Days are ordinals (`date.toordinal`), bytes whole numbers. An IPv4 address is in the lower half of 128 bits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from ipaddress import IPv4Network, IPv6Network

import numpy as np
import numpy.typing as npt

from hntes.addresses import packed
from hntes.rules.pairs import PrefixPair

Whole = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]

# The last day that a span without an end lasts through.
FOREVER = date.max.toordinal()
WIDTHS = {4: 32, 6: 128}
MAX_SHAPES = 1 << 19
_HALF = 64
_LOW = (1 << _HALF) - 1
_BYTES = 16
# Sums stay below this, so that they can be doubled within 64 bits.
_MAX_SUM = 1 << 62


@dataclass(frozen=True)
class Addresses:
    """Addresses, or the first addresses of prefixes, all of one side, in two halves of 64 bits."""

    hi: Bits
    lo: Bits

    @classmethod
    def of(cls, numbers: Sequence[int]) -> "Addresses":
        """From addresses as whole numbers."""
        return cls.of_packed(b"".join([number.to_bytes(_BYTES, "big") for number in numbers]))

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> "Addresses":
        """From addresses in their canonical text form."""
        return cls.of_packed(b"".join(map(packed, texts)))

    @classmethod
    def of_packed(cls, content: bytes) -> "Addresses":
        """From 16 bytes per address in network byte order."""
        halves = np.frombuffer(content, dtype=">u8").astype(np.uint64)
        return cls(halves[0::2], halves[1::2])

    def masked(self, length: int, width: int) -> "Addresses":
        """The networks of that prefix length; `width` is 32 or 128, the family's."""
        mask = ((1 << length) - 1) << (width - length)
        return Addresses(self.hi & np.uint64(mask >> _HALF), self.lo & np.uint64(mask & _LOW))

    def at(self, rows: Whole | Mask) -> "Addresses":
        """Those of some rows."""
        return Addresses(self.hi[rows], self.lo[rows])

    def followed_by(self, more: "Addresses") -> "Addresses":
        """These, then those."""
        return Addresses(np.concatenate([self.hi, more.hi]), np.concatenate([self.lo, more.lo]))

    def numbers(self) -> list[int]:
        """The addresses as whole numbers."""
        return [hi << _HALF | lo for hi, lo in zip(self.hi.tolist(), self.lo.tolist(), strict=True)]


@dataclass(frozen=True)
class HostPairs:
    """One row per pair of hosts between which something was sent; `version` is 4 or 6."""

    version: Whole
    source: Addresses
    destination: Addresses

    def __len__(self) -> int:
        return len(self.version)

    @classmethod
    def of(cls, hosts: Sequence[tuple[str, str]]) -> "HostPairs":
        """From addresses in their canonical text form, source and destination of one family."""
        version = whole([6 if ":" in source else 4 for source, _ in hosts])
        sources, destinations = ([each[side] for each in hosts] for side in (0, 1))
        return cls(version, Addresses.of_texts(sources), Addresses.of_texts(destinations))

    def at(self, rows: Whole | Mask) -> "HostPairs":
        """Those of some rows."""
        return HostPairs(self.version[rows], self.source.at(rows), self.destination.at(rows))


@dataclass(frozen=True)
class PairColumns:
    """One row per prefix pair."""

    version: Whole
    source: Addresses
    destination: Addresses
    source_length: Whole
    destination_length: Whole

    def __len__(self) -> int:
        return len(self.version)

    @classmethod
    def of(cls, pairs: Sequence[PrefixPair]) -> "PairColumns":
        """From prefix pairs, in their order."""
        sources, destinations = [pair.source for pair in pairs], [pair.destination for pair in pairs]
        return cls(
            whole([source.version for source in sources]),
            Addresses.of([int(source.network_address) for source in sources]),
            Addresses.of([int(destination.network_address) for destination in destinations]),
            whole([source.prefixlen for source in sources]),
            whole([destination.prefixlen for destination in destinations]),
        )

    def at(self, rows: Whole | Mask) -> "PairColumns":
        """Those of some rows."""
        return PairColumns(
            self.version[rows], self.source.at(rows), self.destination.at(rows), self.source_length[rows],
            self.destination_length[rows],
        )  # fmt: skip

    def followed_by(self, more: "PairColumns") -> "PairColumns":
        """These, then those."""
        return PairColumns(
            np.concatenate([self.version, more.version]),
            self.source.followed_by(more.source),
            self.destination.followed_by(more.destination),
            np.concatenate([self.source_length, more.source_length]),
            np.concatenate([self.destination_length, more.destination_length]),
        )

    def shapes(self) -> Whole:
        """One number below MAX_SHAPES for each pair's version and two prefix lengths."""
        return (self.version * 256 + self.source_length) * 256 + self.destination_length

    def filter_order(self) -> Whole:
        """Each pair's place in the order of filter terms: that of `PrefixPair.sort_key`."""
        keys = (
            self.destination_length, self.source_length, self.destination.lo, self.destination.hi, self.source.lo,
            self.source.hi, -(self.source_length + self.destination_length), self.version,
        )  # fmt: skip
        places = np.empty(len(self), dtype=np.int64)
        places[np.lexsort(keys)] = np.arange(len(self))
        return places

    def pairs(self, rows: Whole) -> list[PrefixPair]:
        """The pairs of some rows."""
        chosen = self.at(rows)
        columns = (
            chosen.version.tolist(), chosen.source.numbers(), chosen.source_length.tolist(),
            chosen.destination.numbers(), chosen.destination_length.tolist(),
        )  # fmt: skip
        return [
            PrefixPair(IPv4Network((source, length)), IPv4Network((destination, other)))
            if version == 4
            else PrefixPair(IPv6Network((source, length)), IPv6Network((destination, other)))
            for version, source, length, destination, other in zip(*columns, strict=True)
        ]


@dataclass(frozen=True)
class Spans:
    """Spans of days of prefix pairs; a pair may have any number of spans."""

    pair: Whole
    from_day: Whole
    until_day: Whole

    def cover(self, day: int) -> Mask:
        """Those that a day is in."""
        found: Mask = (self.from_day <= day) & (day <= self.until_day)
        return found


def whole(values: Sequence[int] = ()) -> Whole:
    """A column of whole numbers."""
    return np.array(values, dtype=np.int64)


def summable(values: Sequence[int] | Whole) -> Whole:
    """A column of byte counts whose sums fit into 64 bits; forged larger ones are capped."""
    if not len(values):
        return whole()
    limit = _MAX_SUM // len(values)
    if isinstance(values, np.ndarray):
        return np.minimum(values, limit) if float(np.sum(values, dtype=np.float64)) >= _MAX_SUM else values
    return whole([min(value, limit) for value in values]) if sum(values) >= _MAX_SUM else whole(values)
