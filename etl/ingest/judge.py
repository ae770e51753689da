"""A file's records, judged block by block while they are read: rows to be kept, counts, and what was set aside."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl import arrow_columns, schema
from hntes.etl.errors import UnreadableFileError
from hntes.etl.ingest.block import Judgement
from hntes.etl.ingest.columns import Columns, compact
from hntes.etl.ingest.decode import Claim, Evidence
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, Usual
from hntes.etl.ingest.file_context import WholeFile
from hntes.etl.ingest.plain import DecodedBlock
from hntes.etl.ingest.sampled import Sampling
from hntes.etl.lake.parts import LakeRows
from hntes.etl.sources.nfcapd.nfdump import Exporter

# The file's exporters decide whose a record is, that the clocks, those the times, those the factors.
_MOST_READINGS = 6


class FileRecords(Protocol):
    """A flow file that can be read more than once."""

    @property
    def marks_are_lost(self) -> bool:
        """Whether no record of it shows that the collector multiplied it."""

    def blocks(self) -> Iterator[Columns | DecodedBlock]:
        """Its records from the first to the last: in compact columns (etl/ingest/columns.py), or as decoded here."""

    def exporters(self) -> list[Exporter]:
        """The exporters that the blocks read so far name, or all."""


class RowSink(Protocol):
    """Takes the rows that are kept."""

    def begin(self) -> None:
        """Forgets what was taken: the file is read from its beginning."""

    def take(self, number: int, rows: LakeRows) -> None:
        """Takes rows of a claim (its number): the columns of LAKE_SCHEMA, in the file's order."""


@dataclass(frozen=True)
class Outcome:
    """What became of a file's records.

    set_aside: the compact columns of records that were set aside, with their router and reason.
    counts: (router or "", outcome) -> (records, bytes as stored); the outcomes kept, set_aside:* and unclaimed:*
        add up to the records read. Outcomes repaired:* and noted:* are about kept records.
    """

    set_aside: pa.Table
    counts: dict[tuple[str, str], tuple[int, int]]
    evidence: list[Evidence]
    warnings: list[str]


def judge_file(
    records: FileRecords, claims: list[Claim], max_clock_ahead_ms: int, usual: Usual, sink: RowSink
) -> Outcome:
    """Judges all records of one file; `usual` is what former files say of sampling.

    The file is read again where a record was judged by something that the rest of the file contradicts.

    Raises:
        UnreadableFileError: of `records`, or no reading agrees with the one before.
    """
    whole = WholeFile()
    for _ in range(_MOST_READINGS):
        sink.begin()
        sampling = Sampling(claims, usual, records.marks_are_lost, whole)
        judgement = Judgement(claims, max_clock_ahead_ms, sampling, whole, sink.take)
        exporters: list[Exporter] = []
        named = _by_number(exporters)
        for block in records.blocks():
            if exporters is not records.exporters():
                exporters = records.exporters()
                named = _by_number(exporters)
            if not isinstance(block, dict):
                judgement.add_decoded(block, named)
            elif block["bytes"].size:
                judgement.add(block, named)
        named = _by_number(records.exporters())
        for sysid in list(whole.exporters.found):
            whole.exporters.see(sysid, named.get(sysid))
        if whole.holds():
            judgement.finish()
            ledger = judgement.ledger
            return Outcome(ledger.set_aside_table(), ledger.counts, *sampling.evidence())
        whole = whole.again()
    raise UnreadableFileError(
        f"what it says of its exporters, clocks and factors differs in each of {_MOST_READINGS} readings"
    )


def _by_number(exporters: Iterable[Exporter]) -> dict[int, Exporter]:
    return {exporter.sysid: exporter for exporter in exporters}


@dataclass(frozen=True)
class Judged(Outcome):
    """The same, with the rows that were kept: LAKE_SCHEMA, and the number of the claim of each row."""

    rows: pa.Table
    owner: npt.NDArray[np.int64]


def judge(
    tables: Iterable[pa.Table],
    claims: list[Claim],
    exporters: list[Exporter],
    max_clock_ahead_ms: int,
    marks_are_lost: bool = False,
    usual: Usual = NOTHING_KNOWN,
) -> Judged:
    """Judges the records of raw tables (etl/sources/nfcapd/records.py), all in memory."""
    blocks = [compact(table) for table in tables if table.num_rows]
    rows = _Rows()
    found = judge_file(_InMemory(blocks, exporters, marks_are_lost), claims, max_clock_ahead_ms, usual, rows)
    return Judged(**vars(found), rows=rows.table(), owner=rows.owner())


@dataclass(frozen=True)
class _InMemory:
    read: list[Columns]
    named: list[Exporter]
    marks_are_lost: bool

    def blocks(self) -> Iterator[Columns]:
        return iter(self.read)

    def exporters(self) -> list[Exporter]:
        return self.named


class _Rows:
    """Keeps rows in memory."""

    def begin(self) -> None:
        self._pieces: list[tuple[int, Columns]] = []

    def take(self, number: int, rows: LakeRows) -> None:
        assert isinstance(rows, dict)  # noqa: S101 - records in memory were not decoded here
        self._pieces.append((number, rows))

    def table(self) -> pa.Table:
        tables = [arrow_columns.table(rows, schema.LAKE_SCHEMA) for _, rows in self._pieces]
        return pa.concat_tables([pa.Table.from_batches([], schema.LAKE_SCHEMA), *tables])

    def owner(self) -> npt.NDArray[np.int64]:
        return np.concatenate([np.zeros(0, np.int64), *(np.full(rows["bytes"].size, n) for n, rows in self._pieces)])
