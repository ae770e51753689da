"""Floods: so many implausible flows that evaluating each would delay the night.

Anyone who can send UDP can send a hundred thousand records of 1.1 GB each. One port cannot have sent all of them
(etl/detect/port_capacity.py), and none makes a rule; but an exact window and a row of the database for each would take
as long as several nights. Here they are judged by columns (etl/detect/column_peaks.py). The largest remain in the
table, and all between hosts with other evidence, whose rules they keep alive; the others are only counted.

What is taken out would be implausible by itself, and what it sent still counts when the other flows are judged. Flows
of many records or of several meters are judged one by one; `listed` leaves no more of these than of the others.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from ipaddress import ip_address

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.addresses import halves
from hntes.etl.detect.column_peaks import FLOW, ColumnPeaks, column_peaks
from hntes.etl.detect.peak_window import BIN_MS
from hntes.etl.detect.port_capacity import PortTimes, capacity_bytes
from hntes.etl.measure.plausible import SAMPLING_SD
from hntes.sql.entries import ObservationEntry

# As many implausible flows of a day are listed one by one; more of them are a flood.
LISTED_FLOWS = 1000
# As many flows of several records are kept, which may be true without some of these (etl/detect/claims.py).
MOST_DIVISIBLE = 5_000
# Longer windows would lie in many bins; of a flood of them each is looked at.
LONGEST_MS = 60_000

Hosts = tuple[int, int, int, int]
"""Two hosts as halves of their addresses: src_hi, src_lo, dst_hi, dst_lo."""


@dataclass(frozen=True)
class GivenHosts:
    """Gives hosts that were read before."""

    hosts: frozenset[Hosts]

    def __call__(self) -> frozenset[Hosts]:
        return self.hosts


@dataclass(frozen=True)
class Thinned:
    """The rows that are left, how many flows were taken out, and what these would have sent from each port and when."""

    rows: pa.Table
    unlisted_flows: int
    sent: PortTimes


def without_flood(
    rows: pa.Table,
    threshold_bytes: int,
    window_ms: int | None,
    bounds: tuple[int, int],
    rates_bps: Mapping[int, int],
    known_hosts: Callable[[], Set[Hosts]],
    listed_flows: int = LISTED_FLOWS,
) -> Thinned:
    """A detection query's rows, which are ordered by flow, without the flood; all of them if there is none.

    `window_ms` is None where the longest record of a flow is its window. `bounds` are the day's, in epoch ms;
    `rates_bps` by SNMP index. `known_hosts` is asked only if more than `listed_flows` flows cannot be true.
    """
    if rows.num_rows <= listed_flows:
        return Thinned(rows, 0, {})
    every = column_peaks(rows, window_ms, bounds)
    is_short = every.end_ms - every.start_ms <= LONGEST_MS
    has_rate = np.isin(every.port, np.array(list(rates_bps), dtype=np.int64))
    flows = every.chosen(is_short & has_rate & (every.bytes > threshold_bytes))
    share, fits = _judged(flows, rates_bps)
    forged = np.flatnonzero((flows.bytes * (1 - share) <= threshold_bytes) & ~fits)
    if len(forged) <= listed_flows:
        return Thinned(rows, 0, {})
    smaller = forged[np.lexsort((flows.row[forged], -flows.bytes[forged]))][listed_flows:]
    is_divisible = flows.rows[smaller] > 1
    if is_divisible.sum() <= MOST_DIVISIBLE:
        smaller = smaller[~is_divisible]
    known = known_hosts()
    hosts = zip(*(rows.column(name).to_numpy()[flows.row[smaller]].tolist() for name in FLOW[1:5]), strict=True)
    unlisted = flows.chosen(smaller[np.fromiter((pair not in known for pair in hosts), bool, len(smaller))])
    return Thinned(_without(rows, unlisted), len(unlisted.row), _sent(unlisted).by_place(_size_bytes(unlisted)))


def listed(
    flows: Sequence[ObservationEntry], known_hosts: Callable[[], Set[Hosts]], listed_flows: int = LISTED_FLOWS
) -> list[ObservationEntry]:
    """The flows without those that cannot be true, of which the largest remain and all between known hosts."""
    forged = sorted((flow for flow in flows if flow.implausible), key=_rank)
    if len(forged) <= listed_flows:
        return list(flows)
    known = known_hosts()
    unlisted = {flow.flow_id for flow in forged[listed_flows:] if _hosts(flow) not in known}
    return [flow for flow in flows if flow.flow_id not in unlisted]


def _rank(flow: ObservationEntry) -> tuple[int, ...]:
    """The largest first; equals in the order of the query."""
    ports = (flow.source_port, flow.destination_port, flow.protocol)
    return -flow.peak_bytes, flow.ip_version, *_hosts(flow), *(-1 if port is None else port for port in ports)


def _hosts(flow: ObservationEntry) -> Hosts:
    return *halves(ip_address(flow.source)), *halves(ip_address(flow.destination))


@dataclass(frozen=True)
class _Sent:
    """Flows by the bins in which they lie: an entry is the share of one flow (`flow`) in one `place` (port and bin)."""

    flow: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]
    places: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.float64]
    variance: npt.NDArray[np.float64]

    def by_place(self, size_bytes: npt.NDArray[np.float64]) -> PortTimes:
        least = np.full(len(self.places), np.inf)
        np.minimum.at(least, self.place, size_bytes[self.flow])
        columns = zip(self.bytes.tolist(), self.variance.tolist(), least.tolist(), strict=True)
        return {(port, number): found for (port, number), found in zip(self.places.tolist(), columns, strict=True)}


def _without(rows: pa.Table, flows: ColumnPeaks) -> pa.Table:
    """The table without the rows of these flows."""
    change = np.zeros(rows.num_rows + 1, dtype=np.int64)
    np.add.at(change, flows.row, 1)
    np.add.at(change, flows.row + flows.rows, -1)
    return rows.filter(pa.array(np.cumsum(change[:-1]) == 0))


def _judged(flows: ColumnPeaks, rates_bps: Mapping[int, int]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """The part of each flow that was sent while these flows alone overfilled its port, and whether it fits there.

    By bins: what fits by them is judged once more at any offset, and not taken out meanwhile.
    """
    sent = _sent(flows)
    most_bytes = np.array([capacity_bytes(rates_bps[port]) for port in sent.places[:, 0].tolist()])
    is_overfilled = sent.bytes - SAMPLING_SD * np.sqrt(sent.variance) > most_bytes
    share = _added(sent.flow, sent.share * is_overfilled[sent.place], len(flows.row))
    exceeds = np.zeros(len(flows.row), dtype=np.bool_)
    exceeds[sent.flow[_exceeding(flows, sent, most_bytes)]] = True
    return share, ~exceeds


def _exceeding(flows: ColumnPeaks, sent: "_Sent", most_bytes: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """The entries whose place is overfilled by the flows that are no larger."""
    sizes = _size_bytes(flows)
    order = np.lexsort((sizes[sent.flow], sent.place))
    flow, place, part = sent.flow[order], sent.place[order], sent.share[order]
    size = sizes[flow]
    if not len(order):
        return order
    # an error as large as where flows are judged at any offset: nothing that fits there exceeds here
    variance = part * size / np.maximum(flows.bytes[flow], 1.0) * flows.sd_bytes[flow] ** 2
    is_last = np.append((place[1:] != place[:-1]) | (size[1:] != size[:-1]), True)
    # of equals each counts with all of them
    last = np.flatnonzero(is_last)[np.cumsum(np.append(False, is_last[:-1]))]
    begins = np.searchsorted(place, place)
    so_far, spread = (_sums(each)[last + 1] - _sums(each)[begins] for each in (part * flows.bytes[flow], variance))
    is_over = so_far - SAMPLING_SD * np.sqrt(np.maximum(spread, 0)) > most_bytes[place]
    return np.asarray(order[is_over], dtype=np.intp)


def _sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sums of the values before each, and of all."""
    return np.append(0.0, np.cumsum(values))


def _size_bytes(flows: ColumnPeaks) -> npt.NDArray[np.float64]:
    """The most of each flow in any BIN_MS, as of `PeakWindow`."""
    length_ms = np.maximum(flows.end_ms - flows.start_ms, 1)
    return np.asarray(flows.bytes * np.minimum(1.0, BIN_MS / length_ms), dtype=np.float64)


def _sent(flows: ColumnPeaks) -> _Sent:
    start_ms, end_ms = flows.start_ms, flows.end_ms
    first_bin, last_bin = start_ms // BIN_MS, np.maximum(end_ms - 1, start_ms) // BIN_MS
    counts = last_bin - first_bin + 1
    flow = np.repeat(np.arange(len(start_ms)), counts)
    number = first_bin[flow] + np.arange(len(flow)) - (np.cumsum(counts) - counts)[flow]
    inside = np.minimum(end_ms[flow], (number + 1) * BIN_MS) - np.maximum(start_ms[flow], number * BIN_MS)
    lasts = (end_ms - start_ms)[flow]
    # an instant lies in one bin
    share = np.where(lasts == 0, 1.0, inside / np.maximum(lasts, 1))
    # one number for port and bin: pairs of them take ten times as long to sort
    bins = number.max(initial=0) + 1
    places, place = np.unique(flows.port[flow] * bins + number, return_inverse=True)
    size = len(places)
    return _Sent(
        flow, place, share, np.column_stack(np.divmod(places, bins)),
        bytes=_added(place, share * flows.bytes[flow], size),
        variance=_added(place, (share * flows.sd_bytes[flow]) ** 2, size),
    )  # fmt: skip


def _added(index: npt.NDArray[np.int64], values: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    return np.bincount(index, values, minlength=size).astype(np.float64)
