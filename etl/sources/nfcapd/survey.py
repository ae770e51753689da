"""What the newest files of a flow folder say of those who sent them: for whoever writes the first settings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median_low

import pyarrow.compute as pc

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.nfcapd.folder import FolderFile, scan_folder
from hntes.etl.sources.nfcapd.nfdump import Nfdump, exporters, record_stream
from hntes.etl.sources.nfcapd.records import raw_tables

NEWEST_FILES = 3
# Folders that nfcapd makes below its own by date and time (-S): they are no flow folders by themselves.
_DATE_CHARACTERS = frozenset("0123456789-_")


@dataclass(frozen=True)
class SeenPort:
    """A port by its SNMP index, and the bytes that left and entered by it in the files looked at, unsampled."""

    snmp_index: int
    left_bytes: int
    entered_bytes: int


@dataclass(frozen=True)
class SeenExporter:
    """Who sent records: its address, its sampling (1 packet in `factor`, None if the files do not say), its ports."""

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


def flow_folders(top: Path) -> tuple[Path, ...]:
    """The folders at or below `top` into which a collector writes; what it sorts by date below is one folder."""
    found = set()
    for path in top.rglob("nfcapd.[0-9]*"):
        folder = path.parent
        while folder != top and set(folder.name) <= _DATE_CHARACTERS:
            folder = folder.parent
        found.add(folder)
    return tuple(sorted(folder for folder in found if not any(other in folder.parents for other in found)))


def survey(nfdump: Nfdump, folder: Path, timezone: str = "UTC") -> FolderSurvey:
    """What the newest files of a folder hold.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    files = scan_folder(folder, timezone).files
    records: dict[str, int] = defaultdict(int)
    left: dict[tuple[str, int], int] = defaultdict(int)
    entered: dict[tuple[str, int], int] = defaultdict(int)
    factors: dict[str, set[int]] = defaultdict(set)
    problems = []
    for file in files[-NEWEST_FILES:]:
        path = folder / file.path
        try:
            for seen in exporters(nfdump, path):
                factors[seen.address].update([seen.factor] if seen.factor else [])
            rows = list(_rows(nfdump, path))
        except (UnreadableFileError, ValueError) as problem:  # pyarrow.ArrowInvalid is a ValueError
            problems.append(f"{file.path}: {problem}")
            continue
        for address, into, out, octets, number in rows:
            records[address] += number
            entered[address, into] += octets
            left[address, out] += octets
    seen_exporters = tuple(
        SeenExporter(address, _only(factors[address]), count, _ports(address, left, entered))
        for address, count in sorted(records.items(), key=lambda item: (-item[1], item[0]))
    )
    return FolderSurvey(folder, len(files), _rotation_s(files), seen_exporters, tuple(problems))


def _rows(nfdump: Nfdump, path: Path) -> Iterator[tuple[str, int, int, int, int]]:
    """Exporter, port in, port out, bytes and records, each combination at least once."""
    with record_stream(nfdump, path) as stream:
        for table in raw_tables(stream, nfdump.output):
            address = pc.coalesce(table["ip4_router"], table["ip6_router"], "")
            columns = [address, *(pc.fill_null(table[name], 0) for name in ("input_snmp", "output_snmp", "in_bytes"))]
            named = table.from_arrays(columns, ["exporter", "into", "out", "bytes"])
            sums = named.group_by(["exporter", "into", "out"]).aggregate([("bytes", "sum"), ("bytes", "count")])
            for row in sums.to_pylist():
                if row["exporter"]:
                    yield row["exporter"], row["into"], row["out"], row["bytes_sum"], row["bytes_count"]


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
