"""Implausible alpha flows: together they exceed the rate of their port.

One forged record of 1.1 GB in ten seconds is plausible on a port of 10 Gb/s, two thousand at the same time are not,
and the true ones cannot be identified. So bytes in such seconds do not count, and a flow that is below the threshold
without them is marked; marked flows make no new rules. Only those that fit into the port with all that are no larger
(etl/detect/fitting.py) are not: else a few large records would keep all true flows of their time from becoming rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from hntes.etl.detect.fitting import fitting_flows
from hntes.etl.detect.peak_window import BIN_MS, PeakWindow
from hntes.etl.measure.plausible import SAMPLING_SD

NO_RATES: Mapping[int, int] = MappingProxyType({})
TOLERANCE_PCT = 30
# Ethernet of 1.6 Tb/s (IEEE P802.3dj), the fastest there is: where nothing is known of a router's ports.
_FASTEST_BPS = 1_600_000_000_000
# All ports that the settings do not name, as one: their index may be any number that a record claims.
UNNAMED = -1

Floats = npt.NDArray[np.float64]
PortTimes = Mapping[tuple[int, int], tuple[float, float, float]]
"""By port (SNMP index) and number of the bin: bytes, their variance, and the size in bytes of the smallest flow."""


def capacity_bytes(rate_bps: int) -> float:
    """The maximum plausible bytes of a port in one bin."""
    return rate_bps * BIN_MS / 8000 * (100 + TOLERANCE_PCT) / 100


def implausible_flows(
    windows: Iterable[PeakWindow],
    threshold_bytes: int,
    rates_bps: Mapping[int, int] = NO_RATES,
    more_sent: PortTimes = MappingProxyType({}),
    whole_bps: int = 0,
) -> frozenset[str]:
    """The flows that exceed the threshold only with what they sent while their port was overfilled, by flow id.

    Those that fit into it with all that are no larger are none. `rates_bps` by SNMP index. Flows of all other ports
    together are bounded by `whole_bps`, the rate of all ports of the router; where that is 0, each alone by the fastest
    port there is. Sums are of fullest windows alone, and so below what the port would have sent; the error of sampling
    is granted. `more_sent` is of flows that are not judged here.
    """
    listed = list(windows)
    others = (window for window in listed if window.port_index not in rates_bps)
    alone = frozenset(window.flow_id for window in others if _is_too_fast(window))
    limits = {**rates_bps, **({UNNAMED: whole_bps} if whole_bps else {})}
    by_port: defaultdict[int, list[PeakWindow]] = defaultdict(list)
    for window in listed:
        by_port[window.port_index if window.port_index in rates_bps else UNNAMED].append(window)
    doubted: set[str] = set()
    for port in by_port.keys() & limits.keys():
        doubted |= _implausible(by_port[port], port, more_sent, threshold_bytes, capacity_bytes(limits[port]))
    return alone | doubted


def _implausible(
    judged: list[PeakWindow], port: int, more_sent: PortTimes, threshold_bytes: int, most_bytes: float
) -> Set[str]:
    others = [(sent[2], _as_window(key, sent)) for key, sent in more_sent.items() if key[0] == port]
    doubted = {
        window.flow_id
        for window, share in _doubted(judged, [window for _, window in others], most_bytes)
        if share and window.bytes * (1 - share) <= threshold_bytes
    }
    return doubted - fitting_flows([*((each.size_bytes, each) for each in judged), *others], doubted, most_bytes)


def _is_too_fast(window: PeakWindow) -> bool:
    """Whether no port carries it in its time and a bin, which covers the clocks of both ends."""
    bins = (window.end_ms - window.start_ms) / BIN_MS + 1
    return window.bytes - SAMPLING_SD * window.sd_bytes > bins * capacity_bytes(_FASTEST_BPS)


def _as_window(place: tuple[int, int], sent: tuple[float, float, float]) -> PeakWindow:
    """What was sent in a bin, as one window."""
    port, number = place
    size, variance, _ = sent
    return PeakWindow("", port, number * BIN_MS, (number + 1) * BIN_MS, int(size), int(variance**0.5))


def _doubted(
    judged: list[PeakWindow], others: list[PeakWindow], most_bytes: float
) -> Iterator[tuple[PeakWindow, float]]:
    """Each window, and which part of it lies in times of BIN_MS, at any offset, in which all together sent more."""
    sending = judged + others
    start = np.array([each.start_ms for each in sending], dtype=np.float64)
    # an instant takes a millisecond, so that what was sent by a moment has no jumps
    end = np.maximum(np.array([each.end_ms for each in sending], dtype=np.float64), start + 1)
    edges = np.unique(np.concatenate([start, end]))
    # straight lines between these moments: the fullest time begins or ends at one of them
    begins = np.unique(np.concatenate([edges, edges - BIN_MS]))
    sizes = np.array([each.bytes for each in sending], dtype=np.float64)
    # of the part of a flow that fits into such a time; less than that is granted the same error for each byte
    fitting = np.minimum(1.0, BIN_MS / (end - start))
    variances = fitting * np.array([each.sd_bytes for each in sending], dtype=np.float64) ** 2
    sent, variance = (_within(begins, edges, start, end, values) for values in (sizes, variances))
    over = begins[sent - SAMPLING_SD * np.sqrt(np.maximum(variance, 0)) > most_bytes]
    first, last = _joined(over, begins)
    covered = _covered(start, end, first, last + BIN_MS)
    for number, window in enumerate(judged):
        yield window, float(covered[number] / (end[number] - start[number]))


def _within(begins: Floats, edges: Floats, start: Floats, end: Floats, values: Floats) -> Floats:
    """What was sent within BIN_MS of each of these moments."""
    rates = values / (end - start)
    slope = np.zeros(len(edges))
    np.add.at(slope, np.searchsorted(edges, start), rates)
    np.add.at(slope, np.searchsorted(edges, end), -rates)
    total = np.concatenate([[0.0], np.cumsum(np.cumsum(slope)[:-1] * np.diff(edges))])
    found: Floats = np.interp(begins + BIN_MS, edges, total) - np.interp(begins, edges, total)
    return found


def _joined(over: Floats, begins: Floats) -> tuple[Floats, Floats]:
    """First and last of neighbours among the moments that lie over the limit."""
    places = np.searchsorted(begins, over)
    apart = np.flatnonzero(np.diff(places) > 1)
    return over[np.concatenate([[0], apart + 1]).astype(np.intp)] if len(over) else over, (
        over[np.concatenate([apart, [len(over) - 1]]).astype(np.intp)] if len(over) else over
    )


def _covered(start: Floats, end: Floats, first: Floats, last: Floats) -> Floats:
    """How much of each window lies in any of the spans [first, last], which rise and may overlap."""
    if not len(first):
        return np.zeros(len(start))
    opens = np.maximum(first, np.concatenate([[-np.inf], np.maximum.accumulate(last)[:-1]]))
    lengths = np.concatenate([[0.0], np.cumsum(np.maximum(last - opens, 0))])
    marks = np.ravel(np.column_stack([opens, np.maximum(last, opens)]))
    totals = np.ravel(np.column_stack([lengths[:-1], lengths[1:]]))
    found: Floats = np.interp(end, marks, totals) - np.interp(start, marks, totals)
    return found
