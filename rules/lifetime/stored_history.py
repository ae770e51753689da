"""A router's history from the packed totals of its days."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from hntes import _native
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
# Of a row that the compiled module returns: five numbers of 64 bits and two flags.
_PAIR_DAY_BYTES = 42


def stored_history(days: Sequence[ObservationDay], until_day: date, lengths: PrefixLengths) -> PairHistory:
    """The history through a day. `days` are all known ones in their order, later ones too.

    Flows that cannot be true count between hosts only that were seen otherwise, too, whenever: of forged ones there may
    be any number.
    """
    addresses, ipv4, content = _native.pair_history(
        [(each.day.toordinal(), each.totals) for each in days], until_day.toordinal(), (lengths.ipv4, lengths.ipv6)
    )
    rows = len(content) // _PAIR_DAY_BYTES
    numbers = np.frombuffer(content, np.int64, 5 * rows).reshape(5, rows)
    flags = np.frombuffer(content, np.bool_, offset=numbers.nbytes).reshape(2, rows)
    return PairHistory(_pairs(addresses, ipv4, lengths), *numbers, *flags)


def _pairs(addresses: bytes, ipv4: int, lengths: PrefixLengths) -> PairColumns:
    """Those of IPv4, then those of IPv6."""
    halves = np.frombuffer(addresses, ">u8").reshape(-1, 4).astype(np.uint64)
    counts = [ipv4, len(halves) - ipv4]
    source_lengths, destination_lengths = zip(lengths.ipv4, lengths.ipv6, strict=True)
    return PairColumns(
        np.repeat([4, 6], counts), Addresses(halves[:, 0], halves[:, 1]), Addresses(halves[:, 2], halves[:, 3]),
        np.repeat(source_lengths, counts), np.repeat(destination_lengths, counts),
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
