"""An nfcapd file's records, from the native reader or from nfdump, checked against the file's statistics."""

import socket
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from hntes.etl.errors import UnreadableFileError, UnreadForNowError
from hntes.etl.sources.decoded import DecodedBlock
from hntes.etl.sources.nfcapd.concatenated import glued_bytes
from hntes.etl.sources.nfcapd.errors import NfdumpError
from hntes.etl.sources.nfcapd.native import NativeBatch, NativeFile, NotNativeError
from hntes.etl.sources.nfcapd.nfdump import FIRST_OF_LAYOUT_3, Nfdump, complaint, exporters, promised, record_stream
from hntes.etl.sources.nfcapd.probe import checked
from hntes.etl.sources.nfcapd.record_sums import RecordSums
from hntes.etl.sources.nfcapd.records import raw_tables, record_batch
from hntes.etl.sources.source import Exporter, Promise, ReadAgainError


class NfcapdFile:
    """A file of nfcapd: decoded natively until that reader refuses it, possibly midway, then by nfdump.

    Raises:
        UnreadableFileError: the file cannot be opened, or nfdump cannot read it.
        UnreadForNowError: it takes an nfdump, which this machine has not, or not one that can be used.
    """

    def __init__(
        self, path: Path, layout: int, nfdump: Nfdump, *, is_native: bool = True, has_crashed: bool = False
    ) -> None:
        self._path, self._layout, self._nfdump = path, layout, nfdump
        self._warnings: list[str] = []
        if has_crashed:
            self._warnings.append("read by nfdump: the native reader's process was killed or ran out of memory")
        self._records: _NativeRecords | _NfdumpRecords
        try:
            self._records = _NativeRecords(path) if is_native else self._by_nfdump()
        except (NotNativeError, UnreadableFileError) as refusal:
            if not is_native:
                raise
            self._records = self._instead(refusal)

    @property
    def promise(self) -> Promise:
        """What the file says of its records."""
        return self._records.promise

    @property
    def marks_are_lost(self) -> bool:
        """Whether the reader shows records that the collector has multiplied as if they were not."""
        return self._records.marks_are_lost

    def exporters(self) -> Sequence[Exporter]:
        """The exporters that the blocks read so far name, or all."""
        return self._records.exporters()

    def blocks(self) -> Iterator[pa.RecordBatch | DecodedBlock]:
        """The records, from the first on."""
        try:
            yield from self._records.blocks()
        except (NotNativeError, UnreadableFileError) as refusal:
            if isinstance(self._records, _NfdumpRecords):
                raise
            self._records = self._instead(refusal)
            raise ReadAgainError(f"the native reader refuses the file: {refusal}") from refusal

    def warnings(self) -> list[str]:
        """What should be reported of the file once it was read to its end."""
        if not (glued := glued_bytes(self._path, self._layout)):
            return self._warnings
        warning = (
            f"another flow file was appended to it, whose {glued} bytes are not read: provide separate files, or "
            "join them with nfdump -R and -w"
        )
        return [*self._warnings, warning]

    def _instead(self, refusal: Exception) -> "_NfdumpRecords":
        """By nfdump, which also names the damage."""
        if self._nfdump.is_missing:
            raise UnreadableFileError(
                f"the native reader refuses it ({refusal}), and {self._nfdump.program}, which might read it, is not "
                "installed"
            )
        if self._layout == 3 and self._nfdump.version < FIRST_OF_LAYOUT_3:
            raise UnreadableFileError(
                f"the native reader refuses it ({refusal}), and nfdump {self._nfdump.version_text} does not read files "
                "of nfdump 1.8"
            )
        self._warnings.append(f"read by nfdump: the native reader refuses it ({refusal})")
        return self._by_nfdump(f"the native reader refuses it ({refusal}), and ")

    def _by_nfdump(self, before: str = "") -> "_NfdumpRecords":
        """Where nfdump cannot be used, that is of this machine, an executor perhaps: others may read the file."""
        try:
            nfdump = checked(self._nfdump)
        except NfdumpError as problem:
            raise UnreadForNowError(
                f"{before}nfdump cannot be used on the machine that read it, {socket.gethostname()}: {problem}; it is "
                "tried again with the next run"
            ) from problem
        return _NfdumpRecords(self._path, nfdump, self._layout)


class _NfdumpRecords:
    """A file's records as nfdump lists them."""

    def __init__(self, path: Path, nfdump: Nfdump, layout: int) -> None:
        self.promise = promised(nfdump, path)
        self.marks_are_lost = nfdump.loses_marks_of(layout)
        self._path, self._nfdump = path, nfdump
        self._named = exporters(nfdump, path)

    def exporters(self) -> list[Exporter]:
        """All exporters that it names."""
        return self._named

    def blocks(self) -> Iterator[pa.RecordBatch]:
        """Its records, some ten thousand at a time."""
        found = RecordSums()
        try:
            with record_stream(self._nfdump, self._path) as stream:
                for table in raw_tables(stream, self._nfdump.output):
                    batch = record_batch(table)
                    found.add(batch)
                    if found.records - found.without_counters > self.promise.records:
                        # damage can make nfdump list records without end
                        raise UnreadableFileError(
                            f"its header announces {self.promise.records} records, but it has more"
                        )
                    yield batch
        except pa.ArrowInvalid as problem:
            raise UnreadableFileError(
                f"nfdump's output cannot be parsed: {complaint(str(problem), self._path)}"
            ) from problem
        _check_sums(found, self.promise)


class _NativeRecords:
    """A file's records as they are decoded here."""

    marks_are_lost = False

    def __init__(self, path: Path) -> None:
        self._open = partial(NativeFile, path)
        self._file = self._open()
        self.promise = self._file.promise
        self._named, self._exporters = 0, list[Exporter]()

    def exporters(self) -> list[Exporter]:
        """The exporters that the blocks read so far name."""
        if self._file.named != self._named:
            self._named, self._exporters = self._file.named, self._file.exporters
        return self._exporters

    def blocks(self) -> Iterator[NativeBatch]:
        """Its records, from the first on."""
        self._file = self._open()
        yield from self._file.batches()
        _check_sums(self._file.sums, self.promise)


def _check_sums(found: RecordSums, promise: Promise) -> None:
    counted = found.records - found.without_counters
    if counted < promise.records == found.flows:
        raise UnreadableFileError(
            f"it was aggregated by nfdump (-a, -b or -A, with -w): its {counted} records stand for {found.flows} "
            "flows, whose times are lost; provide the files that nfcapd wrote"
        )
    # collectors do not count records without counters, but some versions may
    if not counted <= promise.records <= found.records:
        raise UnreadableFileError(f"its header announces {promise.records} records, {found.records} can be read")
    if promise.sums and (differences := found.differences(promise.sums)):
        raise UnreadableFileError(f"its counters do not add up: its header announces {'; '.join(differences)}")
