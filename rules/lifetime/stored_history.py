"""A router's history from the packed totals of its days."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from hntes._native import PairDays
from hntes.rules.columns import Addresses, HostPairs, PairColumns
from hntes.rules.lifetime.history import PairHistory, PrefixLengths, Sightings
from hntes.sql.host_totals import ObservationDay

# The fields of `host_totals.PACKED_TOTAL`.
_TOTAL = np.dtype(
    [
        ("source", ">u8", 2), ("destination", ">u8", 2), ("flow_bytes", ">i8"), ("peak_bytes", ">i8"),
        ("flows", ">u4"), ("weak_flows", ">u4"), ("version", "u1"), ("implausible", "?"),
    ]
)  # fmt: skip


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


def sightings(days: Sequence[ObservationDay]) -> tuple[HostPairs, Sightings]:
    """All totals, and their hosts: one row each."""
    parts = [np.frombuffer(each.totals, _TOTAL) for each in days]
    rows = np.concatenate([np.zeros(0, _TOTAL), *parts])
    source, destination = (
        Addresses(*(rows[side][:, half].astype(np.uint64) for half in (0, 1))) for side in ("source", "destination")
    )
    flows, weak_flows, flow_bytes, peak_bytes, version = (
        rows[name].astype(np.int64) for name in ("flows", "weak_flows", "flow_bytes", "peak_bytes", "version")
    )
    day = np.repeat(np.array([each.day.toordinal() for each in days], dtype=np.int64), [len(part) for part in parts])
    own = np.arange(len(rows))
    seen = Sightings(own, day, flows, weak_flows, flow_bytes, peak_bytes, rows["implausible"].astype(np.bool_))
    return HostPairs(version, source, destination), seen
