"""Row groups of the lake's parts, read column by column: in compiled code where they are as ingest writes them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl.schema import LAKE_SCHEMA
from hntes.etl.sources.nfcapd.compiled import native as _native

if TYPE_CHECKING:
    from hntes._native import ColumnChunks

_EARLIEST_MS = -(1 << 63)
_WIDTHS = {"INT32": 4, "INT64": 8}

Bits = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]


class Taker(Protocol):
    """Compiled code that takes the columns of a row group one after another."""

    def give_chunk(self, bytes: bytes, rows: int, width: int) -> bool:
        """A column as its file has it; False where its values must be given."""

    def give_values(self, values: Any) -> None:
        """The bits of its values, 64 each."""


@dataclass(frozen=True)
class PartFile:
    """A part of the lake, whose footer was read."""

    path: Path
    footer: pq.FileMetaData


@dataclass(frozen=True)
class _Chunk:
    """Where a column of a row group lies in its file; `width` is that of a value there, in bytes."""

    begin: int
    size: int
    width: int
    is_optional: bool

    def content(self, file: IO[bytes]) -> bytes:
        file.seek(self.begin)
        return file.read(self.size)


class RowGroup:
    """A row group of a part. Its file is opened for each reading: a day has more files than a process may have open."""

    def __init__(self, part: PartFile, number: int) -> None:
        self._part, self._number = part, number
        self._places = {name: place for place, name in enumerate(part.footer.schema.names)}

    @cached_property
    def _group(self) -> pq.RowGroupMetaData:
        return self._part.footer.row_group(self._number)

    @property
    def size(self) -> int:
        """Its rows."""
        return int(self._group.num_rows)

    @cached_property
    def least_ms(self) -> int:
        """None of its records starts before that moment, epoch ms."""
        known = self._group.column(self._places["first_ms"]).statistics
        return int(known.min) if known is not None and known.has_min_max else _EARLIEST_MS

    def read(self, names: Sequence[str]) -> pa.Table:
        """These columns of all rows."""
        with pq.ParquetFile(self._part.path, metadata=self._part.footer) as file:
            return file.read_row_group(self._number, columns=list(names), use_threads=False)

    def columns(self, names: Sequence[str]) -> dict[str, Ints]:
        """The same as 64-bit numbers; no value is missing in them."""
        found: dict[str, Ints] = {}
        chunks = _native.ColumnChunks() if _native else None
        with self._part.path.open("rb") as file:
            for name in names:
                chunk = self._chunk(name)
                if chunks and chunk and not chunk.is_optional:
                    bits = chunks.all(chunk.content(file), self.size, chunk.width)
                    if bits is not None:
                        found[name] = _signed(np.frombuffer(bits, "<i8"), chunk.width)
        if others := [name for name in names if name not in found]:
            table = self.read(others)
            found |= {name: table[name].to_numpy().astype(np.int64, copy=False) for name in others}
        return found

    def give(self, to: Taker, names: Sequence[str]) -> None:
        """Gives these columns of all rows, in which no value is missing."""
        with self._part.path.open("rb") as file:
            for name in names:
                chunk = self._chunk(name)
                if chunk is None or chunk.is_optional or not to.give_chunk(chunk.content(file), self.size, chunk.width):
                    to.give_values(self._bits(name))

    def rows(self, chunks: "ColumnChunks", places: Sequence[int]) -> pa.Table:
        """These rows, with all columns of the lake; null in those that the part lacks."""
        taken: dict[str, pa.Array | pa.ChunkedArray] = {}
        with self._part.path.open("rb") as file:
            for field in LAKE_SCHEMA:
                if field.name not in self._places:
                    taken[field.name] = pa.nulls(len(places), field.type)
                elif (chunk := self._chunk(field.name)) is not None:
                    bits = chunks.at(chunk.content(file), self.size, chunk.width, chunk.is_optional, places)
                    if bits is not None:
                        values = np.array(bits, np.uint64).astype(field.type.to_pandas_dtype())
                        taken[field.name] = pa.array(values, field.type)
        others = [name for name in LAKE_SCHEMA.names if name not in taken]
        read = self.read(others).take(pa.array(places)) if others else None
        columns = [taken[name] if read is None or name in taken else read[name] for name in LAKE_SCHEMA.names]
        return pa.table(columns, names=LAKE_SCHEMA.names).cast(LAKE_SCHEMA)

    def _chunk(self, name: str) -> _Chunk | None:
        """None where the column is not compressed as ingest does."""
        place = self._places[name]
        column = self._group.column(place)
        width = _WIDTHS.get(column.physical_type)
        if column.compression != "ZSTD" or width is None:
            return None
        begin = column.data_page_offset
        if column.has_dictionary_page:
            begin = min(begin, column.dictionary_page_offset)
        is_optional = self._part.footer.schema.column(place).max_definition_level > 0
        return _Chunk(begin, column.total_compressed_size, width, is_optional)

    def _bits(self, name: str) -> Bits:
        """The values of a column as compiled code has them: shorter ones are not extended by their sign."""
        values = self.read([name])[name].to_numpy()
        is_long = values.dtype == np.int64
        bits: Bits = values.view(np.uint64) if is_long else values.astype(np.int32).view(np.uint32).astype(np.uint64)
        return bits


def _signed(values: Ints, width: int) -> Ints:
    """Values of so many bytes that were not extended by their sign."""
    return values.astype(np.int32).astype(np.int64) if width == 4 else values


def row_groups(parts: Sequence[PartFile]) -> Iterator[RowGroup]:
    """In the order of the parts."""
    for part in parts:
        for number in range(part.footer.num_row_groups):
            yield RowGroup(part, number)
