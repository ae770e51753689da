"""The rows that a query over heavy flows can need: those of keys that may add up to more than a threshold.

Bytes are summed twice: over cells, a small hash of the key, and of the rows in busy cells over a hash of 32 bits
(simulator/crates/part_columns/src/heavy.rs). A sum holds at least what any key in it holds, so no row of a heavy key is
lost, and what is left of a day is mostly some thousandths. Not all columns of the key are hashed: keys that differ in
others alone share their sums. The hash is another one each time, so that nobody who forges flows knows which of them
meet.

The few columns that this needs are read row group by row group, and the others only in groups in which a row is left,
of which only these rows are taken out of the columns.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from etl.memory import keep_freed_memory
from etl.schema import LAKE_SCHEMA, LATER_COLUMNS

try:
    import etl.nfcapd._native as _native
except ModuleNotFoundError:  # it is compiled, and not there on Spark's executors
    _native = None  # type: ignore[assignment]

# More rows than these (some 200 MB) are left to the engine, which has a disk for what does not fit.
MOST_ROWS = 1_500_000
# Hashed keys and the bytes of so many rows (100 MB) are kept for the second look at them.
KEPT_ROWS = 3 << 22
_MOST_THRESHOLD_BYTES = 1 << 40
# Of the key; upper halves of addresses and protocols tell few keys apart.
_HOSTS, _PORTS = ("src_lo", "dst_lo"), ("src_port", "dst_port")
_WIDTHS = {"INT32": 4, "INT64": 8}

Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class HeavyKeys:
    """What a query asks of flows: rows of keys with at most `threshold_bytes` in all parts change nothing in its rows.

    with_ports: the key is the 5-tuple, else the pair of hosts; whatever else is in it.
    """

    threshold_bytes: int
    with_ports: bool


def suspect_rows(paths: Sequence[Path], heavy: HeavyKeys) -> pa.Table | None:
    """All rows of these parts whose key may be heavy, in the order of the parts.

    None where they are better looked for by the engine: they are many, or a part has other columns than it should, or
    what searches is not compiled.
    """
    if _native is None or not 0 <= heavy.threshold_bytes < _MOST_THRESHOLD_BYTES:
        return None
    keep_freed_memory()
    footers = [pq.read_metadata(path) for path in paths]
    if not all(_has_columns(footer) for footer in footers):
        return None
    key = (*_HOSTS, *(_PORTS if heavy.with_ports else ()))
    search = _native.HeavyRows([secrets.randbits(64) | 1 for _ in key], KEPT_ROWS)
    for group in _groups(paths, footers):
        _give(search, group, (*key, "bytes"))
        search.add()
    search.sum_up(heavy.threshold_bytes)
    for group in _groups(paths, footers):
        rows = search.look()
        if rows is None:
            _give(search, group, (*key, "bytes"))
            rows = search.look_again()
        if rows > MOST_ROWS:
            return None
    places, chunks = search.places(heavy.threshold_bytes), _native.ColumnChunks()
    found = [group.rows(chunks, these) for group, these in zip(_groups(paths, footers), places, strict=True) if these]
    return pa.concat_tables([LAKE_SCHEMA.empty_table(), *found])


def _give(search: "_native.HeavyRows", group: "_Group", names: Sequence[str]) -> None:
    for name in names:
        chunk = group.chunk(name)
        if chunk is None or chunk.is_optional or not search.give_chunk(chunk.content(), group.size, chunk.width):
            search.give_values(group.bits(name))


@dataclass(frozen=True)
class _Chunk:
    """Where a column of a row group lies in its file; `width` is that of a value there, in bytes."""

    file: IO[bytes]
    begin: int
    size: int
    width: int
    is_optional: bool

    def content(self) -> bytes:
        self.file.seek(self.begin)
        return self.file.read(self.size)


class _Group:
    """A row group of a part."""

    def __init__(self, path: Path, file: IO[bytes], footer: pq.FileMetaData, number: int) -> None:
        self._path, self._file, self._footer, self._number = path, file, footer, number
        self._columns = {name: place for place, name in enumerate(footer.schema.names)}

    @cached_property
    def _group(self) -> pq.RowGroupMetaData:
        return self._footer.row_group(self._number)

    @property
    def size(self) -> int:
        return int(self._group.num_rows)

    def chunk(self, name: str) -> _Chunk | None:
        """None where the column is not compressed as ingest does."""
        place = self._columns[name]
        column = self._group.column(place)
        width = _WIDTHS.get(column.physical_type)
        if column.compression != "ZSTD" or width is None:
            return None
        begin = column.data_page_offset
        if column.has_dictionary_page:
            begin = min(begin, column.dictionary_page_offset)
        is_optional = self._footer.schema.column(place).max_definition_level > 0
        return _Chunk(self._file, begin, column.total_compressed_size, width, is_optional)

    def bits(self, name: str) -> Bits:
        """The values of a column, none missing, as the search has them: shorter ones are not extended by their sign."""
        values = self._read([name])[name].to_numpy()
        is_long = values.dtype == np.int64
        bits: Bits = values.view(np.uint64) if is_long else values.astype(np.int32).view(np.uint32).astype(np.uint64)
        return bits

    def rows(self, chunks: "_native.ColumnChunks", places: Sequence[int]) -> pa.Table:
        """These rows, with all columns."""
        taken: dict[str, pa.Array | pa.ChunkedArray] = {}
        for field in LAKE_SCHEMA:
            if field.name not in self._columns:
                taken[field.name] = pa.nulls(len(places), field.type)
            elif (chunk := self.chunk(field.name)) is not None:
                bits = chunks.at(chunk.content(), self.size, chunk.width, chunk.is_optional, places)
                if bits is not None:
                    values = np.array(bits, np.uint64).astype(field.type.to_pandas_dtype())
                    taken[field.name] = pa.array(values, field.type)
        others = [name for name in LAKE_SCHEMA.names if name not in taken]
        read = self._read(others).take(pa.array(places)) if others else None
        columns = [taken[name] if read is None or name in taken else read[name] for name in LAKE_SCHEMA.names]
        return pa.table(columns, names=LAKE_SCHEMA.names).cast(LAKE_SCHEMA)

    def _read(self, names: Sequence[str]) -> pa.Table:
        with pq.ParquetFile(self._path, metadata=self._footer) as file:
            return file.read_row_group(self._number, columns=list(names), use_threads=False)


def _groups(paths: Sequence[Path], footers: Sequence[pq.FileMetaData]) -> Iterator[_Group]:
    for path, footer in zip(paths, footers, strict=True):
        with path.open("rb") as file:
            for number in range(footer.num_row_groups):
                yield _Group(path, file, footer, number)


def _has_columns(footer: pq.FileMetaData) -> bool:
    missing = set(LAKE_SCHEMA.names) - set(footer.schema.names)
    return missing <= LATER_COLUMNS
