"""What a part's records add up to, by egress interface, sampling factor and minute: kept in the part's footer.

The sums are taken while the part is written, so that `measure` need not read most records again
(etl/measure/from_sums.py). Each record counts from its own start; where that is another's, too, is known only when all
files of a day are there. Bytes and packets are apportioned to minutes as in sql/queries/interface_load.sql.

A part has no sums where these would be no summary, or a record's times or counters are beyond what a flow can have.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.days import MINUTE_MS
from hntes.etl.sources.nfcapd.compiled import native as _native

Column = npt.NDArray[Any]
_Ints = npt.NDArray[np.int64]
Point = tuple[int, int, int]
"""A metering point: upper and lower half of the exporter's address, direction."""

FOOTER_KEY = "hntes.minute_sums"
_FORM = 1
# With more there are no sums: groups and metering points in a part; how long a record lasts, its bytes and packets.
MOST_GROUPS, MOST_POINTS, LONGEST_MS, MOST_COUNTED = 1 << 16, 1 << 8, 25 * 3_600_000, 1 << 52
# Pieces of records, one for each minute, that are held at a time.
_PIECES = 1 << 18
_LOW_BITS = 32
# No IP packet is longer.
_LONGEST_PACKET_BYTES = 65_535
_SQUARE_UNIT = 64
# In the order in which minutes.rs has them.
ADDED = ("output_interface", "sampling_factor", "first_ms", "last_ms", "bytes", "packets",
          "exporter_hi", "exporter_lo", "direction")  # fmt: skip
GROUP = ("output_interface", "sampling_factor", "minute")
SUMS = ("pieces", "records", "bytes", "packets", "square_bytes_64")
_TYPES = {name: pa.int64() for name in (*GROUP, "pieces", "records")}
# One row a group. pieces: record-minutes. records: those that begin in the minute, or go on at midnight UTC.
# square_bytes_64: a piece's bytes, in units of 64 rounded up, times the mean packet of its record.
SUMS_SCHEMA = pa.schema(
    [pa.field(name, _TYPES.get(name, pa.decimal128(38, 0)), nullable=False) for name in (*GROUP, *SUMS)]
)


@dataclass(frozen=True)
class PartSums:
    """The sums of some rows (SUMS_SCHEMA, ordered by group), and the metering points that counted them."""

    groups: pa.Table
    points: frozenset[Point]


class MinuteSums:
    """Adds rows up, block by block; how they are cut into blocks does not matter. A part has at most MOST_GROUPS."""

    def __init__(self, most_groups: int | None = None) -> None:
        most = MOST_GROUPS if most_groups is None else most_groups
        self._adding = _native.MinuteSums(most, MOST_POINTS, LONGEST_MS, MOST_COUNTED) if _native else _Adding(most)

    def add(self, rows: Mapping[str, Column]) -> None:
        """Adds rows: the columns ADDED of LAKE_SCHEMA, in its types."""
        if rows["bytes"].size:
            self._adding.add([np.ascontiguousarray(rows[name], np.int64) for name in ADDED])

    def finish(self) -> PartSums | None:
        """All sums; None where there are none."""
        found = self._adding.finish()
        if found is None:
            return None
        groups, points = found
        return PartSums(_table(list(zip(*groups, strict=True)) or [()] * len(SUMS_SCHEMA)), frozenset(points))


class _Adding:
    """What crates/nfcapd/src/minutes.rs does, where it is not compiled."""

    def __init__(self, most_groups: int) -> None:
        self._most_groups = most_groups
        self._groups: dict[tuple[int, ...], list[int]] = {}
        self._points: set[Point] = set()
        self._is_kept = True

    def add(self, columns: Sequence[_Ints]) -> None:
        if not self._is_kept:
            return
        rows = dict(zip(ADDED, columns, strict=True))
        self._points |= _points(rows)
        self._is_kept = _is_believable(rows) and len(self._points) <= MOST_POINTS
        for pieces in _pieces(rows) if self._is_kept else ():
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


def _pieces(rows: Mapping[str, _Ints]) -> Iterator[dict[str, _Ints]]:
    """Of each record its part in each minute that it touches, some records at a time."""
    first, last = rows["first_ms"], rows["last_ms"]
    begin = first // MINUTE_MS
    # the last millisecond in which it has bytes: one that ends with a minute has none in the next
    counts = np.maximum(last - 1, first) // MINUTE_MS - begin + 1
    cuts = np.flatnonzero(np.diff((np.cumsum(counts) - 1) // _PIECES)) + 1
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
        at_end, at_begin = (rest * edge_ms // np.maximum(lasts, 1) for edge_ms in (end_ms, begin_ms))
        return np.where(lasts == 0, counted, whole * (end_ms - begin_ms) + at_end - at_begin)

    octets = share(record["bytes"])
    packet_bytes = np.minimum(record["bytes"] // np.maximum(record["packets"], 1), _LONGEST_PACKET_BYTES)
    goes_on = minute % (24 * 60) == 0
    return {
        "output_interface": record["output_interface"], "sampling_factor": record["sampling_factor"], "minute": minute,
        "pieces": np.ones_like(minute), "records": ((minute == first // MINUTE_MS) | goes_on).astype(np.int64),
        "bytes": octets, "packets": share(record["packets"]),
        "square_bytes_64": (octets + _SQUARE_UNIT - 1) // _SQUARE_UNIT * packet_bytes,
    }  # fmt: skip


def _added(values: _Ints, begins: npt.NDArray[np.intp]) -> list[int]:
    """Sums of the runs that begin at these places, which may exceed 64 bits."""
    high = np.add.reduceat(values >> _LOW_BITS, begins).tolist()
    low = np.add.reduceat(values & (1 << _LOW_BITS) - 1, begins).tolist()
    return [(upper << _LOW_BITS) + lower for upper, lower in zip(high, low, strict=True)]


def _table(columns: Any) -> pa.Table:
    arrays = [pa.array(values, field.type) for values, field in zip(columns, SUMS_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SUMS_SCHEMA)


def footer_entries(sums: PartSums | None) -> dict[str, str]:
    """What is written into a part's footer: nothing where there are no sums."""
    if sums is None:
        return {}
    return entries_of(([",".join(map(str, column.to_pylist())) for column in sums.groups.columns], list(sums.points)))


def entries_of(found: tuple[Sequence[str], Sequence[Point]] | None) -> dict[str, str]:
    """The same of sums as compiled code gives them: the columns of SUMS_SCHEMA, each its numbers with commas between
    them, and the metering points."""
    if found is None:
        return {}
    columns, points = found
    groups = ",".join(f'"{name}":[{column}]' for name, column in zip(SUMS_SCHEMA.names, columns, strict=True))
    text = f'{{"form":{_FORM},"points":{json.dumps(sorted(points), separators=(",", ":"))},"groups":{{{groups}}}}}'
    return {FOOTER_KEY: base64.b64encode(zlib.compress(text.encode(), 1)).decode()}


def sums_in(footer: Mapping[bytes, bytes] | None) -> PartSums | None:
    """The sums in a part's footer; None where it has none, as parts of before there were any, or of another form."""
    if footer is None or (entry := footer.get(FOOTER_KEY.encode())) is None:
        return None
    stored = json.loads(zlib.decompress(base64.b64decode(entry)))
    if stored["form"] != _FORM:
        return None
    columns = [stored["groups"][name] for name in SUMS_SCHEMA.names]
    return PartSums(_table(columns), frozenset((hi, lo, direction) for hi, lo, direction in stored["points"]))
