"""A flow file as it is judged: its records in compact columns, held against what the file promises of them."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from hntes.etl.errors import UnreadableFileError
from hntes.etl.ingest.columns import Columns, compact, compact_native
from hntes.etl.sources.nfcapd.nfdump import Exporter, Nfdump, Promise, complaint, exporters, promised, record_stream
from hntes.etl.sources.nfcapd.record_sums import RecordSums
from hntes.etl.sources.nfcapd.records import raw_tables

if TYPE_CHECKING:
    from hntes.etl.sources.nfcapd.native import NativeBatch


class NfdumpRecords:
    """A file's records as nfdump lists them.

    Raises:
        UnreadableFileError: nfdump cannot read it; from `blocks` also where its records are not those that it promises.
    """

    def __init__(self, path: Path, nfdump: Nfdump, layout: int) -> None:
        self.promise = promised(nfdump, path)
        self.marks_are_lost = nfdump.loses_marks_of(layout)
        self._path, self._nfdump = path, nfdump
        self._named = exporters(nfdump, path)

    def exporters(self) -> list[Exporter]:
        """All exporters that it names."""
        return self._named

    def blocks(self) -> Iterator[Columns]:
        """Its records, some ten thousand at a time."""
        found = RecordSums()
        try:
            with record_stream(self._nfdump, self._path) as stream:
                for table in raw_tables(stream, self._nfdump.output):
                    found.add(table)
                    if found.records > self.promise.records:
                        # damage can make nfdump list records without end
                        raise UnreadableFileError(f"it promises {self.promise.records} records, more can be read")
                    yield compact(table)
        except pa.ArrowInvalid as problem:
            raise UnreadableFileError(
                f"nfdump's output cannot be parsed: {complaint(str(problem), self._path)}"
            ) from problem
        _check_sums(found, self.promise)


class NativeRecords:
    """A file's records as they are decoded here.

    Raises:
        UnreadableFileError: the file cannot be opened; from `blocks` where its records are not those that it promises.
        NotNativeError: it is damaged or holds something that is not known here; from `blocks` too.
    """

    marks_are_lost = False

    def __init__(self, path: Path) -> None:
        from hntes.etl.sources.nfcapd.native import NativeFile

        self._open = partial(NativeFile, path)
        self._file = self._open()
        self.promise = self._file.promise
        self._named, self._exporters = 0, list[Exporter]()

    def exporters(self) -> list[Exporter]:
        """The exporters that the blocks read so far name."""
        if self._file.named != self._named:
            self._named, self._exporters = self._file.named, self._file.exporters
        return self._exporters

    def blocks(self) -> Iterator["DecodedBlock"]:
        """Its records, from the first on."""
        self._file = self._open()
        for batch in self._file.batches():
            yield DecodedBlock(batch)
        _check_sums(self._file.sums, self.promise)


class DecodedBlock:
    """Records of which the decoder knows which are plain: no rule takes hold of them (etl/ingest/plain.py)."""

    def __init__(self, batch: "NativeBatch") -> None:
        self._batch = batch
        self.records, self.groups = batch.records, batch.groups
        self.split, self.rows = batch.split, batch.rows

    def rest(self) -> Columns:
        """The records that are not plain, in compact columns."""
        return compact_native(self._batch.rest())


def _check_sums(found: RecordSums, promise: Promise) -> None:
    if found.records != promise.records:
        raise UnreadableFileError(f"it promises {promise.records} records, {found.records} can be read")
    if differences := found.differences(promise.sums):
        raise UnreadableFileError(f"its counters do not add up: it promises {'; '.join(differences)}")
