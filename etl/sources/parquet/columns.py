"""Columns of a table as integers: what a value cannot be makes its row malformed, what a column cannot be the file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hntes.etl import arrow_columns
from hntes.etl.addresses import column_halves
from hntes.etl.errors import UnreadableFileError

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Halves = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
# Numbers of seconds, milliseconds, microseconds and nanoseconds since 1970 do not overlap from 1973 to 5138.
_UNITS = ((10**11, 1000, 1), (10**14, 1, 1), (10**17, 1, 1000), (1 << 63, 1, 1_000_000))


@dataclass
class Rows:
    """The rows of a batch by column name, and which of them are malformed, by reason."""

    batch: pa.RecordBatch
    zone: str
    malformed: dict[str, Bool] = field(default_factory=dict)

    def integers(self, name: str | None, most: int) -> npt.NDArray[Any]:
        """A column of whole numbers from 0 to `most`, as unsigned integers; 0 where it is empty, or there is none.

        Raises:
            UnreadableFileError: it is a column of something else.
        """
        if name is None:
            return np.zeros(self.batch.num_rows, dtype=np.uint64)
        column = self._column(name)
        if not pa.types.is_integer(column.type):
            raise UnreadableFileError(f"column {name} holds {column.type}, not whole numbers")
        filled = column.fill_null(0)
        wide = pa.uint64() if pa.types.is_unsigned_integer(column.type) else pa.int64()
        found = arrow_columns.values(filled.cast(wide))
        wrong = (found < 0) | (found > most)
        self._refuse(f"column {name} is not within 0 to {most}", wrong)
        return np.where(wrong, 0, found).astype(np.uint64)

    def counter(self, name: str) -> npt.NDArray[Any]:
        """A column of counters, which must not be empty."""
        self._refuse(f"column {name} is empty", _flags(self._column(name).is_null()))
        return self.integers(name, (1 << 64) - 1)

    def times_ms(self, name: str | None) -> Int64:
        """A column of times as epoch ms UTC: timestamps, or whole numbers since 1970 in a unit that their size tells.

        0 where it is empty, or there is none.
        """
        if name is None:
            return np.zeros(self.batch.num_rows, dtype=np.int64)
        column = self._column(name)
        if pa.types.is_timestamp(column.type):
            return self._timestamps_ms(name, column)
        found = self.integers(name, (1 << 63) - 1).astype(np.int64)
        made = np.zeros_like(found)
        least = 0
        for below, multiplier, divisor in _UNITS:
            hit = (found >= least) & (found < below)
            made[hit] = found[hit] * multiplier // divisor
            least = below
        return made

    def _timestamps_ms(self, name: str, column: pa.Array) -> Int64:
        if column.type.tz is None and self.zone != "UTC":
            column = pc.assume_timezone(column, self.zone, ambiguous="earliest", nonexistent="earliest")
        try:
            whole = column.cast(pa.timestamp("ms", column.type.tz), safe=False).cast(pa.int64()).fill_null(0)
        except pa.ArrowException as cause:
            raise UnreadableFileError(f"column {name}: {cause}") from cause
        found = arrow_columns.values(whole)
        wrong = found < 0
        self._refuse(f"column {name} is before 1970", wrong)
        return np.where(wrong, 0, found)

    def addresses(self, name: str | None) -> Halves:
        """A column of addresses as halves: texts, 16 bytes (or 4), or IPv4 addresses as numbers of 32 bits.

        Version 0 where it is empty or no address.
        """
        if name is None:
            none = np.zeros(self.batch.num_rows, dtype=np.int64)
            return none, none, none
        column = self._column(name)
        for is_kind, halves in _ADDRESS_KINDS:
            if is_kind(column.type):
                return halves(column)
        raise UnreadableFileError(f"column {name} holds {column.type}, not addresses (texts, 16 bytes, 4 bytes)")

    def is_malformed(self) -> Bool:
        """Whether one of a row's values cannot be."""
        none = np.zeros(self.batch.num_rows, dtype=np.bool_)
        found: Bool = np.logical_or.reduce([none, *self.malformed.values()])
        return found

    def _refuse(self, reason: str, wrong: Bool) -> None:
        if wrong.any():
            self.malformed[reason] = wrong

    def _column(self, name: str) -> pa.Array:
        column = self.batch.column(name)
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _flags(column: pa.BooleanArray) -> Bool:
    found: Bool = arrow_columns.values(column.cast(pa.uint8())) != 0
    return found


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _of_texts(column: pa.Array) -> Halves:
    return column_halves(column.cast(pa.string()))


def _is_of_16_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_fixed_size_binary(kind) and kind.byte_width == 16)


def _of_16_bytes(column: pa.Array) -> Halves:
    """An IPv4 address is one that is written as IPv6 (::ffff:192.0.2.1), as ClickHouse stores it."""
    there: Bool = _flags(column.is_valid())
    read = np.frombuffer(column.buffers()[1], dtype=">i8", count=2 * (column.offset + len(column)))
    halves = read[2 * column.offset :].reshape(-1, 2)
    hi, lo = (np.where(there, halves[:, place], 0).astype(np.int64) for place in (0, 1))
    is_four = there & (hi == 0) & (lo >> 32 == 0xFFFF)
    return hi, np.where(is_four, lo & 0xFFFF_FFFF, lo), np.where(is_four, 4, np.where(there, 6, 0))


def _is_of_4_bytes(kind: pa.DataType) -> bool:
    return bool(kind == pa.uint32() or (pa.types.is_fixed_size_binary(kind) and kind.byte_width == 4))


def _of_4_bytes(column: pa.Array) -> Halves:
    """A number of 32 bits is the address's own, bytes are in the order of the network."""
    there = _flags(column.is_valid())
    order = "=u4" if column.type == pa.uint32() else ">u4"
    read = np.frombuffer(column.buffers()[1], dtype=order, count=column.offset + len(column))[column.offset :]
    lo = np.where(there, read, 0).astype(np.int64)
    return np.zeros_like(lo), lo, np.where(there, 4, 0)


_ADDRESS_KINDS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], Halves]], ...] = (
    (_is_text, _of_texts),
    (_is_of_16_bytes, _of_16_bytes),
    (_is_of_4_bytes, _of_4_bytes),
)
