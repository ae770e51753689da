"""The names of all files below a flow folder, as the operating system lists them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from hntes._native import FolderNames
from hntes.etl.errors import FolderAwayError
from hntes.etl.sources.folder_error import folder_error
from hntes.sanitize import shown


@dataclass(frozen=True)
class Listing:
    """All files at and below a flow folder, without those whose names begin with a dot.

    usual: those that surely are files and no links, pipes or the like, and whose paths are printable ASCII.
    others: the paths of all others, sorted, each with whether it surely is a file.
    problems: what was not entered, each with its reason.
    """

    usual: FolderNames
    others: tuple[tuple[str, bool], ...]
    problems: tuple[str, ...]


_HELD: ContextVar[dict[Path, Listing] | None] = ContextVar("_HELD", default=None)


@contextmanager
def listed_once() -> Iterator[None]:
    """Within it each flow folder is listed only once, by this thread: for several scans of one moment."""
    if _HELD.get() is not None:
        yield
        return
    token = _HELD.set({})
    try:
        yield
    finally:
        _HELD.reset(token)


def listing(folder: Path) -> Listing:
    """The names below a folder; links to folders are not followed.

    Raises:
        FolderAwayError: the folder itself cannot be listed for a reason that may pass.
    """
    held = _HELD.get()
    if held is None:
        return _listed(folder)
    if folder not in held:
        held[folder] = _listed(folder)
    return held[folder]


def printable(path: str) -> str:
    """A path as it can be stored and printed, whatever its bytes."""
    if path.isascii() and path.isprintable():
        return path
    return shown(os.fsencode(path).decode("utf-8", "backslashreplace"))


def _listed(folder: Path) -> Listing:
    names = FolderNames(folder)
    for path, error in names.unreadable:
        # an empty folder would be a day without flow files, and is not tried again
        if not path and isinstance(away := folder_error(folder, error), FolderAwayError):
            raise away
    problems = [
        f"{printable(path.rstrip('/') or '.')}: this folder cannot be read: {os.strerror(error)}"
        for path, error in names.unreadable
    ]
    others = [(path, True) for path in names.odd]
    for path in names.special:
        if _is_folder(folder / path):
            target = printable(os.path.realpath(folder / path))
            problems.append(
                f"{printable(path)}: a link to a folder, which is not followed; its target {target} can be a flow "
                "folder itself"
            )
        elif not path.rpartition("/")[2].startswith("."):
            others.append((path, False))
    return Listing(names, tuple(sorted(others)), tuple(sorted(problems)))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # such as one in a folder that may not be entered
        return False


def paths(by_folder: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """The paths of names that are given by the prefix of their folder."""
    return [prefix + name for prefix, names in by_folder for name in names]
