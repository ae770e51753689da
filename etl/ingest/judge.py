"""The judgement of a file's records block by block: rows to keep, counts, and records set aside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from hntes.etl.errors import UnreadableFileError
from hntes.etl.ingest.block import Judgement
from hntes.etl.ingest.columns import compact
from hntes.etl.ingest.exporter_baseline import ExporterBaseline
from hntes.etl.ingest.exports import count_exports
from hntes.etl.ingest.file_context import FileContext
from hntes.etl.ingest.router_exporters import Evidence, RouterExporters
from hntes.etl.ingest.sampled import Sampling
from hntes.etl.lake.parts import LakeRows
from hntes.etl.sources.named_exporters import NamedExporters
from hntes.etl.sources.source import Exporter, FlowRecords, ReadAgainError

# The file's exporters decide whose a record is, that the clocks, those the times, those the factors.
_MOST_READINGS = 6


class RowSink(Protocol):
    """Takes the rows that are kept."""

    def begin(self) -> None:
        """Discards the rows taken so far: the file is read again from its start."""

    def take(self, number: int, rows: LakeRows) -> None:
        """Takes rows of a claim (its number): the columns of LAKE_SCHEMA, in the file's order."""


@dataclass(frozen=True)
class Outcome:
    """The outcomes of a file's records.

    set_aside: the compact columns of records that were set aside, with their router and reason.
    counts: (router or "", outcome) -> (records, bytes as stored); the outcomes kept, set_aside:* and unclaimed:*
        add up to the records, and the reversed ones. Outcomes repaired:* and noted:* are about kept records.
    exporters: (router or "", exporter, outcome) -> the same, of outcomes that may count against a day; exports:* are
        export packets.
    records: the records of the file. reversed_records: flows that were made of the reverse direction of some of them.
    """

    set_aside: pa.Table
    counts: dict[tuple[str, str], tuple[int, int]]
    exporters: dict[tuple[str, str, str], tuple[int, int]]
    evidence: list[Evidence]
    warnings: list[str]
    records: int
    reversed_records: int


def judge_file(
    records: FlowRecords,
    claims: list[RouterExporters],
    max_clock_ahead_ms: int,
    baseline: ExporterBaseline,
    sink: RowSink,
) -> Outcome:
    """Judges all records of one file; `baseline` is the sampling of former files.

    The file is read again where a record was judged by something that the rest of the file contradicts.

    Raises:
        UnreadableFileError: of `records`, or no reading agrees with the one before.
    """
    try:
        return _judged(records, claims, max_clock_ahead_ms, baseline, sink)
    except ReadAgainError:
        return _judged(records, claims, max_clock_ahead_ms, baseline, sink)


def _judged(
    records: FlowRecords,
    claims: list[RouterExporters],
    max_clock_ahead_ms: int,
    baseline: ExporterBaseline,
    sink: RowSink,
) -> Outcome:
    whole = FileContext()
    for _ in range(_MOST_READINGS):
        sink.begin()
        sampling = Sampling(claims, baseline, records.marks_are_lost, whole)
        judgement = Judgement(claims, max_clock_ahead_ms, sampling, whole, sink.take)
        _read(records, judgement)
        named = NamedExporters(records.exporters())
        whole.see_rates(named.all)
        for key in list(whole.exporters.found):
            whole.exporters.see(key, named.get(key))
        if whole.holds():
            judgement.finish()
            ledger = judgement.ledger
            count_exports(ledger, claims, named.all)
            evidence, warnings = sampling.evidence()
            return Outcome(
                ledger.set_aside_table(),
                ledger.counts,
                ledger.exporters,
                evidence,
                warnings,
                judgement.records,
                judgement.reversed_records,
            )
        whole = whole.again()
    raise UnreadableFileError(f"its exporters, clocks and factors differ in each of {_MOST_READINGS} readings")


def _read(records: FlowRecords, judgement: Judgement) -> None:
    """One reading of a file."""
    exporters: Sequence[Exporter] = []
    named = NamedExporters()
    for block in records.blocks():
        if exporters is not records.exporters():
            exporters = records.exporters()
            named = NamedExporters(exporters)
        if not isinstance(block, pa.RecordBatch):
            judgement.add_decoded(block, named)
        elif block.num_rows:
            judgement.add(compact(block), named)
