"""The history of a router as days of prefix pairs with alpha flows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hntes._native import PairDays
from hntes.rules.columns import MAX_SHAPES, WIDTHS, HostPairs, Mask, PairColumns, Whole, summable, whole
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


@dataclass(frozen=True)
class PairHistory:
    """Days of prefix pairs with alpha flows; in `days` the pairs go by their rows in `pairs`.

    A pair's day is weak if all of its flows are borderline, so that each may have been below the threshold. It is
    implausible if the pair was seen only where the port would have sent more than it can; then neither the number of
    its flows nor their bytes are known (0). Beside a believable flow the others of the day do not count.
    """

    pairs: PairColumns
    days: PairDays

    @classmethod
    def of(cls, pairs: PairColumns, seen: Sightings) -> "PairHistory":
        """From sightings of these pairs, in any order."""
        columns = (
            seen.subject, seen.day, seen.flows, seen.weak_flows, summable(seen.bytes * ~seen.implausible),
            seen.peak_bytes, seen.implausible,
        )  # fmt: skip
        return cls(pairs, PairDays.of_rows(len(pairs), [column.astype(np.int64).tobytes() for column in columns]))


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
    if not more:
        return pairs, whole()
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
