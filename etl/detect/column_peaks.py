"""The peak windows of very many flows at once: as etl/detect/window.py, but columnar.

Only flows of at most MOST_RECORDS records of one meter take part; others need what metering.py does with them. Sums are
floating point: precise enough to judge a flood, whose limits are per cents wide, but not for stored numbers.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

MOST_RECORDS = 8
FLOW = ("ip_version", "src_hi", "src_lo", "dst_hi", "dst_lo", "key_src_port", "key_dst_port", "key_protocol")
# Windows that differ by less are equally full.
_TOLERANCE = 1e-12
_CHUNK_FLOWS = 10_000
_METER = (
    "key_exporter_hi", "key_exporter_lo", "direction", "exporter_hi", "exporter_lo", "exporter_domain",
    "input_interface", "output_interface",
)  # fmt: skip
_RECORD = ("src_port", "dst_port", "protocol", "first_ms", "last_ms", "bytes", "packets")
_SPAN = ("start_ms", "last_ms", "bytes", "packets", "sampling_factor")

Columns = dict[str, npt.NDArray[np.int64]]
_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ColumnPeaks:
    """An entry per flow: its rows (`row` and the `rows` - 1 after it), and the fullest window at `port` (SNMP index).

    The window is cut off at the first moment at which the flow sent: [start_ms, end_ms]. `sd_bytes` is one standard
    deviation due to sampling; 0 where none is known.
    """

    row: _Ints
    rows: _Ints
    port: _Ints
    start_ms: _Ints
    end_ms: _Ints
    bytes: _Floats
    sd_bytes: _Floats

    def chosen(self, which: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> "ColumnPeaks":
        """The entries of an index or a mask."""
        return ColumnPeaks(*(values[which] for values in vars(self).values()))


def column_peaks(table: pa.Table, window_ms: int | None, bounds: tuple[int, int]) -> ColumnPeaks:
    """The peaks of a detection query's rows, which are ordered by flow.

    Windows of `window_ms`, or of a flow's longest record if None, that end in (bounds[0], bounds[1]], epoch ms.
    """
    rows = {name: _column(table, name) for name in (*FLOW, *_METER, *_RECORD, *_SPAN)}
    differs = {name: rows[name][1:] != rows[name][:-1] for name in (*FLOW, *_METER, *_RECORD)}
    is_first = np.concatenate([[True], np.logical_or.reduce([differs[name] for name in FLOW])])
    is_other_meter = np.concatenate([[False], np.logical_or.reduce([differs[name] for name in _METER])]) & ~is_first
    is_repeat = np.concatenate([[False], ~np.logical_or.reduce([differs[name] for name in _RECORD])]) & ~is_first
    is_repeat &= rows["last_ms"] > rows["first_ms"]
    begin = np.flatnonzero(is_first)
    size = np.diff(np.append(begin, table.num_rows))
    records = np.add.reduceat((~is_repeat).astype(np.int64), begin)
    takes_part = (records <= MOST_RECORDS) & ~np.logical_or.reduceat(is_other_meter, begin)
    once = np.flatnonzero(~is_repeat)
    first_once = np.cumsum(records) - records
    found = []
    for count in range(1, MOST_RECORDS + 1):
        flows = np.flatnonzero(takes_part & (records == count))
        for chunk in np.split(flows, range(_CHUNK_FLOWS, len(flows), _CHUNK_FLOWS)):
            places = once[first_once[chunk][:, None] + np.arange(count)]
            spans = {
                name: rows[name][places] for name in ("start_ms", "last_ms", "bytes", "packets", "sampling_factor")
            }
            windows = _fullest(spans, window_ms, bounds)
            found.append(ColumnPeaks(begin[chunk], size[chunk], rows["output_interface"][begin[chunk]], *windows))
    columns = zip(*(vars(part).values() for part in found), strict=True)
    return ColumnPeaks(*(np.concatenate(parts) for parts in columns))


def _column(table: pa.Table, name: str) -> _Ints:
    values: _Ints = table.column(name).to_numpy().astype(np.int64)
    return values


def _fullest(spans: Columns, window_ms: int | None, bounds: tuple[int, int]) -> tuple[_Ints, _Ints, _Floats, _Floats]:
    """Start, end, bytes and standard deviation of each flow's fullest window; `spans` by flow and record."""
    start, last = spans["start_ms"], spans["last_ms"]
    if window_ms is None:
        window = np.maximum((last - start).max(axis=1, keepdims=True), 1)
    else:
        window = np.full((len(start), 1), window_ms, dtype=np.int64)
    edges = [np.full_like(window, bounds[0] + 1), np.full_like(window, bounds[1])]
    ends = np.sort(np.concatenate([start, last, start + window, last + window, *edges], axis=1), axis=1)
    is_sending = np.zeros(ends.shape, dtype=bool)
    sent = np.zeros(ends.shape)
    for begins, stops, record_bytes in zip(
        start.T[:, :, None], last.T[:, :, None], spans["bytes"].T[:, :, None], strict=True
    ):
        is_sending |= (begins <= ends) & (ends <= stops)
        sent += record_bytes * _inside(begins, stops, ends - window, ends)
    is_allowed = is_sending & (ends > bounds[0]) & (ends <= bounds[1])
    sent = np.where(is_allowed, sent, -1.0)
    most = sent.max(axis=1, keepdims=True)
    place = (sent >= most - abs(most) * _TOLERANCE).argmax(axis=1)[:, None]
    end = np.take_along_axis(ends, place, axis=1)
    is_inside = (last >= end - window) & (start <= end)
    first = np.where(is_inside, start, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
    sd_bytes = _sd_bytes(spans, _inside(start, last, end - window, end))
    return np.maximum(first, end - window)[:, 0], end[:, 0], np.take_along_axis(sent, place, axis=1)[:, 0], sd_bytes


def _inside(start: _Ints, last: _Ints, a: _Ints, b: _Ints) -> _Floats:
    """The part of each record that lies in [a, b]; an instant is inside or not. As `Span.share`."""
    length = last - start
    touches = (last >= a) & (start <= b)
    share = (np.minimum(b, last) - np.maximum(a, start)) / np.maximum(length, 1)
    found: _Floats = np.where(touches, np.where(length == 0, 1.0, share), 0.0)
    return found


def _sd_bytes(spans: Columns, inside: _Floats) -> _Floats:
    """As `Span.variance`, added up; 0 where the factor of a record inside is not known."""
    factor, packets = spans["sampling_factor"].astype(float), spans["packets"] * inside
    is_sampled = (factor > 1) & (packets > 0)
    relative = np.zeros(inside.shape)
    np.divide((1 - 1 / np.maximum(factor, 1)) * factor, packets, out=relative, where=is_sampled)
    is_unknown = ((factor == 0) & (inside > 0)).any(axis=1)
    found: _Floats = np.sqrt(((spans["bytes"] * inside) ** 2 * relative).sum(axis=1))
    return np.where(is_unknown, 0.0, np.rint(found))
