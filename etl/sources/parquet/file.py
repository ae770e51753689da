"""The rows of a table of flows and what they mean.

Columns have the names of Akvorado's table `flows` where the settings do not name them. Bytes and packets are as
sampled, and are multiplied by the sampling rate of the row, if there is such a column. Without times of the flow a row
covers `period_s` from its time on, or the `active_timeout_s` before it was received; the settings must say which.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl import arrow_columns
from hntes.etl.addresses import exporter_address
from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.parquet.columns import Int64, Rows
from hntes.etl.sources.rows.exporters import RowExporters
from hntes.etl.sources.rows.malformed import Malformed
from hntes.etl.sources.rows.row import MOST_UINT64, RowError, end_columns, exporter_columns
from hntes.etl.sources.schema import ASSUMED, FLOW, MALFORMED, RECORD_SCHEMA, SUMMED
from hntes.etl.sources.source import Exporter, Promise
from hntes.settings.flow_folder import ColumnUse, FlowFolder

_BATCH_ROWS = 20_000
_MOST_NUMBERS = 10
# A million rows of 50 bytes, as ClickHouse writes them by default, and ten times as much.
MOST_GROUP_BYTES = 1 << 29
_AKVORADO: Mapping[ColumnUse, str] = {
    "bytes": "Bytes", "packets": "Packets", "sampling": "SamplingRate", "source": "SrcAddr", "destination": "DstAddr",
    "exporter": "ExporterAddress", "received": "TimeReceived", "protocol": "Proto", "source_port": "SrcPort",
    "destination_port": "DstPort", "tos": "IPTos",
}  # fmt: skip
# A name or text of the file that is not UTF-8 is met when it becomes Python's.
_DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)
_NEEDED: tuple[ColumnUse, ...] = ("bytes", "source", "destination")
_UINT32 = (1 << 32) - 1
_SMALL: Mapping[str, tuple[ColumnUse, int]] = {
    "protocol": ("protocol", 255), "src_port": ("source_port", 65_535), "dst_port": ("destination_port", 65_535),
    "input_interface": ("input_interface", _UINT32), "output_interface": ("output_interface", _UINT32),
    "direction": ("direction", 255), "tos": ("tos", 255),
}  # fmt: skip


class ParquetFile:
    """An opened table.

    Raises:
        UnreadableFileError: it is damaged, lacks a column, or nothing says how long its rows last.
    """

    marks_are_lost = False

    def __init__(self, path: Path, described: FlowFolder | None) -> None:
        self._described = described or FlowFolder(folder=path.parent)
        try:
            self._table = pq.ParquetFile(path)
            self._columns = _chosen(self._table.schema_arrow.names, self._described.columns)
            _require_small_groups(self._table.metadata, set(self._columns.values()))
        except _DAMAGE as cause:
            raise UnreadableFileError(f"the Parquet file cannot be read: {cause}") from cause
        self._exporters, self._malformed = RowExporters(), Malformed()
        self.promise = Promise(self._table.metadata.num_rows, None, None)
        _require_times(self._columns, self._described)

    def exporters(self) -> Sequence[Exporter]:
        """Those of the rows so far."""
        return self._exporters.named

    def blocks(self) -> Iterator[pa.RecordBatch]:
        """The rows from the first to the last.

        Raises:
            UnreadableFileError: the file is damaged, or a column holds something else than it should.
        """
        self._exporters, self._malformed = RowExporters(), Malformed()
        before = 0
        try:
            for batch in self._table.iter_batches(_BATCH_ROWS, columns=sorted(set(self._columns.values()))):
                yield self._records(Rows(batch, self._described.times_zone), before)
                before += batch.num_rows
        except _DAMAGE as cause:
            raise UnreadableFileError(f"the Parquet file is damaged after row {before}: {cause}") from cause
        if before != self.promise.records:
            raise UnreadableFileError(f"it promises {self.promise.records} rows, {before} can be read")

    def warnings(self) -> list[str]:
        """On rows that could not be read."""
        return self._malformed.warnings()

    def _records(self, rows: Rows, before: int) -> pa.RecordBatch:
        name = self._columns.get
        made: dict[str, npt.NDArray[Any]] = {
            field.name: np.zeros(rows.batch.num_rows, field.type.to_pandas_dtype()) for field in RECORD_SCHEMA
        }
        for column, (use, most) in _SMALL.items():
            made[column] = rows.integers(name(use), most).astype(np.int64)
        for end, use in (("src", "source"), ("dst", "destination")):
            made |= end_columns(end, *rows.addresses(self._columns[use]))
        exporter = exporter_columns(*rows.addresses(name("exporter")))
        made |= exporter | self._times(rows)
        factor = np.zeros(rows.batch.num_rows, np.uint64)
        if not self._described.renormalized:
            factor = rows.integers(name("sampling"), _UINT32)
        made["sampled"] = ((factor > 1) | self._described.renormalized).astype(np.int64)
        for column, use in (("in_packets", "packets"), ("in_bytes", "bytes")):
            counter = rows.counter(self._columns[use]) if use in self._columns else made[column]
            made[column] = _multiplied(counter, np.maximum(factor, np.uint64(1)))
        made["sysid"] = self._numbers(rows, exporter, factor)
        return arrow_columns.batch(self._without_malformed(rows, made, before), RECORD_SCHEMA)

    def _times(self, rows: Rows) -> dict[str, Int64]:
        """The kind of record, its times, and when it was received."""
        columns, described = self._columns, self._described
        received_ms = rows.times_ms(columns.get("received"))
        if "first" in columns and "last" in columns:
            first_ms, last_ms, kind = rows.times_ms(columns["first"]), rows.times_ms(columns["last"]), FLOW
        elif described.period_s is not None:
            first_ms = rows.times_ms(columns["first"]) if "first" in columns else received_ms
            last_ms, kind = np.where(first_ms > 0, first_ms + described.period_s * 1000, 0), SUMMED
            received_ms = np.zeros_like(first_ms)
        else:
            lasted_s = described.active_timeout_s or 0
            first_ms, last_ms = np.maximum(received_ms - lasted_s * 1000, 0), received_ms
            # with 0 the settings say that rows are samples, which last no time
            kind = ASSUMED if lasted_s else FLOW
        kinds = np.full(rows.batch.num_rows, kind, dtype=np.int64)
        return {"kind": kinds, "first_ms": first_ms, "last_ms": last_ms, "received_ms": received_ms}

    def _numbers(self, rows: Rows, exporter: Mapping[str, npt.NDArray[Any]], factor: npt.NDArray[Any]) -> Int64:
        """The number of exporter and sampling rate of each row; with too many of them further rows are malformed."""
        keys = np.stack([exporter["exporter_hi"], exporter["exporter_lo"], exporter["exporter_version"],
                         factor.astype(np.int64)], axis=1)  # fmt: skip
        different, place = np.unique(keys, axis=0, return_inverse=True)
        numbers = np.zeros(len(different), dtype=np.int64)
        for index, (hi, lo, version, rate) in enumerate(different.tolist()):
            address = exporter_address(hi, lo) if version else ""
            try:
                numbers[index] = self._exporters.number(address, None if self._described.renormalized else rate or None)
            except RowError as problem:
                rows.malformed[str(problem)] = rows.malformed.get(str(problem), False) | (place == index)
        found: Int64 = numbers[place]
        return found

    def _without_malformed(
        self, rows: Rows, made: dict[str, npt.NDArray[Any]], before: int
    ) -> dict[str, npt.NDArray[Any]]:  # fmt: skip
        wrong = rows.is_malformed()
        if not wrong.any():
            return made
        left = wrong.copy()
        for reason, hit in rows.malformed.items():
            hit, left = hit & left, left & ~hit
            first = np.flatnonzero(hit)[:_MOST_NUMBERS] + before + 1
            self._malformed.add_all(first.tolist(), int(hit.sum()), reason)
        made["kind"] = np.where(wrong, MALFORMED, made["kind"])
        return made | {name: np.where(wrong, 0, made[name]) for name in ("in_packets", "in_bytes")}


def _chosen(there: Sequence[str], described: Mapping[ColumnUse, str]) -> dict[ColumnUse, str]:
    """The columns by what they hold: those of the settings, and Akvorado's where they are there."""
    if missing := sorted(set(described.values()) - set(there)):
        raise UnreadableFileError(f"it has no column {missing[0]!r}, which `columns` of its folder names")
    usual = {use: name for use, name in _AKVORADO.items() if name in there}
    chosen: dict[ColumnUse, str] = usual | dict(described)
    if lacking := [use for use in _NEEDED if use not in chosen]:
        shown = ", ".join(there[:20])
        raise UnreadableFileError(
            f"no column is known to hold {' and '.join(lacking)}: name them in `columns` of its folder in "
            f"[[ingest.folders]]; there are {shown}"
        )
    return chosen


def _require_times(columns: Mapping[ColumnUse, str], described: FlowFolder) -> None:
    if "first" in columns and "last" in columns:
        return
    if "received" not in columns and not ("first" in columns and described.period_s):
        raise UnreadableFileError(
            "no column is known to hold times: name `first` and `last`, or `received`, in `columns` of its folder in "
            "[[ingest.folders]]"
        )
    if described.period_s is None and described.active_timeout_s is None:
        raise UnreadableFileError(
            "its rows do not say how long they last: set `active_timeout_s` of their folder in [[ingest.folders]] to "
            "the longest active timeout of the exporters (0 if all rows are sFlow samples), or `period_s` if each row "
            "is a sum over a period"
        )


def _require_small_groups(metadata: pq.FileMetaData, names: Set[str]) -> None:
    """A row group is read as a whole, so its size is what memory is needed."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(index) for index in range(group.num_columns)]
        size_bytes = sum(one.total_uncompressed_size for one in columns if one.path_in_schema in names)
        if size_bytes > MOST_GROUP_BYTES:
            raise UnreadableFileError(
                f"row group {number + 1} has {size_bytes} bytes in the columns that are read, more than "
                f"{MOST_GROUP_BYTES}: have it written in smaller row groups (ClickHouse: "
                "output_format_parquet_row_group_size)"
            )


def _multiplied(counter: npt.NDArray[Any], factor: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Counters times factors, at most what 64 bits hold: such a number is absurd and set aside as that."""
    most = np.uint64(MOST_UINT64)
    return np.where(counter > most // factor, most, counter * factor)
