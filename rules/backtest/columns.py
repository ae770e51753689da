"""Past traffic and prefix pairs as columns: the plain data that a replay works on.

Days are ordinals (`date.toordinal`), bytes whole numbers. An IPv4 address is in the lower half of 128 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from socket import AF_INET, AF_INET6, inet_pton

import numpy as np
import numpy.typing as npt

from hntes.rules.pairs import PrefixPair

Whole = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]
_HALF = 64
_LOW = (1 << _HALF) - 1
_IPV4_HEAD = bytes(12)
_MOST = (1 << 63) - 1


@dataclass(frozen=True)
class Ends:
    """Addresses or the first addresses of prefixes, all of one side, in two halves of 64 bits."""

    hi: Bits
    lo: Bits

    @classmethod
    def of(cls, numbers: Sequence[int]) -> "Ends":
        """From addresses as whole numbers."""
        return cls(
            np.array([number >> _HALF for number in numbers], dtype=np.uint64),
            np.array([number & _LOW for number in numbers], dtype=np.uint64),
        )

    def masked(self, length: int, width: int) -> "Ends":
        """The networks of that prefix length; `width` is 32 or 128, the family's."""
        mask = ((1 << length) - 1) << (width - length)
        return Ends(self.hi & np.uint64(mask >> _HALF), self.lo & np.uint64(mask & _LOW))

    def at(self, chosen: Whole | Mask) -> "Ends":
        """Those of the chosen rows."""
        return Ends(self.hi[chosen], self.lo[chosen])


@dataclass(frozen=True)
class HostPairs:
    """One row per pair of hosts between which something was sent; `version` is 4 or 6."""

    version: Whole
    source: Ends
    destination: Ends

    def __len__(self) -> int:
        return len(self.version)

    @classmethod
    def of(cls, hosts: Sequence[tuple[str, str]]) -> "HostPairs":
        """From addresses in their canonical text form, source and destination of one family."""
        version = np.array([6 if ":" in source else 4 for source, _ in hosts], dtype=np.int64)
        return cls(version, _read([source for source, _ in hosts]), _read([end for _, end in hosts]))


@dataclass(frozen=True)
class Terms:
    """One row per prefix pair that may have a filter term."""

    version: Whole
    source: Ends
    destination: Ends
    source_length: Whole
    destination_length: Whole

    def __len__(self) -> int:
        return len(self.version)

    @classmethod
    def of(cls, pairs: Sequence[PrefixPair]) -> "Terms":
        """From prefix pairs, in their order."""
        return cls(
            np.array([pair.ip_version for pair in pairs], dtype=np.int64),
            Ends.of([int(pair.source.network_address) for pair in pairs]),
            Ends.of([int(pair.destination.network_address) for pair in pairs]),
            np.array([pair.source.prefixlen for pair in pairs], dtype=np.int64),
            np.array([pair.destination.prefixlen for pair in pairs], dtype=np.int64),
        )

    def filter_order(self) -> Whole:
        """Each term's place in the order of filter terms: that of `PrefixPair.sort_key`."""
        keys = (
            self.destination_length, self.source_length, self.destination.lo, self.destination.hi, self.source.lo,
            self.source.hi, -(self.source_length + self.destination_length), self.version,
        )  # fmt: skip
        places = np.empty(len(self), dtype=np.int64)
        places[np.lexsort(keys)] = np.arange(len(self))
        return places


@dataclass(frozen=True)
class AlphaFlows:
    """One row per alpha flow and day. `hosts` are rows of the host pairs; rows of one flow share its number `flow`.

    `bytes` are all that the flow carried that day, `burst_bytes` those in windows above the threshold.
    """

    day: Whole
    hosts: Whole
    flow: Whole
    bytes: Whole
    burst_bytes: Whole

    def __len__(self) -> int:
        return len(self.day)


@dataclass(frozen=True)
class BetaBytes:
    """One row per day and pair of hosts: the bytes of flows between them that were no alpha flows."""

    day: Whole
    hosts: Whole
    bytes: Whole

    def __len__(self) -> int:
        return len(self.day)

    @classmethod
    def none(cls) -> "BetaBytes":
        """No beta traffic."""
        return cls(whole(), whole(), whole())


@dataclass(frozen=True)
class Traffic:
    """What one router carried on some days: alpha flows, and beta beside them. Each flow is there once a day."""

    hosts: HostPairs
    alpha: AlphaFlows
    beta: BetaBytes


@dataclass(frozen=True)
class Spans:
    """From which through which day of traffic terms are in the filter; a term may have any number of spans."""

    term: Whole
    from_day: Whole
    until_day: Whole


def whole(values: Sequence[int] = ()) -> Whole:
    """A column of whole numbers."""
    return np.array(values, dtype=np.int64)


def octets(values: Sequence[int]) -> Whole:
    """A column of bytes, any of which can be added up: of forged ones that add up to more than 64 bits hold, less."""
    if sum(values) > _MOST:
        most = _MOST // len(values)
        return whole([min(value, most) for value in values])
    return whole(values)


def _read(texts: Sequence[str]) -> Ends:
    # Python's ip_address() takes longer over a year's hosts than all the rest of a back-test
    packed = (inet_pton(AF_INET6, text) if ":" in text else _IPV4_HEAD + inet_pton(AF_INET, text) for text in texts)
    halves = np.frombuffer(b"".join(packed), dtype=">u8").astype(np.uint64)
    return Ends(halves[0::2], halves[1::2])
