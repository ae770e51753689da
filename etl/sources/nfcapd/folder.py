"""Flow folders: which files in them are the collector's, and what minute each one covers."""

import itertools
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median_low
from zoneinfo import ZoneInfo

from hntes.days import day_problem
from hntes.etl.errors import FlowFolderError
from hntes.sanitize import shown

_NAME = re.compile(r"nfcapd\.(?P<minute>[0-9]{12})(?P<second>[0-9]{2})?")


@dataclass(frozen=True, order=True)
class FolderFile:
    """A finished nfcapd file: `path` relative to its folder, and the time in its name as epoch ms UTC."""

    start_ms: int
    path: str


@dataclass(frozen=True)
class Refused:
    """What has the name of a collector's file and is none that can be read; `file` where the ledger can record it."""

    path: str  # as it can be printed
    reason: str
    file: FolderFile | None = None


@dataclass(frozen=True)
class Scan:
    """What a flow folder holds.

    refused: what is named like a collector's file and cannot be read: somebody expects its flows.
    ignored: names that are neither a collector's file nor one it is still writing.
    problems: what could not be looked into, each with its reason.
    """

    folder: Path
    files: tuple[FolderFile, ...]
    ignored: tuple[str, ...]
    problems: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()


def scan_folder(folder: Path, timezone: str = "UTC") -> Scan:
    """The collector's finished files under a folder (any depth), by time.

    Links to folders are not followed, and links to files only where they stay within the folder. nfcapd names files by
    local time unless it is told otherwise; `timezone` is the collector's.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    if not folder.is_dir():
        raise FlowFolderError(f"{folder}: no such flow folder; correct `flow_folder` in the settings")
    zone = ZoneInfo(timezone)
    files, refused, ignored = [], [], []
    names, problems = _walk(folder)
    for name in sorted(names):
        base = name.rpartition("/")[2]
        if base.startswith((".", "nfcapd.current")):
            continue
        if not _NAME.fullmatch(base):
            ignored.append(_shown(name))
        elif isinstance(found := _file(folder, name, zone), Refused):
            refused.append(found)
        else:
            files.append(found)
    return Scan(folder, tuple(sorted(files)), tuple(ignored), tuple(sorted(problems)), tuple(refused))


def _file(folder: Path, name: str, zone: ZoneInfo) -> FolderFile | Refused:
    start_ms = _start_ms(name.rpartition("/")[2], zone)
    if start_ms is None:
        return Refused(_shown(name), "its name holds a date or time that does not exist or cannot be meant")
    if not _is_utf8(name):
        return Refused(_shown(name), "its path is not UTF-8 and cannot be recorded; rename the folder or the file")
    file = FolderFile(start_ms, name)
    reason = _no_file(folder, folder / name)
    return Refused(name, reason, file) if reason else file


def _walk(folder: Path) -> tuple[list[str], list[str]]:
    """Names of all files below a folder, relative to it, and the folders among them that were not entered."""
    names: list[str] = []
    problems: list[str] = []

    def shown(path: str | Path) -> str:
        return _shown(Path(path).relative_to(folder).as_posix())

    def complain(error: OSError) -> None:
        problems.append(f"{shown(error.filename)}: this folder cannot be read: {error.strerror}")

    # Not os.walk, which goes one call deeper with each folder in Python 3.11 and ends in a traceback at a thousand.
    unread = [folder]
    while unread:
        try:
            with os.scandir(unread.pop()) as entries:
                inside = list(entries)
        except OSError as error:
            complain(error)
            continue
        for entry in inside:
            if not _is_folder(entry):
                names.append(Path(entry.path).relative_to(folder).as_posix())
            elif entry.is_symlink():
                problems.append(f"{shown(entry.path)}: a link to a folder, which is not followed")
            else:
                unread.append(Path(entry.path))
    return names, problems


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a link in a circle; what is wrong with it is said where files are looked at
        return False


def _no_file(folder: Path, path: Path) -> str:
    """Why a path is surely no file of the collector; "" where it may be, such as one that may not be looked at."""
    try:
        if path.is_symlink() and not path.resolve(strict=True).is_relative_to(folder.resolve()):
            return "it is a link out of the flow folder, which is not followed; put the file itself in its place"
        if not stat.S_ISREG(path.stat().st_mode):
            return "it is not a file but a pipe, a device or a socket"
    except PermissionError:
        return ""
    except FileNotFoundError:
        return "it is a link to a file that does not exist" if path.is_symlink() else ""
    except (OSError, RuntimeError) as problem:  # RuntimeError: how Python 3.11 calls a link in a circle
        return f"it cannot be looked at: {getattr(problem, 'strerror', None) or 'a link in a circle'}"
    return ""


def _is_utf8(name: str) -> bool:
    return os.fsencode(name).decode("utf-8", "replace") == name


def _shown(name: str) -> str:
    """A name as it can be stored and printed, whatever its bytes."""
    return shown(os.fsencode(name).decode("utf-8", "backslashreplace"))


def usual_distance_s(starts_ms: Iterable[int]) -> int | None:
    """Seconds between two files of a collector: the median (the lower of two), None for fewer than two files."""
    gaps = [(b - a) // 1000 for a, b in itertools.pairwise(sorted(set(starts_ms)))]
    return median_low(gaps) if gaps else None


def _start_ms(name: str, zone: ZoneInfo) -> int | None:
    match = _NAME.fullmatch(name)
    if not match:
        return None
    try:
        start = datetime.strptime(match["minute"] + (match["second"] or "00"), "%Y%m%d%H%M%S")
    except ValueError:
        return None
    # a year in which sums of days leave the calendar
    if day_problem(start.date()):
        return None
    return int(start.replace(tzinfo=zone).timestamp()) * 1000
