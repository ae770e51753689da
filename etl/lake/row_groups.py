"""Row groups of the lake's parts, read column by column in compiled code (crates/lake/src/read)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from hntes import _native
from hntes.etl.arrow_columns import numbers
from hntes.etl.errors import ForeignPartError
from hntes.etl.schema import LAKE_SCHEMA, LATER_COLUMNS

_EARLIEST_MS = -(1 << 63)
_FOREIGN = "not written as ingest writes it"
_WIDTHS = {"INT32": 4, "INT64": 8}

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]


class Taker(Protocol):
    """Compiled code that takes the columns of a row group one after another."""

    def give_chunk(self, bytes: bytes, rows: int, width: int) -> None:
        """Takes a column as its file has it."""


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
    """A row group of a part. Its file is opened for each reading: a day has more files than a process may have open.

    All methods that read raise ForeignPartError where the part is not written as ingest writes it.
    """

    def __init__(self, part: PartFile, number: int, reader: "_native.ColumnChunks") -> None:
        self._part, self._number, self._reader = part, number, reader
        self._places = {name: place for place, name in enumerate(part.footer.schema.names)}

    @cached_property
    def _group(self) -> pq.RowGroupMetaData:
        return self._part.footer.row_group(self._number)

    @property
    def names(self) -> list[str]:
        """The lake's columns, without those that its part is too old to have."""
        return [name for name in LAKE_SCHEMA.names if name in self._places or name not in LATER_COLUMNS]

    @property
    def size(self) -> int:
        """Its rows."""
        return int(self._group.num_rows)

    @cached_property
    def least_ms(self) -> int:
        """None of its records starts before that moment, epoch ms."""
        known = self._group.column(self._places["first_ms"]).statistics
        return int(known.min) if known is not None and known.has_min_max else _EARLIEST_MS

    def columns(self, names: Sequence[str]) -> dict[str, Ints]:
        """These columns of all rows, in which no value is missing."""
        with self._opened() as file:
            chunks = {name: self._chunk(name) for name in names}
            return {
                name: _signed(self._reader.all(chunk.content(file), self.size, chunk.width), chunk.width)
                for name, chunk in chunks.items()
            }

    def give(self, to: Taker, names: Sequence[str]) -> None:
        """Gives these columns of all rows, in which no value is missing."""
        with self._opened() as file:
            for name in names:
                chunk = self._chunk(name)
                to.give_chunk(chunk.content(file), self.size, chunk.width)

    def rows(self, places: Places, names: Sequence[str]) -> pa.Table:
        """These columns of some rows, whose places ascend."""
        wanted, columns = places.astype(np.uint32), {}
        with self._opened() as file:
            for name in names:
                chunk = self._chunk(name)
                bits = self._reader.at(chunk.content(file), self.size, chunk.width, chunk.is_optional, wanted)
                kind = LAKE_SCHEMA.field(name).type.to_pandas_dtype()
                columns[name] = numbers(_signed(bits, chunk.width).astype(kind, copy=False))
        return pa.table(columns, schema=pa.schema([LAKE_SCHEMA.field(name) for name in names]))

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        try:
            with self._part.path.open("rb") as file:
                yield file
        except ValueError as cause:
            raise ForeignPartError(
                f"{self._part.path}: row group {self._number} is {cause}; remove this part and ingest its file again"
            ) from cause

    def _chunk(self, name: str) -> _Chunk:
        if (place := self._places.get(name)) is None:
            raise ValueError(_FOREIGN)
        column = self._group.column(place)
        width = _WIDTHS.get(column.physical_type)
        if column.compression != "ZSTD" or width is None:
            raise ValueError(_FOREIGN)
        begin = column.data_page_offset
        if column.has_dictionary_page:
            begin = min(begin, column.dictionary_page_offset)
        is_optional = self._part.footer.schema.column(place).max_definition_level > 0
        return _Chunk(begin, column.total_compressed_size, width, is_optional)


def _signed(bits: bytes, width: int) -> Ints:
    """Values of so many bytes, which compiled code does not extend by their sign."""
    values = np.frombuffer(bits, "<i8")
    return values.astype(np.int32).astype(np.int64) if width == 4 else values


def row_groups(parts: Sequence[PartFile]) -> Iterator[RowGroup]:
    """In the order of the parts; they share memory to read in, so one is read at a time."""
    reader = _native.ColumnChunks()
    for part in parts:
        for number in range(part.footer.num_row_groups):
            yield RowGroup(part, number, reader)
