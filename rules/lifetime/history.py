"""The history of a router as days of prefix pairs with alpha flows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hntes.rules.columns import MAX_SHAPES, WIDTHS, HostPairs, Mask, PairColumns, Whole, summable
from hntes.rules.matching import pair_numbers
from hntes.rules.pairs import PrefixPair


@dataclass(frozen=True)
class PrefixLengths:
    """The prefix lengths that hosts are aggregated to: for source and destination, by family."""

    ipv4: tuple[int, int]
    ipv6: tuple[int, int]

    def __str__(self) -> str:
        return ", ".join(_lengths(pair) for pair in (self.ipv4, self.ipv6))


@dataclass(frozen=True)
class Sightings:
    """Alpha flows as evidence: one row per day and pair of hosts at least, of `subject` whatever has a row of its own.

    `weak_flows` of the flows are borderline. Implausible flows (`implausible`) have separate rows.
    """

    subject: Whole
    day: Whole
    flows: Whole
    weak_flows: Whole
    bytes: Whole
    peak_bytes: Whole
    implausible: Mask

    def at(self, rows: Whole | Mask) -> "Sightings":
        """Those of some rows."""
        return Sightings(**{name: column[rows] for name, column in vars(self).items()})


@dataclass(frozen=True)
class PairHistory:
    """One row per prefix pair and day with alpha flows, by both: their number, bytes, and peak window.

    `pair` is a row of `pairs`. `is_weak`: all of the flows are borderline, so that each may have been below the
    threshold. `is_implausible`: they were seen only where the port would have sent more than it can; then neither their
    number nor their bytes are known (0).
    """

    pairs: PairColumns
    pair: Whole
    day: Whole
    flows: Whole
    bytes: Whole
    peak_bytes: Whole
    is_weak: Mask
    is_implausible: Mask

    def __len__(self) -> int:
        return len(self.pair)

    @classmethod
    def of(cls, pairs: PairColumns, seen: Sightings) -> "PairHistory":
        """From sightings of these pairs, in any order. Implausible flows do not count on days with plausible ones."""
        seen = seen.at(np.lexsort((seen.day, seen.subject)))
        if not len(seen.day):
            nothing = np.zeros(0, dtype=np.bool_)
            return cls(pairs, seen.subject, seen.day, seen.flows, seen.bytes, seen.peak_bytes, nothing, nothing)
        is_new = (seen.subject[1:] != seen.subject[:-1]) | (seen.day[1:] != seen.day[:-1])
        begins = np.flatnonzero(np.concatenate([[True], is_new]))
        believed = ~seen.implausible
        flows = np.add.reduceat(seen.flows * believed, begins)
        is_implausible = ~np.logical_or.reduceat(believed, begins)
        return cls(
            pairs,
            seen.subject[begins],
            seen.day[begins],
            flows,
            np.add.reduceat(summable(seen.bytes * believed), begins),
            np.maximum.reduceat(seen.peak_bytes * believed, begins),
            ~is_implausible & (np.add.reduceat(seen.weak_flows * believed, begins) == flows),
            is_implausible,
        )

    def rows(self, chosen: Mask) -> "PairHistory":
        """With some of its days."""
        columns = ("pair", "day", "flows", "bytes", "peak_bytes", "is_weak", "is_implausible")
        return PairHistory(self.pairs, *(getattr(self, name)[chosen] for name in columns))


def pair_history(hosts: HostPairs, seen: Sightings, lengths: PrefixLengths) -> PairHistory:
    """The history of hosts aggregated to prefixes of these lengths; `seen.subject` is a row of `hosts`."""
    pairs, pair_of_hosts = widened(hosts, lengths)
    columns = vars(seen) | {"subject": pair_of_hosts[seen.subject]}
    return PairHistory.of(pairs, Sightings(**columns))


def widened(hosts: HostPairs, lengths: PrefixLengths) -> tuple[PairColumns, Whole]:
    """The prefix pairs of hosts, each once, and the pair of each row of `hosts`."""
    pair_of_hosts = np.empty(len(hosts), dtype=np.int64)
    pairs = PairColumns.of([])
    for version, (source_length, destination_length) in ((4, lengths.ipv4), (6, lengths.ipv6)):
        mine = np.flatnonzero(hosts.version == version)
        source = hosts.source.at(mine).masked(source_length, WIDTHS[version])
        destination = hosts.destination.at(mine).masked(destination_length, WIDTHS[version])
        (numbers,) = pair_numbers((source, destination))
        _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        pair_of_hosts[mine] = len(pairs) + inverse
        count = len(first)
        own = PairColumns(
            np.full(count, version), source.at(first), destination.at(first), np.full(count, source_length),
            np.full(count, destination_length),
        )  # fmt: skip
        pairs = pairs.followed_by(own)
    return pairs, pair_of_hosts


def joined(pairs: PairColumns, more: Sequence[PrefixPair]) -> tuple[PairColumns, Whole]:
    """These pairs and those of `more` that are not among them, each once; and the row of each of `more`."""
    given = PairColumns.of(more)
    numbers = pair_numbers((pairs.source, pairs.destination), (given.source, given.destination))
    keys = [number * MAX_SHAPES + each.shapes() for number, each in zip(numbers, (pairs, given), strict=True)]
    _, first, inverse = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    new = np.sort(first[first >= len(pairs)])
    row = np.where(first < len(pairs), first, len(pairs) + np.searchsorted(new, first))
    return pairs.followed_by(given.at(new - len(pairs))), row[inverse[len(pairs) :]]


def _lengths(pair: tuple[int, int]) -> str:
    source, destination = pair
    return f"/{source}" if source == destination else f"/{source} to /{destination}"
