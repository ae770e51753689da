"""Flow folders: which files in them are the collector's, and what minute each one covers."""

import itertools
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from etl.errors import FlowFolderError

_NAME = re.compile(r"nfcapd\.(?P<minute>[0-9]{12})(?P<second>[0-9]{2})?")
DEFAULT_ROTATION_S = 300


@dataclass(frozen=True, order=True)
class FolderFile:
    """A finished nfcapd file: `path` relative to its folder, and the time in its name as epoch ms UTC."""

    start_ms: int
    path: str


@dataclass(frozen=True)
class Scan:
    """What a flow folder holds.

    ignored: names that are neither a collector's file nor one it is still writing.
    problems: what could not be looked into, each with its reason.
    """

    folder: Path
    files: tuple[FolderFile, ...]
    ignored: tuple[str, ...]
    problems: tuple[str, ...] = ()


def scan_folder(folder: Path, timezone: str = "UTC") -> Scan:
    """The collector's finished files under a folder (any depth; links to folders are not followed), by time.

    nfcapd names files by local time unless it is told otherwise; `timezone` is the collector's.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    if not folder.is_dir():
        raise FlowFolderError(f"{folder}: no such flow folder; correct `flow_folder` in the settings")
    zone = ZoneInfo(timezone)
    files, ignored = [], []
    names, problems = _walk(folder)
    for name in sorted(names):
        base = name.rpartition("/")[2]
        if base.startswith((".", "nfcapd.current")):
            continue
        start_ms = _start_ms(base, zone)
        if start_ms is None or not _is_utf8(name) or not _may_be_file(folder / name):
            ignored.append(_shown(name))
        else:
            files.append(FolderFile(start_ms, name))
    return Scan(folder, tuple(sorted(files)), tuple(ignored), tuple(sorted(problems)))


def _walk(folder: Path) -> tuple[list[str], list[str]]:
    """Names of all files below a folder, relative to it, and the folders among them that were not entered."""
    names: list[str] = []
    problems: list[str] = []

    def shown(path: str | Path) -> str:
        return _shown(Path(path).relative_to(folder).as_posix())

    def complain(error: OSError) -> None:
        problems.append(f"{shown(error.filename)}: this folder cannot be read: {error.strerror}")

    for root, folders, files in os.walk(folder, onerror=complain):
        names += [(Path(root) / name).relative_to(folder).as_posix() for name in files]
        for name in folders:
            if (Path(root) / name).is_symlink():
                problems.append(f"{shown(Path(root) / name)}: a link to a folder, which is not followed")
    return names, problems


def _may_be_file(path: Path) -> bool:
    """False for what is surely no file; one that may not be looked at is reported when it is read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


def _is_utf8(name: str) -> bool:
    return os.fsencode(name).decode("utf-8", "replace") == name


def _shown(name: str) -> str:
    """A name as it can be stored and printed, whatever its bytes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def rotation_s(starts_ms: Iterable[int]) -> int:
    """Seconds between two files of a collector: the most common distance, 300 where there is none to measure."""
    ordered = sorted(set(starts_ms))
    gaps = Counter((b - a) // 1000 for a, b in itertools.pairwise(ordered))
    if not gaps:
        return DEFAULT_ROTATION_S
    most = max(gaps.values())
    return min(gap for gap, count in gaps.items() if count == most)


def _start_ms(name: str, zone: ZoneInfo) -> int | None:
    match = _NAME.fullmatch(name)
    if not match:
        return None
    try:
        start = datetime.strptime(match["minute"] + (match["second"] or "00"), "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return int(start.replace(tzinfo=zone).timestamp()) * 1000
