"""Blocks of records that a source decodes itself and whose plain records it can identify: optional, for speed.

Plain records are those of which the decoder is certain that no rule of ingest takes hold. What makes a record plain
is in crates/nfcapd/src/plain.rs; it is narrower than the rules are. Whether the records of a group can be plain at all
is decided in etl/ingest/plain.py.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.arrow_columns import Column

if TYPE_CHECKING:
    from hntes._native import Rows

Int64 = npt.NDArray[np.int64]


class RecordGroup(NamedTuple):
    """The common fields of records of one exporter, domain and mark; version 0 if they do not name their exporter."""

    sysid: int
    sampled: int
    exporter_version: int
    exporter_hi: int
    exporter_lo: int


class PlainGroup(NamedTuple):
    """The conversion of a group's plain records to rows.

    owner: whose they are, a number. multiplier: of stored counters, at least 1. factor: 1 packet in so many was
    sampled. flags: the row's record_flags. exporter_hi, exporter_lo: its address. bytes_per_ms: what fits through any
    of the owner's ports; infinite where these are not known. shift_ms: what is added to times. by_collector: whether
    the collector's clock decides on them; then records that it has no time for are not plain.
    """

    owner: int
    multiplier: int
    factor: int
    flags: int
    exporter_hi: int
    exporter_lo: int
    bytes_per_ms: float
    shift_ms: int
    by_collector: bool


class PlainTimes(NamedTuple):
    """The times of a group's plain records in a block.

    whole_seconds: how many have times in whole seconds, and how many others. instants: how many of several packets, as
    sampled, do not last; and how many last. Both mean nothing where the owner's ports are not known. lags_ms: from the
    end of each, as the exporter says it, to its reception; none but where the collector's clock decides.
    """

    group: int
    whole_seconds: tuple[int, int]
    instants: tuple[int, int]
    lags_ms: Int64


class PlainCounts(NamedTuple):
    """Plain records and their bytes as stored; the same of those that ended over a day before they were received."""

    records: int
    stored_bytes: int
    old_records: int
    old_bytes: int


class DecidedGroups(Protocol):
    """The groups of the records that were read so far, and what is counted of their plain records."""

    all: list[RecordGroup]

    def decide(self, first: int, decisions: Sequence[PlainGroup | None]) -> None:
        """Sets what is decided on the groups from the number `first` on; None: the rules look at all its records."""

    @property
    def counted(self) -> list[PlainCounts]:
        """Of each group what is counted of its plain records so far."""


class DecodedBlock(Protocol):
    """Records of a file, numbered from 0 on, of which the reader can tell the plain ones."""

    @property
    def records(self) -> int:
        """The number of records."""

    @property
    def groups(self) -> DecidedGroups:
        """The groups of all records up to these."""

    def batch(self) -> pa.RecordBatch:
        """All of them, as any other source gives them: RECORD_SCHEMA."""

    def split(self, max_clock_ahead_ms: int) -> tuple[list["PlainTimes"], Int64]:
        """The times of the groups' plain records, and the numbers of all other records."""

    def rest(self) -> pa.RecordBatch:
        """These others, after `split`."""

    def rows(self, owner: int, numbers: Int64, others: Mapping[str, Column]) -> "Rows":
        """An owner's plain records as rows of the lake, with other rows between them by their numbers."""
