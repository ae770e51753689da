"""Records in memory, judged as those of a file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl import arrow_columns, schema
from hntes.etl.ingest.columns import Columns
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, ExporterBaseline
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.lake.parts import LakeRows
from hntes.etl.sources.nfcapd.records import record_batch
from hntes.etl.sources.source import Exporter, Promise


@dataclass(frozen=True)
class Judged(Outcome):
    """The same, with the rows that were kept: LAKE_SCHEMA, and the number of the claim of each row."""

    rows: pa.Table
    owner: npt.NDArray[np.int64]


def judge(
    tables: Iterable[pa.Table],
    claims: list[RouterExporters],
    exporters: list[Exporter],
    max_clock_ahead_ms: int,
    marks_are_lost: bool = False,
    baseline: ExporterBaseline = NOTHING_KNOWN,
) -> Judged:
    """Judges the records of raw tables (etl/sources/nfcapd/records.py), all in memory."""
    blocks = [record_batch(table) for table in tables]
    rows = _Rows()
    found = judge_file(_InMemory(blocks, exporters, marks_are_lost), claims, max_clock_ahead_ms, baseline, rows)
    return Judged(**vars(found), rows=rows.table(), owner=rows.owner())


@dataclass(frozen=True)
class _InMemory:
    read: list[pa.RecordBatch]
    named: list[Exporter]
    marks_are_lost: bool

    @property
    def promise(self) -> Promise:
        return Promise(sum(batch.num_rows for batch in self.read), None, 0)

    def blocks(self) -> Iterator[pa.RecordBatch]:
        return iter(self.read)

    def exporters(self) -> list[Exporter]:
        return self.named

    def warnings(self) -> Sequence[str]:
        return ()


class _Rows:
    """Keeps rows in memory."""

    def begin(self) -> None:
        self._pieces: list[tuple[int, Columns]] = []

    def take(self, number: int, rows: LakeRows) -> None:
        assert isinstance(rows, dict)
        self._pieces.append((number, rows))

    def table(self) -> pa.Table:
        tables = [arrow_columns.table(rows, schema.LAKE_SCHEMA) for _, rows in self._pieces]
        return pa.concat_tables([pa.Table.from_batches([], schema.LAKE_SCHEMA), *tables])

    def owner(self) -> npt.NDArray[np.int64]:
        return np.concatenate([np.zeros(0, np.int64), *(np.full(rows["bytes"].size, n) for n, rows in self._pieces)])
