"""A survey of exporters in the newest files of a flow folder, for the first settings file."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median_low

import pyarrow as pa

from hntes.etl.addresses import exporter_address
from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.scan import FolderFile
from hntes.etl.sources.source import Exporter, FlowRecords, FlowSource, ReadAgainError

NEWEST_FILES = 3
# Folders that collectors make below their own by date and time (nfcapd -S): they are no flow folders by themselves.
_DATE_CHARACTERS = frozenset("0123456789-_")
_COLUMNS = ("exporter_hi", "exporter_lo", "exporter_version", "input_interface", "output_interface")


@dataclass(frozen=True)
class SeenPort:
    """A port by its SNMP index, and the bytes that left and entered by it in the files looked at, unsampled."""

    snmp_index: int
    left_bytes: int
    entered_bytes: int


@dataclass(frozen=True)
class SeenExporter:
    """An exporter: its address, its sampling (1 packet in `factor`, None if the files do not say), its ports."""

    address: str
    factor: int | None
    records: int
    ports: tuple[SeenPort, ...]


@dataclass(frozen=True)
class FolderSurvey:
    """A flow folder: how many files it has, what time one covers (None: too few to tell), and who sent the newest.

    `problems` are files that could not be read, with the reason.
    """

    folder: Path
    files: int
    rotation_s: int | None
    exporters: tuple[SeenExporter, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Sent:
    """Traffic of an exporter between two ports."""

    exporter: str
    into: int
    out: int
    records: int
    bytes: int


def flow_folders(source: FlowSource, top: Path) -> tuple[Path, ...]:
    """The folders at or below `top` into which a collector writes; what it sorts by date below is one folder."""
    scan = source.discover(top)
    found = set()
    for name in [*(file.path for file in scan.files), *(one.path for one in scan.refused)]:
        folder = (top / name).parent
        while folder != top and set(folder.name) <= _DATE_CHARACTERS:
            folder = folder.parent
        found.add(folder)
    return tuple(sorted(folder for folder in found if not any(other in folder.parents for other in found)))


def survey(source: FlowSource, folder: Path, timezone: str = "UTC") -> FolderSurvey:
    """The contents of the newest files of a folder.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    files = source.discover(folder, timezone).files
    records: dict[str, int] = defaultdict(int)
    left: dict[tuple[str, int], int] = defaultdict(int)
    entered: dict[tuple[str, int], int] = defaultdict(int)
    factors: dict[str, set[int]] = defaultdict(set)
    problems = []
    for file in files[-NEWEST_FILES:]:
        try:
            sent, named = _read(source, folder / file.path)
        except UnreadableFileError as problem:
            problems.append(f"{file.path}: {problem}")
            continue
        for seen in named:
            factors[seen.address].update([seen.factor] if seen.factor else [])
        for one in sent:
            records[one.exporter] += one.records
            entered[one.exporter, one.into] += one.bytes
            left[one.exporter, one.out] += one.bytes
    exporters = tuple(
        SeenExporter(address, _only(factors[address]), count, _ports(address, left, entered))
        for address, count in sorted(records.items(), key=lambda item: (-item[1], item[0]))
    )
    return FolderSurvey(folder, len(files), _rotation_s(files), exporters, tuple(problems))


def _read(source: FlowSource, path: Path) -> tuple[list[_Sent], list[Exporter]]:
    """What was sent, each exporter and pair of ports at least once, and the exporters that the file names."""
    file = source.open(path, source.identify(path))
    try:
        sent = list(_sent(file))
    except ReadAgainError:
        sent = list(_sent(file))
    return sent, list(file.exporters())


def _sent(file: FlowRecords) -> Iterator[_Sent]:
    for block in file.blocks():
        batch = block if isinstance(block, pa.RecordBatch) else block.batch()
        sums = (
            pa.Table.from_batches([batch]).group_by(list(_COLUMNS)).aggregate([("in_bytes", "sum"), ([], "count_all")])
        )
        for row in sums.to_pylist():
            if row["exporter_version"]:
                address = exporter_address(row["exporter_hi"], row["exporter_lo"])
                yield _Sent(
                    address, row["input_interface"], row["output_interface"], row["count_all"], row["in_bytes_sum"]
                )


def _ports(address: str, left: dict[tuple[str, int], int], entered: dict[tuple[str, int], int]) -> tuple[SeenPort, ...]:
    """Those with an index, by the bytes that left."""
    indexes = {index for sender, index in (*left, *entered) if sender == address and index > 0}
    ports = [SeenPort(index, left.get((address, index), 0), entered.get((address, index), 0)) for index in indexes]
    return tuple(sorted(ports, key=lambda port: (-port.left_bytes, -port.entered_bytes, port.snmp_index)))


def _rotation_s(files: Iterable[FolderFile]) -> int | None:
    starts = sorted({file.start_ms for file in files})
    steps = [(later - earlier) // 1000 for earlier, later in pairwise(starts)]
    return median_low(steps) if steps else None


def _only(factors: set[int]) -> int | None:
    return next(iter(factors)) if len(factors) == 1 else None
