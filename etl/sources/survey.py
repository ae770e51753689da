"""A survey of a flow folder: the exporters in its newest files, and what prevents files from being read."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hntes.etl.addresses import exporter_address, mapped_half_pair
from hntes.etl.days import OLDEST_MS
from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.flow_folders import files_by_part
from hntes.etl.sources.name_clock import Received, name_lead_s
from hntes.etl.sources.named_exporters import NamedExporters
from hntes.etl.sources.scan import FolderFile, Scan
from hntes.etl.sources.schema import MALFORMED
from hntes.etl.sources.source import Exporter, FlowRecords, FlowSource, ReadAgainError

NEWEST_FILES = 3
# A week of files of five minutes.
_ROTATION_FILES = 2016
_COLUMNS = (
    "exporter_hi", "exporter_lo", "exporter_version", "sysid", "sampled", "input_interface", "output_interface",
)  # fmt: skip
# Packet sampling leaves one packet, of any size, of most flows; whole flows of one packet are small (queries, probes).
_LEAST_RECORDS, _LEAST_SINGLE_PCT, _LEAST_SINGLE_BYTES = 200, 80, 300


@dataclass(frozen=True)
class SeenPort:
    """A port by its SNMP index, and the bytes that left and entered by it in the files looked at, unsampled."""

    snmp_index: int
    left_bytes: int
    entered_bytes: int


@dataclass(frozen=True)
class SeenExporter:
    """An exporter: its address, its sampling (1 packet in `factor`, None if the files do not say), its ports.

    The collector did not multiply `unannounced_records` of it, as the factor was announced for another domain.
    `single_records` are of one packet each, `single_bytes` in all. `timeless_records` lack start and end times.
    """

    address: str
    factor: int | None
    records: int
    ports: tuple[SeenPort, ...]
    unannounced_records: int = 0
    single_records: int = 0
    single_bytes: int = 0
    timeless_records: int = 0

    @property
    def is_timeless(self) -> bool:
        """Whether most of its records lack start and end times and have only the time of reception."""
        return 2 * self.timeless_records > self.records

    @property
    def looks_sampled(self) -> bool:
        """Whether its records look like those of a router that samples packets, and its factor is not known."""
        return (
            self.factor is None
            and self.records >= _LEAST_RECORDS
            and 100 * self.single_records >= _LEAST_SINGLE_PCT * self.records
            and self.single_bytes >= _LEAST_SINGLE_BYTES * self.single_records
        )


@dataclass(frozen=True)
class FolderSurvey:
    """A flow folder: how many files it has, what time one covers (None: too few to tell), and who sent the newest.

    problems: files and folders that could not be read, with the reason. ignored: names that no collector gives.
    unfinished: files that a collector is writing or left behind. nameless_records: of no exporter that the file names.
    source: the name of the source that reads it.
    name_lead_s: seconds by which names are ahead of the records' reception (0: right, None: not known).
    """

    folder: Path
    files: int
    rotation_s: int | None
    exporters: tuple[SeenExporter, ...]
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    nameless_records: int = 0
    name_lead_s: int | None = None
    newest_ms: int | None = None
    source: str = ""


@dataclass(frozen=True)
class _Sent:
    """Traffic of an exporter ("" where none is named) between two ports."""

    exporter: str
    is_unannounced: bool
    into: int
    out: int
    records: int
    bytes: int
    single_records: int
    single_bytes: int
    timeless_records: int


@dataclass
class _Sums:
    """What the files looked at hold."""

    records: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    unannounced: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    single: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    single_bytes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    timeless: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    left: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    entered: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    factors: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    received: list[Received] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, sent: Iterable[_Sent], named: Iterable[Exporter]) -> None:
        """Adds a file."""
        for seen in named:
            self.factors[seen.address].update([seen.factor] if seen.factor else [])
        for one in sent:
            self.records[one.exporter] += one.records
            self.unannounced[one.exporter] += one.records if one.is_unannounced else 0
            self.single[one.exporter] += one.single_records
            self.single_bytes[one.exporter] += one.single_bytes
            self.timeless[one.exporter] += one.timeless_records
            self.entered[one.exporter, one.into] += one.bytes
            self.left[one.exporter, one.out] += one.bytes


def survey(source: FlowSource, scan: Scan, newest: int = NEWEST_FILES) -> FolderSurvey:
    """The contents of a folder whose files the source found, by the newest of each collector's source in it."""
    sums = _Sums(problems=[*scan.problems, *(f"{one.path}: {one.reason}" for one in scan.refused)])
    rotations = []
    for files in files_by_part(scan).values():
        rotations.append(rotation_s(files))
        for file in files[-newest:]:
            _read(source, scan, file, sums)
    rotation = min((each for each in rotations if each is not None), default=None)
    exporters = tuple(
        SeenExporter(
            address, _only(sums.factors[address]), count, _ports(address, sums), sums.unannounced[address],
            sums.single[address], sums.single_bytes[address], sums.timeless[address],
        )
        for address, count in sorted(sums.records.items(), key=lambda item: (-item[1], item[0]))
        if address
    )  # fmt: skip
    return FolderSurvey(
        scan.folder, len(scan.files), rotation, exporters, tuple(sums.problems), tuple(scan.ignored), scan.unfinished,
        sums.records.get("", 0), _lead_s(sums.received, rotation), scan.files[-1].start_ms if scan.files else None,
        source.name,
    )  # fmt: skip


def rotation_s(files: Sequence[FolderFile]) -> int | None:
    """The usual time between the starts of the newest files, which are in order; None for fewer than two."""
    starts_ms = np.unique(np.array([file.start_ms for file in files[-_ROTATION_FILES:]], np.int64))
    steps_s = np.sort(np.diff(starts_ms) // 1000)
    return int(steps_s[(len(steps_s) - 1) // 2]) if len(steps_s) else None  # the lower of two in the middle


def _read(source: FlowSource, scan: Scan, file: FolderFile, sums: _Sums) -> None:
    path = scan.folder / file.path
    try:
        records = source.open(path, source.identify(path))
        try:
            batches = list(_batches(records))
        except ReadAgainError:
            batches = list(_batches(records))
    except UnreadableFileError as problem:
        sums.problems.append(f"{file.path}: {problem}")
        return
    named = NamedExporters(records.exporters())
    sums.add((one for batch in batches for one in _sent(batch, named)), named.all)
    if received := _received(file, batches):
        sums.received.append(received)


def _batches(records: FlowRecords) -> Iterator[pa.RecordBatch]:
    """The columns that are looked at."""
    for block in records.blocks():
        batch = block if isinstance(block, pa.RecordBatch) else block.batch()
        yield batch.filter(pc.not_equal(batch.column("kind"), MALFORMED)).select(
            [*_COLUMNS, "in_packets", "in_bytes", "first_ms", "last_ms", "received_ms"]
        )


def _sent(batch: pa.RecordBatch, named: NamedExporters) -> Iterator[_Sent]:
    """Each exporter and pair of ports at least once."""
    announcing = {one.address for one in named.all if one.factor and one.factor > 1 and one.general}
    single = pc.cast(pc.equal(batch.column("in_packets"), 1), pa.int64())
    table = pa.Table.from_batches([batch]).append_column("single", single)
    table = table.append_column("single_bytes", pc.multiply(single, pc.cast(batch.column("in_bytes"), pa.int64())))
    table = table.append_column("timeless", pc.cast(_timeless(batch), pa.int64()))
    sums = table.group_by(list(_COLUMNS)).aggregate(
        [("in_bytes", "sum"), ([], "count_all"), ("single", "sum"), ("single_bytes", "sum"), ("timeless", "sum")]
    )
    for row in sums.to_pylist():
        halves = mapped_half_pair(
            row["exporter_hi"] % (1 << 64), row["exporter_lo"] % (1 << 64), row["exporter_version"]
        )
        exporter = named.get((row["sysid"], *(halves if row["exporter_version"] else (0, 0))))
        address = exporter_address(*halves) if row["exporter_version"] else exporter.address if exporter else ""
        is_unannounced = not row["sampled"] and address in announcing and not (exporter and exporter.factor)
        ports = row["input_interface"], row["output_interface"]
        yield _Sent(
            address, is_unannounced, *ports, row["count_all"], row["in_bytes_sum"], row["single_sum"],
            row["single_bytes_sum"], row["timeless_sum"],
        )  # fmt: skip


def _timeless(batch: pa.RecordBatch) -> pa.Array:
    """Per record: no start and no end time, but a time of reception."""
    known = [pc.greater_equal(batch.column(name), OLDEST_MS) for name in ("first_ms", "last_ms", "received_ms")]
    return pc.and_(known[2], pc.invert(pc.or_(known[0], known[1])))


def _received(file: FolderFile, batches: Iterable[pa.RecordBatch]) -> Received | None:
    """When the records of a file were received, if the collector says so."""
    times = pa.chunked_array([batch.column("received_ms") for batch in batches], pa.int64())
    known = times.filter(pc.greater_equal(times, OLDEST_MS))
    if not len(known):
        return None
    ends = pc.min_max(known).as_py()
    return Received(file.start_ms, ends["min"], ends["max"])


def _lead_s(received: Iterable[Received], rotation: int | None) -> int | None:
    """That of all files, if they agree; a file that is said to last longer than an hour says nothing."""
    covered_s = rotation or 300
    leads = {name_lead_s(one, covered_s) for one in received} if covered_s <= 3600 else set()
    return next(iter(leads)) if len(leads) == 1 else None


def _ports(address: str, sums: _Sums) -> tuple[SeenPort, ...]:
    """Those with an index, by the bytes that left."""
    indexes = {index for sender, index in (*sums.left, *sums.entered) if sender == address and index > 0}
    ports = [
        SeenPort(index, sums.left.get((address, index), 0), sums.entered.get((address, index), 0)) for index in indexes
    ]
    return tuple(sorted(ports, key=lambda port: (-port.left_bytes, -port.entered_bytes, port.snmp_index)))


def _only(factors: set[int]) -> int | None:
    return next(iter(factors)) if len(factors) == 1 else None
