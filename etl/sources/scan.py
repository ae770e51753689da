"""Flow folders: the files below one that match a source's names, with their start times."""

import itertools
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from statistics import median_low

from hntes.etl.errors import EtlError, FlowFolderError
from hntes.sanitize import shown


@dataclass(frozen=True, order=True)
class FolderFile:
    """A finished flow file: `path` relative to its folder, and the time in its name as epoch ms UTC."""

    start_ms: int
    path: str


@dataclass(frozen=True)
class Span:
    """The times [from_ms, to_ms) in names of files, epoch ms UTC; None leaves that end open."""

    from_ms: int | None = None
    to_ms: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it holds all times."""
        return self.from_ms is None and self.to_ms is None

    def has(self, moment_ms: int) -> bool:
        """Whether a file of that time lies in it."""
        return (self.from_ms is None or moment_ms >= self.from_ms) and (self.to_ms is None or moment_ms < self.to_ms)


ALWAYS = Span()


@dataclass(frozen=True)
class Refused:
    """An unreadable entry with the name of a collector's file; `file` if the ledger can record it."""

    path: str  # as it can be printed
    reason: str
    file: FolderFile | None = None


@dataclass(frozen=True)
class Scan:
    """The contents of a flow folder.

    refused: entries named like a collector's file that cannot be read, so that their flows are missing.
    unfinished: files that the collector is still writing, or left behind.
    ignored: names that are neither a collector's file nor one it is still writing.
    problems: what could not be looked into, each with its reason.
    """

    folder: Path
    files: tuple[FolderFile, ...]
    ignored: tuple[str, ...]
    problems: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    unfinished: tuple[str, ...] = ()


class UnusableNameError(EtlError):
    """A file name has the source's form, but an invalid value."""


def scan_folder(
    folder: Path,
    start_ms: Callable[[str], int | None],
    is_unfinished: Callable[[str], bool] = lambda _: False,
    span: Span = ALWAYS,
    is_beside: Callable[[str], bool] = lambda _: False,
) -> Scan:
    """The finished files under a folder (any depth) of a span of time, by time.

    `start_ms` gives the start of a file by its name, epoch ms UTC; None for names that are not the source's.
    `is_beside` may say sooner that a name surely has a time outside of the span: a folder has a hundred thousand names
    after a year.
    What the collector is still writing is passed over in silence. Links to folders are not followed, and links to files
    only where they stay within the folder.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    if not folder.is_dir():
        raise FlowFolderError(f"{folder}: no such flow folder; correct `flow_folder` in the settings")
    files, refused, ignored, unfinished = [], [], [], []
    names, problems = _walk(folder)
    for name, is_plain in sorted(names.items()):
        base = name.rpartition("/")[2]
        if base.startswith("."):
            continue
        if is_beside(base):
            continue
        if is_unfinished(base):
            unfinished.append(name)
            continue
        try:
            start = start_ms(base)
        except UnusableNameError as problem:
            refused.append(Refused(_shown(name), str(problem)))
            continue
        if start is None:
            ignored.append(_shown(name))
        elif not span.has(start):
            continue
        elif isinstance(found := _file(folder, name, start, is_plain), Refused):
            refused.append(found)
        else:
            files.append(found)
    return Scan(
        folder,
        tuple(sorted(files, key=attrgetter("start_ms", "path"))),
        tuple(ignored),
        tuple(sorted(problems)),
        tuple(refused),
        tuple(unfinished),
    )


def _file(folder: Path, name: str, start_ms: int, is_plain: bool) -> FolderFile | Refused:
    if not _is_utf8(name):
        return Refused(_shown(name), "its path is not UTF-8 and cannot be recorded; rename the folder or the file")
    file = FolderFile(start_ms, name)
    # a folder holds a hundred thousand of them after a year
    reason = "" if is_plain else _no_file(folder, folder / name)
    return Refused(name, reason, file) if reason else file


def _walk(folder: Path) -> tuple[dict[str, bool], list[str]]:
    """Names of all files below a folder, relative to it, and the folders among them that were not entered.

    With each name, whether it surely is a file and no link, pipe or the like, as its folder says.
    """
    names: dict[str, bool] = {}
    problems: list[str] = []

    def shown(path: str | Path) -> str:
        return _shown(Path(path).relative_to(folder).as_posix())

    def complain(error: OSError) -> None:
        problems.append(f"{shown(error.filename)}: this folder cannot be read: {error.strerror}")

    # Not os.walk, which goes one call deeper with each folder in Python 3.11 and ends in a traceback at a thousand.
    unread = [(folder, "")]
    while unread:
        path, prefix = unread.pop()
        try:
            with os.scandir(path) as entries:
                inside = list(entries)
        except OSError as error:
            complain(error)
            continue
        for entry in inside:
            if _is_plain(entry):
                names[prefix + entry.name] = True
            elif not _is_folder(entry):
                names[prefix + entry.name] = False
            elif entry.is_symlink():
                target = _shown(os.path.realpath(entry.path))
                problems.append(
                    f"{shown(entry.path)}: a link to a folder, which is not followed; its target {target} can be a "
                    "flow folder itself"
                )
            else:
                unread.append((Path(entry.path), f"{prefix}{entry.name}/"))
    return names, problems


def _is_plain(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:  # what is wrong with it is said where files are looked at
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a link in a circle; what is wrong with it is said where files are looked at
        return False


def is_there(folder: Path, file: FolderFile) -> bool:
    """Whether a file that was in the folder once is a file there now."""
    return (folder / file.path).exists() and not _no_file(folder, folder / file.path)


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
    return name.isascii() or os.fsencode(name).decode("utf-8", "replace") == name


def _shown(name: str) -> str:
    """A name as it can be stored and printed, whatever its bytes."""
    if name.isascii() and name.isprintable():
        return name
    return shown(os.fsencode(name).decode("utf-8", "backslashreplace"))


def usual_distance_s(starts_ms: Iterable[int]) -> int | None:
    """Seconds between two files of a collector: the median (the lower of two), None for fewer than two files."""
    gaps = [(b - a) // 1000 for a, b in itertools.pairwise(sorted(set(starts_ms)))]
    return median_low(gaps) if gaps else None
