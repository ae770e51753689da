"""A flow file of JSON objects, one a line: read row by row, each that is none for itself."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import pyarrow as pa

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.rows.exporters import RowExporters
from hntes.etl.sources.rows.lines import MOST_LINE_BYTES, lines
from hntes.etl.sources.rows.malformed import Malformed
from hntes.etl.sources.rows.row import MALFORMED_ROW, Flow, RowError, batch
from hntes.etl.sources.source import Exporter, Promise

_BATCH_ROWS = 20_000
# A collector's own notes may come before the first flow.
_LOOKED_AT = 20
Row = TypeVar("Row", bound=msgspec.Struct)
# Makes a flow of a row, whose exporters it numbers; None for a note of the collector that is no flow.
ToFlow = Callable[[Row, RowExporters], Flow | None]


class JsonFile(Generic[Row]):
    """An opened file of rows of one type."""

    marks_are_lost = False

    def __init__(self, path: Path, row: type[Row], to_flow: ToFlow[Row]) -> None:
        self._path, self._to_flow = path, to_flow
        # numbers may be written as texts, as protocol buffers write those of 64 bits
        self._decoder = msgspec.json.Decoder(row, strict=False)
        self._exporters, self._malformed, self._rows = RowExporters(), Malformed(), 0

    @property
    def promise(self) -> Promise:
        """The rows that were read: such a file says nothing of itself."""
        return Promise(self._rows, None, None)

    def exporters(self) -> Sequence[Exporter]:
        """Those of the rows so far."""
        return self._exporters.named

    def blocks(self) -> Iterator[pa.RecordBatch]:
        """The rows from the first to the last.

        Raises:
            UnreadableFileError: the file cannot be opened, or its compressed data is damaged.
        """
        self._exporters, self._malformed, self._rows = RowExporters(), Malformed(), 0
        rows: list[Flow] = []
        for number, line in lines(self._path):
            if (flow := self._flow(number, line)) is None:
                continue
            rows.append(flow)
            if len(rows) == _BATCH_ROWS:
                self._rows += len(rows)
                yield batch(rows)
                rows = []
        self._rows += len(rows)
        yield batch(rows)

    def warnings(self) -> list[str]:
        """On rows that could not be read."""
        return self._malformed.warnings()

    def _flow(self, number: int, line: bytes | None) -> Flow | None:
        if line is None:
            self._malformed.add(number, f"more than {MOST_LINE_BYTES} bytes")
            return MALFORMED_ROW
        try:
            return self._to_flow(self._decoder.decode(line), self._exporters)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, RowError) as problem:
            self._malformed.add(number, str(problem))
            return MALFORMED_ROW


def first_keys(path: Path) -> Iterator[frozenset[str]]:
    """The keys of the first objects of a file.

    Raises:
        UnreadableFileError: the file cannot be opened, is empty, or none of its first lines is a JSON object.
    """
    looked_at = found = 0
    for _, line in lines(path):
        looked_at += 1
        if line is not None and (keys := _keys(line)):
            found += 1
            yield keys
        if looked_at == _LOOKED_AT:
            break
    if not looked_at:
        raise UnreadableFileError("the file is empty")
    if not found:
        raise UnreadableFileError(f"none of its first {looked_at} lines is a JSON object")


def _keys(line: bytes) -> frozenset[str]:
    try:
        return frozenset(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return frozenset()
