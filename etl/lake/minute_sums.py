"""Sums of a part's records by egress interface, sampling factor and minute, stored in the part's footer.

The sums are taken while the part is written, so that `measure` need not read most records again
(etl/measure/from_sums.py). Each record counts from its own start; where that is another's, too, is known only when all
files of a day are there. Bytes and packets are apportioned to minutes as in sql/queries/interface_load.sql.

A part has no sums where these would be no summary, or a record's times or counters are beyond what a flow can have.
"""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes import _native

Column = npt.NDArray[Any]
Point = tuple[int, int, int]
"""A metering point: upper and lower half of the exporter's address, direction."""

FOOTER_KEY = "hntes.minute_sums"
_FORM = 1
# With more there are no sums: groups and metering points in a part; how long a record lasts, its bytes and packets.
MOST_GROUPS, MOST_POINTS, LONGEST_MS, MOST_COUNTED = 1 << 16, 1 << 8, 25 * 3_600_000, 1 << 52
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
        self._adding = _native.MinuteSums(most, MOST_POINTS, LONGEST_MS, MOST_COUNTED)

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
    """The sums in a part's footer; None if it has none, as old parts, or a different version."""
    if footer is None or (entry := footer.get(FOOTER_KEY.encode())) is None:
        return None
    stored = json.loads(zlib.decompress(base64.b64decode(entry)))
    if stored["form"] != _FORM:
        return None
    columns = [stored["groups"][name] for name in SUMS_SCHEMA.names]
    return PartSums(_table(columns), frozenset((hi, lo, direction) for hi, lo, direction in stored["points"]))
