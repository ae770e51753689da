"""The rows that a query over heavy flows can need: those of keys that may add up to more than a threshold.

Bytes are summed twice: over cells, a small hash of the key, and of the rows in busy cells over a hash of 32 bits. A sum
holds at least what any key in it holds, so no row of a heavy key is lost, and what is left of a day is mostly some
thousandths. The first is also the first step of sql/queries/alpha_candidates.sql; here it reads the few columns that it
needs, row group by row group, and the others only in the groups in which a row is left.

One thread reads: a group's columns decode in less time than threads take to share them.
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
# Mixed keys have so many bits; those of so many rows (64 MB) are kept for the second look at them.
_KEPT_BITS = 32
KEPT_ROWS = 1 << 24
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

Mixed = npt.NDArray[np.uint32]
Units = npt.NDArray[np.int64]


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
    key = _HOSTS | (_PORTS if heavy.with_ports else {})
    most_units = heavy.threshold_bytes >> _UNIT_BITS
    units_by_cell, kept = _first_reading(paths, key)
    hits = _busy_hits(paths, key, units_by_cell > most_units, kept)
    if hits is None:
        return None
    places = _of_heavy_keys(hits, most_units)
    found = [group.rows(these) for group, these in zip(_groups(paths), places, strict=True) if these.size]
    return pa.concat_tables([LAKE_SCHEMA.empty_table(), *found])


def _first_reading(paths: Sequence[Path], key: dict[str, int]) -> tuple[npt.NDArray[np.int64], list[Mixed]]:
    """The units of each cell; and the mixed keys of the first row groups, as many as may be kept."""
    sums = np.zeros(1 << _CELL_BITS, np.int64)
    kept: list[Mixed] = []
    rows = 0
    for group in _groups(paths):
        mixed, units = group.mixed(key), group.units()
        np.add.at(sums, _cells(mixed), units)
        rows += mixed.size
        if rows <= KEPT_ROWS:
            kept.append(mixed)
    return sums, kept


@dataclass(frozen=True)
class _Hits:
    """Rows of one group in busy cells: their places in it, the mixed keys and the units."""

    places: npt.NDArray[np.intp]
    mixed: Mixed
    units: Units


def _busy_hits(
    paths: Sequence[Path], key: dict[str, int], is_busy: npt.NDArray[np.bool_], kept: list[Mixed]
) -> list[_Hits] | None:
    """By row group; None where they are too many."""
    found, rows = [], 0
    for number, group in enumerate(_groups(paths)):
        mixed = kept[number] if number < len(kept) else group.mixed(key)
        places = np.flatnonzero(np.take(is_busy, _cells(mixed)))
        rows += places.size
        if rows > MOST_ROWS:
            return None
        units = group.units()[places] if places.size else np.zeros(0, np.int64)
        found.append(_Hits(places, mixed[places], units))
    return found


def _of_heavy_keys(hits: list[_Hits], most_units: int) -> list[npt.NDArray[np.intp]]:
    """Places of the rows whose mixed key has more units than these in all groups, by row group."""
    if not hits:
        return []
    _, numbers = np.unique(np.concatenate([group.mixed for group in hits]), return_inverse=True)
    sums = np.zeros(numbers.size, np.int64)
    np.add.at(sums, numbers, np.concatenate([group.units for group in hits]))
    is_heavy = np.split(sums[numbers] > most_units, np.cumsum([group.places.size for group in hits])[:-1])
    return [group.places[heavy] for group, heavy in zip(hits, is_heavy, strict=True)]


def _cells(mixed: Mixed) -> npt.NDArray[np.intp]:
    # of any other type they would be converted more slowly by what they index
    return (mixed >> _KEPT_BITS - _CELL_BITS).astype(np.intp)


@dataclass(frozen=True)
class _Group:
    """A row group of a part."""

    part: pq.ParquetFile
    number: int

    def mixed(self, key: dict[str, int]) -> Mixed:
        """Equal for equal keys, and nearly never for others."""
        read = self._read(list(key))
        sums: npt.NDArray[np.uint64] = np.zeros(read.num_rows, np.uint64)
        for name, factor in key.items():
            sums += read[name].to_numpy().astype(np.int64, copy=False).view(np.uint64) * np.uint64(factor)
        return (sums >> np.uint64(64 - _KEPT_BITS)).astype(np.uint32)

    def units(self) -> Units:
        """Bytes in units, rounded up; a counter of more than a terabyte is heavy by itself."""
        counted: Units = self._read(["bytes"])["bytes"].to_numpy()
        units: Units = np.minimum((counted - 1 >> _UNIT_BITS) + 1, _MOST_UNITS)
        return units

    def rows(self, places: npt.NDArray[np.intp]) -> pa.Table:
        """These rows, with all columns."""
        read = self._read(None).take(pa.array(places))
        for field in LAKE_SCHEMA:
            if field.name not in read.column_names:
                read = read.append_column(field, pa.nulls(read.num_rows, field.type))
        return read.select(LAKE_SCHEMA.names).cast(LAKE_SCHEMA)

    def _read(self, names: list[str] | None) -> pa.Table:
        return self.part.read_row_group(self.number, columns=names, use_threads=False)


def _groups(paths: Sequence[Path]) -> Iterator[_Group]:
    for path in paths:
        with pq.ParquetFile(path) as part:
            for number in range(part.num_row_groups):
                yield _Group(part, number)


def _has_columns(path: Path) -> bool:
    missing = set(LAKE_SCHEMA.names) - set(pq.read_schema(path).names)
    return missing <= LATER_COLUMNS
