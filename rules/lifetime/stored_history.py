"""A router's history from the packed totals of its days."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from hntes.rules.columns import Addresses, HostPairs, Mask
from hntes.rules.lifetime.history import PairHistory, PrefixLengths, Sightings, pair_history
from hntes.rules.matching import pair_numbers
from hntes.sql.host_totals import ObservationDay

# The fields of `host_totals.PACKED_TOTAL`.
_TOTAL = np.dtype(
    [
        ("source", ">u8", 2), ("destination", ">u8", 2), ("flow_bytes", ">i8"), ("peak_bytes", ">i8"),
        ("flows", ">u4"), ("weak_flows", ">u4"), ("version", "u1"), ("implausible", "?"),
    ]
)  # fmt: skip


def stored_history(days: Sequence[ObservationDay], until_day: date, lengths: PrefixLengths) -> PairHistory:
    """The history through a day. `days` are all known ones, later ones too.

    Implausible flows count only between hosts that also have plausible ones on any day, since the number of forged
    flows is unlimited.
    """
    hosts, seen = sightings(days)
    chosen = _counted_hosts(hosts, seen.implausible) & (seen.day <= until_day.toordinal())
    return pair_history(hosts, seen.at(chosen), lengths)


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


def _counted_hosts(hosts: HostPairs, implausible: Mask) -> Mask:
    """The rows of hosts with plausible flows on any day."""
    if not implausible.any():
        return ~implausible
    (numbers,) = pair_numbers((hosts.source, hosts.destination))
    of_family = 2 * numbers + (hosts.version == 6)
    return np.isin(of_family, np.unique(of_family[~implausible]))
