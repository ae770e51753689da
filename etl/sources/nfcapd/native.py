"""Reading flow files without nfdump: columns, promised sums and exporters as nfdump would list them.

Unknown and damaged files are not read here: the caller uses nfdump, whose result is final.
"""

import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes._native import (
    COLUMNS,
    LAKE_COLUMNS,
    Batch,
    DamagedFileError,
    Decisions,
    FlowFile,
    PanicException,
    Rows,
    UnknownFileError,
)
from hntes.errors import HntesError
from hntes.etl import arrow_columns
from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.decoded import PlainCounts, PlainGroup, PlainTimes, RecordGroup
from hntes.etl.sources.nfcapd.nfdump import MOST_RECORDS, NamedExporter, Sampler, exporters_of
from hntes.etl.sources.nfcapd.record_sums import RecordSums
from hntes.etl.sources.nfcapd.sums import COUNTERS, KINDS
from hntes.etl.sources.schema import COUNTERS as _UNSIGNED
from hntes.etl.sources.schema import RECORD_SCHEMA
from hntes.etl.sources.source import Exporter, Promise, Sums

_SAMPLER_NAMES = {-3: "Static overwrite", -2: "Static default", -1: "Generic"}
_ENDS = ("src", "dst")
# The rules cost a millisecond per batch, as each has some records for them to look at; larger batches cost memory.
_LEAST_RECORDS = 1 << 16
_LAKE_TYPES = {name: np.dtype(f"<i{width}") for name, width in LAKE_COLUMNS}

Column = npt.NDArray[Any]


class NotNativeError(HntesError):
    """The native reader does not read this file; the message says why, with the place in bytes."""


class NativeFile:
    """One flow file, read from its beginning to its end, some blocks at a time; only these are held in memory.

    Raises:
        UnreadableFileError: the file cannot be opened.
        NotNativeError: it is damaged or holds something that is not known here; from `blocks` too.
    """

    def __init__(self, path: Path) -> None:
        self._records = 0
        try:
            self._file = FlowFile(path)
        except OSError as cause:
            raise UnreadableFileError(f"the file cannot be opened: {cause.strerror or cause}") from cause
        except (DamagedFileError, UnknownFileError) as cause:
            raise NotNativeError(str(cause)) from cause
        except PanicException as cause:
            raise NotNativeError(f"the native reader failed with an internal error: {cause}") from cause

    @property
    def promise(self) -> Promise:
        """What the file says of its records."""
        records, failures, totals = self._file.promised
        if records > MOST_RECORDS:
            raise NotNativeError(f"its header announces {records} records")
        return Promise(records, _sums(totals), min(failures, MOST_RECORDS))

    @property
    def sums(self) -> RecordSums:
        """What the records read so far add up to."""
        first, both = self._file.counted
        return RecordSums(dict(_sums(first).of), dict(_sums(both).of), self._records, *self._file.flows)

    @property
    def named(self) -> int:
        """A number that grows whenever `exporters` changes."""
        return self._file.named

    @property
    def exporters(self) -> list[Exporter]:
        """The exporters named in the blocks read so far."""
        return exporters_of(
            NamedExporter(sysid, _text(hi, lo, version), tuple(_sampler(*sampler) for sampler in samplers), *exported)
            for sysid, hi, lo, version, samplers, exported in self._file.exporters
        )

    def batches(self) -> Iterator["NativeBatch"]:
        """The records, once, some ten thousand at a time."""
        groups = PlainGroups(self._file)
        try:
            while (found := self._file.next_batch(_LEAST_RECORDS)) is not None:
                self._records += found.records
                without_counters, _ = self._file.flows
                if self._records - without_counters > self.promise.records:
                    raise NotNativeError(f"it promises {self.promise.records} records, more can be read")
                groups.extend()
                yield NativeBatch(found, groups)
        except (DamagedFileError, UnknownFileError) as cause:
            raise NotNativeError(str(cause)) from cause
        except PanicException as cause:
            raise NotNativeError(f"the native reader failed with an internal error: {cause}") from cause


class PlainGroups:
    """The groups of the records read so far, what is decided on them, and what is counted of their plain records."""

    def __init__(self, file: FlowFile) -> None:
        self._file = file
        self.native = Decisions()
        self.all: list[RecordGroup] = []

    def extend(self) -> None:
        """Looks for new groups."""
        self.all += map(RecordGroup._make, self._file.groups(len(self.all)))

    def decide(self, first: int, decisions: Sequence[PlainGroup | None]) -> None:
        """Sets what is decided on the groups from the number `first` on; None: the rules look at all its records."""
        self.native.decide(first, [decided and (*decided,) for decided in decisions])

    @property
    def counted(self) -> list[PlainCounts]:
        """Of each group what is counted of its plain records so far; sums of bytes are at most 2^63 - 1."""
        return list(map(PlainCounts._make, self.native.counted))


class NativeBatch:
    """Some records of a file, numbered from 0 on, and the groups of all that was read so far."""

    def __init__(self, batch: Batch, groups: PlainGroups) -> None:
        self._batch = batch
        self.records, self.groups = batch.records, groups

    def split(self, max_clock_ahead_ms: int) -> tuple[list[PlainTimes], npt.NDArray[np.int64]]:
        """Finds the plain records, of groups that are decided, and gives the numbers of all others.

        Also the times of groups that have plain records. No plain record ends more than `max_clock_ahead_ms` after it
        was received.
        """
        times, others = self._batch.split(self.groups.native, max_clock_ahead_ms)
        plain = [
            PlainTimes(group, seconds, durations, np.frombuffer(lags_ms, "<i8"))
            for group, seconds, durations, lags_ms in times
        ]
        return plain, np.frombuffer(others, "<u4").astype(np.int64)

    def batch(self) -> pa.RecordBatch:
        """All records."""
        return _record_batch(*self._batch.stored())

    def rest(self) -> pa.RecordBatch:
        """Those that are not plain, after `split`."""
        return _record_batch(*self._batch.rest())

    def rows(self, owner: int, numbers: npt.NDArray[np.int64], others: Mapping[str, Column]) -> Rows:
        """The lake's rows of an owner, in the order of the records: its plain ones, `others` by their numbers."""
        pieces = [np.ascontiguousarray(others[name]).view(np.uint8) for name in _LAKE_TYPES] if numbers.size else []
        return self._batch.rows(owner, (numbers.tolist(), pieces))


def _record_batch(records: int, used: list[int], content: bytes) -> pa.RecordBatch:
    """`used` are the numbers of the columns that are not 0 in all records; `content` has these."""
    stored = dict.fromkeys(COLUMNS, np.zeros(records, np.int64))
    values = np.frombuffer(content, dtype="<i8").reshape(len(used), records)
    stored |= {COLUMNS[number]: column for number, column in zip(used, values, strict=True)}
    versions = {f"{end}{version}_version": stored[f"has{version}"] * version for end in _ENDS for version in (4, 6)}
    columns = stored | versions | {"kind": stored["event"]} | {name: stored[name].view(np.uint64) for name in _UNSIGNED}
    return arrow_columns.batch(columns, RECORD_SCHEMA)


def _sums(totals: list[tuple[int, int]]) -> Sums:
    named = zip(KINDS, totals, strict=True)
    return Sums({(kind, counter): value for kind, both in named for counter, value in zip(COUNTERS, both, strict=True)})


def _sampler(number: int, interval: int, space: int) -> Sampler:
    return Sampler(_SAMPLER_NAMES.get(number, ""), interval, space)


def _text(hi: int, lo: int, ip_version: int) -> str:
    if ip_version == 4:
        return socket.inet_ntop(socket.AF_INET, struct.pack(">I", lo))
    return socket.inet_ntop(socket.AF_INET6, struct.pack(">QQ", hi, lo))
