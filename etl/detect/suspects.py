"""The records of flows that may have carried more than a threshold, found before the query that tells them apart.

Bytes are summed over cells, some bits of a hash of the flow key. A cell holds at least what any flow in it carried, so
no record of such a flow is lost. Records in busy cells are summed once more, over other bits, and what is left of a day
is mostly some thousandths. Few columns are read of all records, the others only of row groups in which some are left.

Columns that tell few flows apart are not hashed: flows that differ in these alone share a cell. The hash is another one
each time, so that whoever forges flows does not know which of them meet.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl.arrow_columns import values
from hntes.etl.errors import ForeignPartError
from hntes.etl.lake.row_groups import Ints, PartFile, Places, RowGroup, row_groups
from hntes.etl.schema import LAKE_SCHEMA

# More records than these (some 200 MB) are left to the engine, which has a disk for what does not fit.
MOST_ROWS = 1_500_000
# The hashes of so many records (100 MB) are kept for the second look; those of later ones are computed again.
KEPT_ROWS = 25_000_000
_HASH_BITS, _CELL_BITS = 32, 20
_HOSTS, _PORTS = ("src_lo", "dst_lo"), ("src_port", "dst_port")

_Hashes = npt.NDArray[np.uint32]


def suspect_rows(paths: Sequence[Path], threshold_bytes: int, *, with_ports: bool) -> pa.Table | None:
    """All records in these parts of flows with more than `threshold_bytes` (at most 2^50), and some of others.

    with_ports: the flow key is the 5-tuple, else the pair of hosts. None where they are left to the engine: they are
    very many, or a part is gone or was not written by ingest.
    """
    if not all(path.is_file() for path in paths):
        return None
    groups = list(row_groups([PartFile(path, pq.read_metadata(path)) for path in paths]))
    flow_hash = _FlowHash((*_HOSTS, *_PORTS) if with_ports else _HOSTS)
    try:
        hits = _hits(groups, flow_hash, threshold_bytes)
        return None if hits is None else _rows(hits, threshold_bytes)
    except ForeignPartError:
        return None


class _FlowHash:
    """A sum of products with odd numbers, of which the upper bits are well mixed."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns
        self._factors = [np.uint64(secrets.randbits(64) | 1) for _ in columns]

    def of(self, columns: Mapping[str, Ints]) -> _Hashes:
        first, *others = (columns[name].view(np.uint64) for name in self.columns)
        total = first * self._factors[0]
        for column, factor in zip(others, self._factors[1:], strict=True):
            total += column * factor
        return (total >> np.uint64(64 - _HASH_BITS)).astype(np.uint32)


def _first_cells(hashes: _Hashes) -> Places:
    return (hashes >> np.uint32(_HASH_BITS - _CELL_BITS)).astype(np.intp)


def _second_cells(hashes: _Hashes) -> Places:
    return (hashes & np.uint32((1 << _CELL_BITS) - 1)).astype(np.intp)


class _Cells:
    """Bytes by cell. Sums of floating-point numbers never fall, and are exact up to 2^53, where they matter."""

    def __init__(self, threshold_bytes: int) -> None:
        self._threshold_bytes = threshold_bytes
        self._sums = np.zeros(1 << _CELL_BITS)

    def add(self, cells: Places, record_bytes: Ints) -> None:
        """A record counts as at most one byte more than the threshold, which is enough."""
        np.add.at(self._sums, cells, np.minimum(record_bytes, self._threshold_bytes + 1).astype(np.float64))

    def busy(self) -> npt.NDArray[np.bool_]:
        return self._sums > self._threshold_bytes


@dataclass(frozen=True)
class _Hits:
    """Records of a row group in busy cells: their places in it, and hashes."""

    group: RowGroup
    places: Places
    hashes: _Hashes


def _hits(groups: Sequence[RowGroup], flow_hash: _FlowHash, threshold_bytes: int) -> list[_Hits] | None:
    """By row group, where there are any; None if they are too many."""
    cells, kept, seen = _Cells(threshold_bytes), dict[RowGroup, _Hashes](), 0
    for group in groups:
        columns = group.columns((*flow_hash.columns, "bytes"))
        hashes = flow_hash.of(columns)
        cells.add(_first_cells(hashes), columns["bytes"])
        seen += group.size
        if seen <= KEPT_ROWS:
            kept[group] = hashes
    is_busy, hits, count = cells.busy(), list[_Hits](), 0
    for group in groups:
        hashes = kept.pop(group) if group in kept else flow_hash.of(group.columns(flow_hash.columns))
        places = np.flatnonzero(is_busy[_first_cells(hashes)])
        count += places.size
        if count > MOST_ROWS:
            return None
        if places.size:
            hits.append(_Hits(group, places, hashes[places]))
    return hits


def _rows(hits: Sequence[_Hits], threshold_bytes: int) -> pa.Table:
    """Those whose second cell is busy, too, with all columns."""
    cells = _Cells(threshold_bytes)
    for found in hits:
        record_bytes = found.group.rows(found.places, ["bytes"])["bytes"].chunk(0)
        cells.add(_second_cells(found.hashes), values(record_bytes))
    is_busy, tables = cells.busy(), [LAKE_SCHEMA.empty_table()]
    for found in hits:
        if (places := found.places[is_busy[_second_cells(found.hashes)]]).size:
            tables.append(found.group.rows(places, found.group.names))
    return pa.concat_tables(tables, promote_options="default")
