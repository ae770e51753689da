"""The interface of a flow source: one format of flow files.

Another kind is a package with an object of this protocol, named in the entry point group `hntes.sources` of its
distribution; tests/contract/source holds each to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hntes.etl.errors import EtlError
from hntes.etl.sources.scan import ALWAYS, Span

if TYPE_CHECKING:
    import pyarrow as pa

    from hntes.etl.sources.decoded import DecodedBlock
    from hntes.etl.sources.scan import Scan
    from hntes.settings.ingest import Ingest


class ReadAgainError(EtlError):
    """The file must be read from its beginning, as its source reads it otherwise from now on."""


@dataclass(frozen=True)
class Exporter:
    """An exporter that a file names, with the sampling the collector knew: 1 packet in `factor`, None if it knew none.

    `general` is true when that rate holds for everything the exporter sends, not for one of its samplers only.
    packets, sequence_failures: export packets of the file, and how often a sequence number was not the next one; 0 as
    long as, or where, the file does not count them.
    """

    sysid: int
    address: str
    factor: int | None
    general: bool
    packets: int = field(default=0, compare=False)
    sequence_failures: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Sums:
    """Packets and bytes by protocol (`all`, `tcp`, `udp`, `other`): (kind, counter) -> sum, modulo 2^64."""

    of: Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class Promise:
    """A file's own statistics: its records and their counters, and the lost exports counted by the collector.

    `sums` is None where files of the source have none, `sequence_failures` where the collector does not tell. Files
    without statistics have as many records as could be read so far.
    """

    records: int
    sums: Sums | None
    sequence_failures: int | None


class FlowRecords(Protocol):
    """An opened flow file, which can be read more than once."""

    @property
    def promise(self) -> Promise:
        """The file's own statistics of its records."""

    @property
    def marks_are_lost(self) -> bool:
        """Whether no record of it shows that the collector multiplied it."""

    def exporters(self) -> Sequence[Exporter]:
        """The exporters that the blocks read so far name, or all; the same object as long as there is no other."""

    def blocks(self) -> Iterator[pa.RecordBatch | DecodedBlock]:
        """The records from the first to the last: in batches of RECORD_SCHEMA, or as the source has decoded them.

        Raises:
            UnreadableFileError: the file is damaged, or its records are not those that it promises.
            ReadAgainError: `blocks` must be called again, and what was read must be forgotten.
        """

    def warnings(self) -> Sequence[str]:
        """Warnings about the file, once it was read to its end."""


class FlowSource(Protocol):
    """One kind of flow files; picklable, since workers read them.

    name: short, as in the settings. file_names: an example of its file names. worker_modules: what workers
    load before they read the first file.
    """

    @property
    def name(self) -> str: ...

    @property
    def file_names(self) -> str: ...

    @property
    def worker_modules(self) -> tuple[str, ...]: ...

    @property
    def version(self) -> str:
        """Of what reads files that are refused by all else: with another one, a file that was set aside is tried again.

        Raises:
            EtlError: something that the source needs is missing on this machine.
        """

    def configured(self, settings: Ingest) -> FlowSource:
        """The source as the settings have it.

        Raises:
            EtlError: something that the source needs is missing on this machine.
        """

    def check(self) -> Sequence[tuple[str, str]]:
        """Dependencies of the source on this machine, tested now: labels and texts of `hntes check`.

        Raises:
            EtlError: something that the source needs is missing, or does not work.
        """

    def discover(self, folder: Path, timezone: str = "UTC", span: Span = ALWAYS) -> Scan:
        """The finished files of a span of time under a folder, by their names; times in names are of that time zone.

        Raises:
            FlowFolderError: the folder does not exist.
        """

    def identify(self, path: Path) -> int:
        """The number of a file's layout, by its content.

        Raises:
            UnreadableFileError: the file cannot be opened, or is none of this source.
        """

    def open(self, path: Path, layout: int) -> FlowRecords:
        """Opens a file of that layout.

        Raises:
            UnreadableFileError: the file cannot be opened, or is damaged.
        """

    def isolated(self) -> FlowSource | None:
        """The same source with a reader outside of this process, for files at which processes end; None without one."""
