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

from etl.engines.mixing import BITS, HOSTS, mixed
from etl.memory import keep_freed_memory
from etl.schema import LAKE_SCHEMA, LATER_COLUMNS

# More rows than these (some 200 MB) are left to the engine, which has a disk for what does not fit.
MOST_ROWS = 1_500_000
_CELL_BITS = 20
# Mixed keys have so many bits; they and the units of so many rows (100 MB) are kept for the second look at them.
_KEPT_BITS = 32
KEPT_ROWS = 3 << 22
# Bytes are summed in these units, so that no sum exceeds 64 bits.
_UNIT_BITS = 10
_UNIT_BYTES = 1 << _UNIT_BITS
_MOST_UNITS = 1 << 30
_PORTS = ("src_port", "dst_port", "protocol")

Mixed = npt.NDArray[np.uint32]
Units = npt.NDArray[np.int32]
Keys = tuple[Mixed, Units]


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
    keep_freed_memory()
    key = (*HOSTS, *(_PORTS if heavy.with_ports else ()))
    most_units = heavy.threshold_bytes >> _UNIT_BITS
    units_by_cell, kept = _first_reading(paths, key)
    hits = _busy_hits(paths, key, units_by_cell > most_units, kept)
    if hits is None:
        return None
    places = _of_heavy_keys(hits, most_units)
    found = [group.rows(these) for group, these in zip(_groups(paths), places, strict=True) if these.size]
    return pa.concat_tables([LAKE_SCHEMA.empty_table(), *found])


def _first_reading(paths: Sequence[Path], key: Sequence[str]) -> tuple[npt.NDArray[np.int64], list[Keys]]:
    """The units of each cell; and the mixed keys and units of the first row groups, as many as may be kept."""
    sums = np.zeros(1 << _CELL_BITS, np.int64)
    kept: list[Keys] = []
    rows = 0
    for group in _groups(paths):
        keys, units = group.keys(key)
        # of the type of the sums, or they would be converted one by one
        np.add.at(sums, _cells(keys), units.astype(np.int64))
        rows += keys.size
        if rows <= KEPT_ROWS:
            kept.append((keys, units))
    return sums, kept


@dataclass(frozen=True)
class _Hits:
    """Rows of one group in busy cells: their places in it, the mixed keys and the units."""

    places: npt.NDArray[np.intp]
    mixed: Mixed
    units: Units


def _busy_hits(
    paths: Sequence[Path], key: Sequence[str], is_busy: npt.NDArray[np.bool_], kept: list[Keys]
) -> list[_Hits] | None:
    """By row group; None where they are too many."""
    found, rows = [], 0
    for number, group in enumerate(_groups(paths)):
        keys, units = kept[number] if number < len(kept) else group.keys(key)
        places = np.flatnonzero(np.take(is_busy, _cells(keys)))
        rows += places.size
        if rows > MOST_ROWS:
            return None
        found.append(_Hits(places, keys[places], units[places]))
    return found


def _of_heavy_keys(hits: list[_Hits], most_units: int) -> list[npt.NDArray[np.intp]]:
    """Places of the rows whose mixed key has more units than these in all groups, by row group."""
    if not hits:
        return []
    _, numbers = np.unique(np.concatenate([group.mixed for group in hits]), return_inverse=True)
    sums = np.zeros(numbers.size, np.int64)
    np.add.at(sums, numbers, np.concatenate([group.units for group in hits]).astype(np.int64))
    is_heavy = np.split(sums[numbers] > most_units, np.cumsum([group.places.size for group in hits])[:-1])
    return [group.places[heavy] for group, heavy in zip(hits, is_heavy, strict=True)]


def _cells(keys: Mixed) -> npt.NDArray[np.intp]:
    # of any other type they would be converted more slowly by what they index
    return (keys >> _KEPT_BITS - _CELL_BITS).astype(np.intp)


@dataclass(frozen=True)
class _Group:
    """A row group of a part."""

    part: pq.ParquetFile
    number: int

    def keys(self, key: Sequence[str]) -> Keys:
        """Mixed keys, equal for equal keys and nearly never for others.

        And bytes in units, rounded up; a counter of more than a terabyte is heavy by itself.
        """
        read = self._read((*key, "bytes"))
        keys = mixed({name: read[name].to_numpy() for name in key}) >> np.uint64(BITS - _KEPT_BITS)
        units = np.minimum((read["bytes"].to_numpy() - 1 >> _UNIT_BITS) + 1, _MOST_UNITS)
        return keys.astype(np.uint32), units.astype(np.int32)

    def rows(self, places: npt.NDArray[np.intp]) -> pa.Table:
        """These rows, with all columns."""
        read = self._read(None).take(pa.array(places))
        for field in LAKE_SCHEMA:
            if field.name not in read.column_names:
                read = read.append_column(field, pa.nulls(read.num_rows, field.type))
        return read.select(LAKE_SCHEMA.names).cast(LAKE_SCHEMA)

    def _read(self, names: Sequence[str] | None) -> pa.Table:
        return self.part.read_row_group(self.number, columns=names and list(names), use_threads=False)


def _groups(paths: Sequence[Path]) -> Iterator[_Group]:
    for path in paths:
        with pq.ParquetFile(path) as part:
            for number in range(part.num_row_groups):
                yield _Group(part, number)


def _has_columns(path: Path) -> bool:
    missing = set(LAKE_SCHEMA.names) - set(pq.read_schema(path).names)
    return missing <= LATER_COLUMNS
