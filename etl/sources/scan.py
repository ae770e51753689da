"""Flow folders: the files below one that match a source's names, with their start times."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple, overload

from hntes.etl.errors import EtlError
from hntes.etl.sources.folder_error import require_folder
from hntes.etl.sources.listing import listing, paths, printable

if TYPE_CHECKING:
    from hntes._native import FolderNames


class FolderFile(NamedTuple):
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
    ignored: Sequence[str]
    problems: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    unfinished: tuple[str, ...] = ()


class UnusableNameError(EtlError):
    """A file name has the source's form, but an invalid value."""


class Ignored(Sequence[str]):
    """Paths as they can be printed, made when one asks for them: a source without files ignores a whole folder."""

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return tuple(map(printable, sorted(self._find())))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._paths[index]

    def __len__(self) -> int:
        return len(self._paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._paths == tuple(other)

    def __hash__(self) -> int:
        return hash(self._paths)


@dataclass
class Sifted:
    """Names of files by what a source sees in them; those that surely lie outside of a span are dropped.

    files: those with a time. others: paths to be looked at one by one. ignored: gives paths that are surely not the
    source's, nor unfinished ones of it.
    """

    files: list[FolderFile] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    ignored: Callable[[], Iterable[str]] = tuple


def _unsifted(names: FolderNames) -> Sifted:
    return Sifted(others=paths(names.ending((), is_so=False)))


def scan_folder(
    folder: Path,
    start_ms: Callable[[str], int | None],
    is_unfinished: Callable[[str], bool] = lambda _: False,
    span: Span = ALWAYS,
    sift: Callable[[FolderNames], Sifted] = _unsifted,
) -> Scan:
    """The finished files under a folder (any depth) of a span of time, by time.

    `start_ms` gives the start of a file by its name, epoch ms UTC; None for names that are not the source's.
    `sift` may say the same sooner of many names: a folder has a hundred thousand after a year.
    What the collector is still writing is passed over in silence. Links to folders are not followed, and links to files
    only where they stay within the folder.

    Raises:
        FlowFolderError: the folder does not exist, or may not be looked at.
        FolderAwayError: its file system has another error, which may pass.
    """
    require_folder(folder)
    listed = listing(folder)
    sifted = sift(listed.usual)
    found = _Found(folder, sifted.files)
    singly = [*((path, True) for path in sifted.others), *listed.others]
    for path, is_plain in sorted(singly):
        name = path.rpartition("/")[2]
        if is_unfinished(name):
            found.unfinished.append(path)
            continue
        try:
            start = start_ms(name)
        except UnusableNameError as problem:
            found.refused.append(Refused(printable(path), str(problem)))
            continue
        if start is None:
            found.ignored.append(path)
        elif span.has(start):
            found.add(path, start, is_plain)
    return found.scan(listed.problems, sifted.ignored)


@dataclass
class _Found:
    """The files of one flow folder, sorted as they are found."""

    folder: Path
    files: list[FolderFile]
    refused: list[Refused] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    def add(self, path: str, start_ms: int, is_plain: bool) -> None:
        """Takes a path whose name has a time; a file, or what only has the name of one."""
        if not _is_utf8(path):
            reason = "its path is not UTF-8 and cannot be recorded; rename the folder or the file"
            self.refused.append(Refused(printable(path), reason))
            return
        file = FolderFile(start_ms, path)
        if reason := "" if is_plain else _no_file(self.folder, self.folder / path):
            self.refused.append(Refused(path, reason, file))
        else:
            self.files.append(file)

    def scan(self, problems: tuple[str, ...], more_ignored: Callable[[], Iterable[str]]) -> Scan:
        """All of it in order."""
        ignored = Ignored(lambda: (*self.ignored, *more_ignored()))
        refused, unfinished = tuple(self.refused), tuple(self.unfinished)
        return Scan(self.folder, tuple(sorted(self.files)), ignored, problems, refused, unfinished)


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


def usual_distance_s(starts_ms: Iterable[int]) -> int | None:
    """Seconds between two files of a collector: the median (the lower of two), None for fewer than two files."""
    gaps = [(b - a) // 1000 for a, b in itertools.pairwise(sorted(set(starts_ms)))]
    return median_low(gaps) if gaps else None
