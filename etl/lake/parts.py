"""The flow lake: Parquet parts by router and day, named by the content they come from.

A part is visible only through the ledger: a file that a killed run left behind is never read, and the next run over the
same folder removes it. A part is complete or absent (etl/lake/store.py).
"""

import base64
import hashlib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hntes import _native
from hntes.etl.arrow_columns import Column
from hntes.etl.days import DAY_MS, day_of_ms
from hntes.etl.lake.minute_sums import (
    LONGEST_MS,
    MOST_COUNTED,
    MOST_GROUPS,
    MOST_POINTS,
    entries_of,
)
from hntes.etl.lake.part import Part
from hntes.etl.lake.store import Store, part_name, store_of
from hntes.etl.lake.url import Lake
from hntes.etl.schema import LAKE_SCHEMA
from hntes.files import replacing

if TYPE_CHECKING:
    from hntes._native import Rows

# Rows by column, or as the decoder made them.
LakeRows: TypeAlias = "Mapping[str, Column] | Rows"

ROW_GROUP_ROWS = 1 << 17
_SCHEMA_KEY = "ARROW:schema"
# Column encodings, chosen by measurement (docs/reference/benchmarks.md): byte stream split where values vary, a
# dictionary where they are few, plain where they are nearly all the same.
_ENCODINGS = {"first_ms": "DELTA_BINARY_PACKED"} | dict.fromkeys(
    (
        "last_ms", "ip_version", "src_lo", "dst_lo", "src_port", "dst_port", "protocol", "bytes", "packets", "tos",
        "direction", "input_interface", "output_interface", "sampling_factor", "exporter_hi", "exporter_lo",
        "exporter_domain", "record_flags",
    ),
    "BYTE_STREAM_SPLIT",
)  # fmt: skip
_DICTIONARY = ["src_hi", "dst_hi"]
# Columns that queries filter by; statistics of the others would be unused.
_STATISTICS = ["first_ms", "last_ms"]


class PartWriter:
    """The parts of one flow file, one per router and day (of a record's end, UTC), written while the file is read.

    A part is a sequence of row groups: each takes the next 131,072 rows in the file's order (the last one fewer) and
    sorts them. So the same file gives the same bytes, however many rows come at a time; where they fit into one group,
    also in whatever order they come. No part is there before `finish`, and none after leaving the context without it.
    """

    def __init__(self, lake: Lake, stem: str, routers: list[str]) -> None:
        self._store, self._stem, self._routers = store_of(lake), stem, routers
        self._parts: dict[tuple[int, int], _Part] = {}

    def __enter__(self) -> "PartWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.begin()

    def begin(self) -> None:
        """Discards the rows taken so far."""
        for part in self._parts.values():
            part.abandon()
        self._parts = {}

    def take(self, number: int, rows: "LakeRows") -> None:
        """Takes rows of a router (its number in `routers`): the columns of LAKE_SCHEMA in the types of the schema."""
        compiled = _compiled(rows) if isinstance(rows, Mapping) else rows
        for day, mine in compiled.by_day():
            self._part(number, day).take(mine)

    def _part(self, number: int, day: int) -> "_Part":
        if (number, day) not in self._parts:
            self._parts[number, day] = _Part(self._store, self._name(number, day))
        return self._parts[number, day]

    def finish(self) -> list[Part]:
        """Puts all parts into their places."""
        done = []
        for (number, day), part in sorted(self._parts.items()):
            part.finish()
            name = self._name(number, day)
            router, part_day = self._routers[number], day_of_ms(day * DAY_MS)
            done.append(Part(router, part_day, name, part.records, part.bytes, part.sha256))
        self._parts = {}
        return done

    def _name(self, number: int, day: int) -> str:
        return part_name(self._routers[number], day_of_ms(day * DAY_MS), self._stem)


def _compiled(rows: Mapping[str, Column]) -> "Rows":
    return _native.Rows([np.ascontiguousarray(rows[name]).view(np.uint8) for name in LAKE_SCHEMA.names])


class _Part:
    """A part in the making: rows are sorted, encoded and compressed in compiled code, and written here.

    `records` and `bytes` are those of the rows taken, once it is finished. `sha256` is of the bytes handed to the file
    system or object store: what comes back from there is another matter (etl/lake/verify.py).
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name
        self._open = ExitStack()
        self.records = self.bytes = 0
        self._stream: IO[bytes] | None = None
        self._hash = hashlib.sha256()
        self._part = _native.Part(ROW_GROUP_ROWS, (MOST_GROUPS, MOST_POINTS, LONGEST_MS, MOST_COUNTED))

    def take(self, rows: "Rows") -> None:
        if written := self._part.take(rows):
            self._write(written)

    def _write(self, content: bytes) -> None:
        if self._stream is None:
            self._stream = self._open.enter_context(self._store.writing(self._name))
        self._hash.update(content)
        self._stream.write(content)

    def finish(self) -> None:
        footer = {_SCHEMA_KEY: _schema_text()} | entries_of(self._part.close())
        self._write(self._part.finish(list(footer.items())))
        self._open.close()
        self.records, self.bytes = self._part.records, self._part.bytes

    @property
    def sha256(self) -> str:
        """Of all that was written so far."""
        return self._hash.hexdigest()

    def abandon(self) -> None:
        if self._stream:
            _abandon(self._open)


class _AbandonedError(Exception):
    """Ends the writing of a part that is not wanted."""


def _abandon(writing: ExitStack) -> None:
    with suppress(_AbandonedError), writing:
        raise _AbandonedError


def _schema_text() -> str:
    """Types and nullability of the columns, as pyarrow keeps them in a footer."""
    return base64.b64encode(LAKE_SCHEMA.serialize()).decode()


def write_table(path: Path, table: pa.Table) -> None:
    """Writes a Parquet file whole or not at all."""
    with replacing(path) as unfinished, unfinished.open("wb") as stream:
        _write(stream, table)


def write_part(lake: Lake, name: str, table: pa.Table) -> None:
    """Writes a part whole or not at all; several machines may be at the same one, with the same rows."""
    with store_of(lake).writing(name) as stream:
        _write(stream, table)


def _write(stream: IO[bytes], table: pa.Table) -> None:
    with _parquet_writer(stream, table.schema) as writer:
        writer.write_table(table, row_group_size=ROW_GROUP_ROWS)


def _parquet_writer(where: IO[bytes], columns: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        where,
        columns,
        compression="zstd",
        compression_level=1,
        write_statistics=[name for name in _STATISTICS if name in columns.names],
        use_dictionary=[name for name in _DICTIONARY if name in columns.names] or False,
        column_encoding={
            name: kind for name, kind in _ENCODINGS.items() if name in columns.names and name not in _DICTIONARY
        },
    )
