"""Flow folders: which files in them are the collector's, and what minute each one covers."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from etl.errors import FlowFolderError

_NAME = re.compile(r"^nfcapd\.(?P<minute>\d{12})(?P<second>\d{2})?$")
DEFAULT_ROTATION_S = 300


@dataclass(frozen=True, order=True)
class FolderFile:
    """A finished nfcapd file: `path` relative to its folder, and the time in its name as epoch ms UTC."""

    start_ms: int
    path: str


@dataclass(frozen=True)
class Scan:
    """What a flow folder holds. `ignored` are names that are neither a collector's file nor one it is still writing."""

    folder: Path
    files: tuple[FolderFile, ...]
    ignored: tuple[str, ...]


def scan_folder(folder: Path, timezone: str = "UTC") -> Scan:
    """The collector's finished files under a folder (any depth), in the order of their time.

    nfcapd names files by local time unless it is told otherwise; `timezone` is the collector's.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    if not folder.is_dir():
        raise FlowFolderError(f"{folder}: no such flow folder; correct `flow_folder` in the settings")
    zone = ZoneInfo(timezone)
    files, ignored = [], []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.startswith((".", "nfcapd.current")):
            continue
        name = path.relative_to(folder).as_posix()
        start_ms = _start_ms(path.name, zone)
        if start_ms is None:
            ignored.append(name)
        else:
            files.append(FolderFile(start_ms, name))
    return Scan(folder, tuple(sorted(files)), tuple(ignored))


def rotation_s(starts_ms: Iterable[int]) -> int:
    """Seconds between two files of a collector: the most common distance, 300 where there is none to measure."""
    ordered = sorted(set(starts_ms))
    gaps = Counter((b - a) // 1000 for a, b in itertools.pairwise(ordered))
    if not gaps:
        return DEFAULT_ROTATION_S
    most = max(gaps.values())
    return min(gap for gap, count in gaps.items() if count == most)


def _start_ms(name: str, zone: ZoneInfo) -> int | None:
    match = _NAME.match(name)
    if not match:
        return None
    try:
        start = datetime.strptime(match["minute"] + (match["second"] or "00"), "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return int(start.replace(tzinfo=zone).timestamp()) * 1000
