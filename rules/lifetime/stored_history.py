"""Histories of prefix pairs from the packed totals of a router's days."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from hntes._native import PairDays, bytes_of_pairs
from hntes.rules.columns import Addresses, PairColumns
from hntes.rules.lifetime.history import PairHistory, PrefixLengths
from hntes.rules.pairs import PrefixPair
from hntes.sql.host_totals import ObservationDay


def stored_history(days: Sequence[ObservationDay], until_day: date, lengths: PrefixLengths) -> PairHistory:
    """The history through a day. `days` are all known ones in their order, later ones too.

    Implausible flows count only between hosts that also have plausible ones on any day, since the number of forged
    flows is unlimited.
    """
    packed = [(each.day.toordinal(), each.totals) for each in days]
    ends, pair_days = PairDays.of_totals(packed, until_day.toordinal(), (lengths.ipv4, lengths.ipv6))
    return PairHistory(_pairs(ends, lengths), pair_days)


def _pairs(ends: bytes, lengths: PrefixLengths) -> PairColumns:
    is_ipv6, *halves = np.frombuffer(ends, np.int64).reshape(5, -1)
    source_hi, source_lo, destination_hi, destination_lo = (half.view(np.uint64) for half in halves)
    source_length, destination_length = np.array([lengths.ipv4, lengths.ipv6], np.int64)[is_ipv6].T
    return PairColumns(
        4 + 2 * is_ipv6, Addresses(source_hi, source_lo), Addresses(destination_hi, destination_lo), source_length,
        destination_length,
    )  # fmt: skip


def bytes_by_day(
    days: Sequence[ObservationDay], pairs: Sequence[PrefixPair], span: tuple[date, date]
) -> list[tuple[int, ...]]:
    """The bytes of believed alpha flows between hosts of each pair on each day from the first through the last."""
    packed = [(each.day.toordinal(), each.totals) for each in days]
    wanted = [
        (
            pair.ip_version == 6, int(pair.source.network_address), pair.source.prefixlen,
            int(pair.destination.network_address), pair.destination.prefixlen,
        )
        for pair in pairs
    ]  # fmt: skip
    first, last = (day.toordinal() for day in span)
    content = bytes_of_pairs(packed, wanted, first, last)
    return list(map(tuple, np.frombuffer(content, np.int64).reshape(len(pairs), last - first + 1).tolist()))
