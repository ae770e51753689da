"""A flood: so many flows that cannot be true that looking at each would hold up the night.

Anyone who can send UDP can send a hundred thousand records of 1.1 GB each. One port cannot have sent them all at once
(etl/detect/port_capacity.py), and none makes a rule; but an exact window and a row of the database for each would take
as long as several nights. Here they are judged by columns. The largest remain in the table, and all between hosts that
were seen otherwise, whose rules they keep alive; the others are counted only.

Only flows of one short record that lies within the day take part: such a record is its flow's fullest window. What is
taken out would be implausible by itself, and what it sent still counts when the other flows are judged.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from etl.detect.port_capacity import BIN_MS, PortTimes, capacity_bytes
from etl.measure.plausible import SAMPLING_SD

# As many implausible flows of a day are listed one by one; more of them are a flood.
LISTED_FLOWS = 1000
# Longer records would lie in many bins; of a flood of them each is looked at.
LONGEST_MS = 60_000

Hosts = tuple[int, int, int, int]
"""Two hosts as halves of their addresses: src_hi, src_lo, dst_hi, dst_lo."""

_FLOW = ("ip_version", "src_hi", "src_lo", "dst_hi", "dst_lo", "key_src_port", "key_dst_port", "key_protocol")
_COLUMNS = (*_FLOW, "start_ms", "last_ms", "bytes", "packets", "sampling_factor", "output_interface")
_Columns = dict[str, npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Thinned:
    """The rows that are left, how many flows were taken out, and what these would have sent from each port and when."""

    rows: pa.Table
    unlisted_flows: int
    sent: PortTimes


def without_flood(
    rows: pa.Table,
    threshold_bytes: int,
    window_ms: int,
    bounds: tuple[int, int],
    rates_bps: Mapping[int, int],
    known_hosts: Callable[[], Set[Hosts]],
    listed_flows: int = LISTED_FLOWS,
) -> Thinned:
    """A detection query's rows, which are ordered by flow, without the flood; all of them if there is none.

    `bounds` are the day's, in epoch ms; `rates_bps` by SNMP index. `known_hosts` is asked only if more than
    `listed_flows` flows cannot be true.
    """
    if rows.num_rows <= listed_flows:
        return Thinned(rows, 0, {})
    every = {name: rows.column(name).to_numpy().astype(np.int64) for name in _COLUMNS}
    single = np.flatnonzero(_is_single(every, threshold_bytes, window_ms, bounds, rates_bps))
    flows = _chosen(every, single)
    forged = np.flatnonzero(flows["bytes"] * (1 - _doubted_share(flows, rates_bps)) <= threshold_bytes)
    if len(forged) <= listed_flows:
        return Thinned(rows, 0, {})
    smaller = forged[np.argsort(-flows["bytes"][forged], kind="stable")][listed_flows:]
    known = known_hosts()
    hosts = zip(*(flows[name][smaller].tolist() for name in _FLOW[1:5]), strict=True)
    unlisted = smaller[np.fromiter((pair not in known for pair in hosts), dtype=bool, count=len(smaller))]
    is_left = np.ones(rows.num_rows, dtype=bool)
    is_left[single[unlisted]] = False
    sent = _sent(_chosen(flows, unlisted))
    return Thinned(rows.filter(pa.array(is_left)), len(unlisted), sent.by_place())


@dataclass(frozen=True)
class _Sent:
    """Flows by the bins in which they lie: an entry is the share of one flow (`row`) in one `place` (port and bin)."""

    row: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]
    places: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.float64]
    variance: npt.NDArray[np.float64]

    def by_place(self) -> PortTimes:
        return {
            (port, number): (sent, variance)
            for (port, number), sent, variance in zip(
                self.places.tolist(), self.bytes.tolist(), self.variance.tolist(), strict=True
            )
        }


def _is_single(
    rows: _Columns, threshold_bytes: int, window_ms: int, bounds: tuple[int, int], rates_bps: Mapping[int, int]
) -> npt.NDArray[np.bool_]:
    """Whether a row is all there is of a flow above the threshold, short, inside the day, and of a port with a rate."""
    is_first = np.ones(len(rows["bytes"]) + 1, dtype=bool)
    is_first[1:-1] = np.logical_or.reduce([rows[name][1:] != rows[name][:-1] for name in _FLOW])
    is_alone = is_first[:-1] & is_first[1:]
    is_inside = (rows["start_ms"] > bounds[0]) & (rows["last_ms"] <= bounds[1])
    is_short = rows["last_ms"] - rows["start_ms"] <= min(window_ms, LONGEST_MS)
    has_rate = np.isin(rows["output_interface"], np.array(list(rates_bps), dtype=np.int64))
    is_above: npt.NDArray[np.bool_] = rows["bytes"] > threshold_bytes
    return is_alone & is_inside & is_short & has_rate & is_above


def _chosen(rows: _Columns, chosen: npt.NDArray[np.intp]) -> _Columns:
    return {name: values[chosen] for name, values in rows.items()}


def _doubted_share(flows: _Columns, rates_bps: Mapping[int, int]) -> npt.NDArray[np.float64]:
    """The part of each flow that was sent while these flows alone overfilled its port."""
    sent = _sent(flows)
    most_bytes = np.array([capacity_bytes(rates_bps[port]) for port in sent.places[:, 0].tolist()])
    is_overfilled = sent.bytes - SAMPLING_SD * np.sqrt(sent.variance) > most_bytes
    doubted = sent.share * is_overfilled[sent.place]
    return _added(sent.row, doubted, len(flows["bytes"]))


def _sent(flows: _Columns) -> _Sent:
    start_ms, last_ms = flows["start_ms"], flows["last_ms"]
    first_bin, last_bin = start_ms // BIN_MS, np.maximum(last_ms - 1, start_ms) // BIN_MS
    counts = last_bin - first_bin + 1
    row = np.repeat(np.arange(len(start_ms)), counts)
    number = first_bin[row] + np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    inside = np.minimum(last_ms[row], (number + 1) * BIN_MS) - np.maximum(start_ms[row], number * BIN_MS)
    lasts = (last_ms - start_ms)[row]
    # an instant lies in one bin
    share = np.where(lasts == 0, 1.0, inside / np.maximum(lasts, 1))
    # one number for port and bin: pairs of them take ten times as long to sort
    bins = number.max(initial=0) + 1
    places, place = np.unique(flows["output_interface"][row] * bins + number, return_inverse=True)
    size = len(places)
    return _Sent(
        row, place, share, np.column_stack(np.divmod(places, bins)),
        bytes=_added(place, share * flows["bytes"][row], size),
        variance=_added(place, (share * _sd_bytes(flows)[row]) ** 2, size),
    )  # fmt: skip


def _added(index: npt.NDArray[np.int64], values: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    return np.bincount(index, values, minlength=size).astype(np.float64)


def _sd_bytes(flows: _Columns) -> npt.NDArray[np.float64]:
    """As `Span.variance` of a whole record; 0 where the factor is not known."""
    factor, packets = flows["sampling_factor"].astype(float), flows["packets"].astype(float)
    is_sampled = (factor > 1) & (packets > 0)
    relative = np.zeros(len(factor))
    np.divide((1 - 1 / np.maximum(factor, 1)) * factor, packets, out=relative, where=is_sampled)
    return np.rint(flows["bytes"] * np.sqrt(relative))
