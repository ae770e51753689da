"""The rows that a query over heavy flows can need: those of keys that may add up to more than a threshold.

Bytes are summed over a hash of the key. A cell holds at least what any key in it holds, so no row of a heavy key is
lost, and what is left of a day is mostly some thousandths. The same is the first step of
sql/queries/alpha_candidates.sql; here it reads the few columns that it needs, row group by row group, and the others
only where a row is left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from etl.schema import LAKE_SCHEMA, LATER_COLUMNS

# More rows than these (some 200 MB) are left to the engine, which has a disk for what does not fit.
MOST_ROWS = 1_500_000
_CELL_BITS = 20
# Bytes are summed in these units, so that no sum exceeds 64 bits.
_UNIT_BITS = 10
_UNIT_BYTES = 1 << _UNIT_BITS
_MOST_UNITS = 1 << 30
# Odd numbers without a pattern for each column of the key.
_HOSTS = {
    "src_hi": 0x9E37_79B9_7F4A_7C15, "src_lo": 0xC2B2_AE3D_27D4_EB4F,
    "dst_hi": 0x1656_67B1_9E37_79F9, "dst_lo": 0x27D4_EB2F_1656_67C5,
}  # fmt: skip
_PORTS = {"src_port": 0x8513_4F8B_D5E6_A1C3, "dst_port": 0xD6E8_FEB8_6659_FD93, "protocol": 0xA076_1D64_78BD_642F}

Cells = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class HeavyKeys:
    """What a query asks of flows: rows of keys with at most `threshold_bytes` in all parts change nothing in its rows.

    with_ports: the key is the 5-tuple, else the pair of hosts; whatever else is in it.
    """

    threshold_bytes: int
    with_ports: bool


def suspect_rows(paths: Sequence[Path], heavy: HeavyKeys) -> pa.Table | None:
    """All rows of these parts whose key may be heavy, in the order of the parts.

    None where they are better looked for by the engine: they are many, or a part has other columns than it should.
    """
    if heavy.threshold_bytes >= _MOST_UNITS * _UNIT_BYTES or not all(_has_columns(path) for path in paths):
        return None
    columns = _HOSTS | (_PORTS if heavy.with_ports else {})
    sums = np.zeros(1 << _CELL_BITS, np.int64)
    for group in _groups(paths):
        read = group.columns([*columns, "bytes"])
        # rounded up, and a counter of more than a terabyte is heavy by itself
        units = np.minimum((read["bytes"] - 1 >> _UNIT_BITS) + 1, _MOST_UNITS)
        np.add.at(sums, _cells(read, columns), units)
    is_busy = sums > heavy.threshold_bytes >> _UNIT_BITS
    found, rows = [], 0
    for group in _groups(paths):
        hit = np.flatnonzero(is_busy[_cells(group.columns(list(columns)), columns)])
        rows += hit.size
        if rows > MOST_ROWS:
            return None
        if hit.size:
            found.append(group.rows(hit))
    return pa.concat_tables([LAKE_SCHEMA.empty_table(), *found])


@dataclass(frozen=True)
class _Group:
    """A row group of a part."""

    part: pq.ParquetFile
    number: int

    def columns(self, names: list[str]) -> dict[str, npt.NDArray[np.int64]]:
        read = self.part.read_row_group(self.number, columns=names)
        return {name: read[name].to_numpy().astype(np.int64, copy=False) for name in names}

    def rows(self, places: npt.NDArray[np.intp]) -> pa.Table:
        read = self.part.read_row_group(self.number).take(pa.array(places))
        for field in LAKE_SCHEMA:
            if field.name not in read.column_names:
                read = read.append_column(field, pa.nulls(read.num_rows, field.type))
        return read.select(LAKE_SCHEMA.names).cast(LAKE_SCHEMA)


def _groups(paths: Sequence[Path]) -> Iterator[_Group]:
    for path in paths:
        with pq.ParquetFile(path) as part:
            for number in range(part.num_row_groups):
                yield _Group(part, number)


def _has_columns(path: Path) -> bool:
    missing = set(LAKE_SCHEMA.names) - set(pq.read_schema(path).names)
    return missing <= LATER_COLUMNS


def _cells(rows: dict[str, npt.NDArray[np.int64]], columns: dict[str, int]) -> npt.NDArray[np.int64]:
    mixed: Cells = np.zeros(rows["src_lo"].size, np.uint64)
    for name, factor in columns.items():
        mixed += rows[name].view(np.uint64) * np.uint64(factor)
    return (mixed >> np.uint64(64 - _CELL_BITS)).view(np.int64)
