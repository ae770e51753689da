"""The sums of a part's records by minute, as an oracle that is independent of the compiled ones."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hntes.etl.days import MINUTE_MS
from hntes.etl.lake.minute_sums import ADDED, GROUP, LONGEST_MS, MOST_COUNTED, SUMS, Point

_Ints = npt.NDArray[np.int64]
_LOW_BITS = 32
# No IP packet is longer.
_LONGEST_PACKET_BYTES = 65_535
_SQUARE_UNIT = 64


class PlainMinuteSums:
    """The sums of crates/nfcapd/src/minutes.rs, added up in numpy."""

    def __init__(self, most_groups: int, most_points: int, pieces: int) -> None:
        self._most_groups, self._most_points, self._pieces = most_groups, most_points, pieces
        self._groups: dict[tuple[int, ...], list[int]] = {}
        self._points: set[Point] = set()
        self._is_kept = True

    def add(self, columns: Sequence[_Ints]) -> None:
        if not self._is_kept:
            return
        rows = dict(zip(ADDED, columns, strict=True))
        self._points |= _points(rows)
        self._is_kept = _is_believable(rows) and len(self._points) <= self._most_points
        for pieces in _pieces(rows, self._pieces) if self._is_kept else ():
            self._add(pieces)
            self._is_kept &= len(self._groups) <= self._most_groups

    def _add(self, pieces: Mapping[str, _Ints]) -> None:
        order = np.lexsort([pieces[name] for name in GROUP[::-1]])
        keys = np.stack([pieces[name][order] for name in GROUP])
        begins = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
        sums = [_added(pieces[name][order], begins) for name in SUMS]
        for group, values in zip(zip(*keys[:, begins].tolist(), strict=True), zip(*sums, strict=True), strict=True):
            before = self._groups.get(group, (0,) * len(SUMS))
            self._groups[group] = [a + b for a, b in zip(before, values, strict=True)]

    def finish(self) -> tuple[list[tuple[int, ...]], list[Point]] | None:
        if not self._is_kept:
            return None
        return [(*group, *values) for group, values in sorted(self._groups.items())], sorted(self._points)


def _points(rows: Mapping[str, _Ints]) -> set[Point]:
    columns = [rows[name] for name in ("exporter_hi", "exporter_lo", "direction")]
    if all((column == column[0]).all() for column in columns):
        return {(int(columns[0][0]), int(columns[1][0]), int(columns[2][0]))}
    return set(map(tuple, np.unique(np.stack(columns), axis=1).T.tolist()))


def _is_believable(rows: Mapping[str, _Ints]) -> bool:
    lasts_ms = rows["last_ms"] - rows["first_ms"]
    is_short = bool(((lasts_ms >= 0) & (lasts_ms <= LONGEST_MS)).all())
    return is_short and all(rows[name].min() >= 0 and rows[name].max() <= MOST_COUNTED for name in ("bytes", "packets"))


def _pieces(rows: Mapping[str, _Ints], most: int) -> Iterator[dict[str, _Ints]]:
    """Of each record its part in each minute that it touches, some records at a time."""
    first, last = rows["first_ms"], rows["last_ms"]
    begin = first // MINUTE_MS
    # the last millisecond in which it has bytes: one that ends with a minute has none in the next
    counts = np.maximum(last - 1, first) // MINUTE_MS - begin + 1
    cuts = np.flatnonzero(np.diff((np.cumsum(counts) - 1) // most)) + 1
    for chosen in np.split(np.arange(counts.size), cuts):
        row = np.repeat(chosen, counts[chosen])
        beyond = np.arange(row.size) - np.repeat(np.cumsum(counts[chosen]) - counts[chosen], counts[chosen])
        yield _pieces_of({name: values[row] for name, values in rows.items()}, begin[row] + beyond)


def _pieces_of(record: Mapping[str, _Ints], minute: _Ints) -> dict[str, _Ints]:
    """Pieces in these minutes; `record` has the columns of each piece's record."""
    first, lasts = record["first_ms"], record["last_ms"] - record["first_ms"]
    begin_ms = np.clip(minute * MINUTE_MS - first, 0, lasts)
    end_ms = np.minimum((minute + 1) * MINUTE_MS - first, lasts)

    def share(counted: _Ints) -> _Ints:
        whole, rest = np.divmod(counted, np.maximum(lasts, 1))
        at_end, at_begin = (rest * start_ms // np.maximum(lasts, 1) for start_ms in (end_ms, begin_ms))
        return np.where(lasts == 0, counted, whole * (end_ms - begin_ms) + at_end - at_begin)

    byte_count = share(record["bytes"])
    packet_bytes = np.minimum(record["bytes"] // np.maximum(record["packets"], 1), _LONGEST_PACKET_BYTES)
    goes_on = minute % (24 * 60) == 0
    return {
        "output_interface": record["output_interface"], "sampling_factor": record["sampling_factor"], "minute": minute,
        "pieces": np.ones_like(minute), "records": ((minute == first // MINUTE_MS) | goes_on).astype(np.int64),
        "bytes": byte_count, "packets": share(record["packets"]),
        "square_bytes_64": (byte_count + _SQUARE_UNIT - 1) // _SQUARE_UNIT * packet_bytes,
    }  # fmt: skip


def _added(values: _Ints, begins: npt.NDArray[np.intp]) -> list[int]:
    """Sums of the runs that begin at these places, which may exceed 64 bits."""
    high = np.add.reduceat(values >> _LOW_BITS, begins).tolist()
    low = np.add.reduceat(values & (1 << _LOW_BITS) - 1, begins).tolist()
    return [(upper << _LOW_BITS) + lower for upper, lower in zip(high, low, strict=True)]
