"""The names of all files below a flow folder, as the operating system lists them."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from hntes.sanitize import shown


@dataclass(frozen=True)
class Inside:
    """The files directly in one folder, without those whose names begin with a dot.

    prefix: of their paths below the flow folder, "" or ending with a slash.
    names: of those that surely are files and no links, pipes or the like, and whose paths are printable ASCII; sorted.
    others: of all others, each with whether it surely is a file.
    """

    prefix: str
    names: tuple[str, ...]
    others: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class Listing:
    """All folders at and below a flow folder, and what was not entered, each with its reason."""

    folders: tuple[Inside, ...]
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
    """The names below a folder; links to folders are not followed."""
    held = _HELD.get()
    if held is None:
        return _walked(folder)
    if folder not in held:
        held[folder] = _walked(folder)
    return held[folder]


def printable(path: str) -> str:
    """A path as it can be stored and printed, whatever its bytes."""
    if path.isascii() and path.isprintable():
        return path
    return shown(os.fsencode(path).decode("utf-8", "backslashreplace"))


@dataclass
class _Walk:
    """Folders still to be entered, each with the prefix of its files' paths."""

    folder: Path
    unread: list[tuple[str, str]]
    problems: list[str] = field(default_factory=list)

    def inside(self, path: str, prefix: str) -> Inside | None:
        """The files in a folder; its folders are entered later."""
        try:
            with os.scandir(path) as scanned:
                entries = list(scanned)
        except OSError as error:
            self.problems.append(f"{self._shown(path)}: this folder cannot be read: {error.strerror}")
            return None
        try:
            plain = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        except OSError:  # what is wrong with one of them is said where files are looked at
            plain = [entry.name for entry in entries if _is_plain(entry)]
        others = []
        if len(plain) < len(entries):
            others = [
                (entry.name, False) for entry in entries if not _is_plain(entry) and not self._entered(entry, prefix)
            ]
        if not _is_ordinary(prefix + "".join(plain)):
            others += [(name, True) for name in plain if not _is_ordinary(prefix + name)]
            plain = [name for name in plain if _is_ordinary(prefix + name)]
        plain.sort()
        # those with a dot come together
        del plain[bisect_left(plain, ".") : bisect_left(plain, "/")]
        return Inside(prefix, tuple(plain), tuple(each for each in others if not each[0].startswith(".")))

    def _entered(self, entry: os.DirEntry[str], prefix: str) -> bool:
        """Whether it is a folder: it is entered later, or it is said why not."""
        if not _is_folder(entry):
            return False
        if entry.is_symlink():
            target = printable(os.path.realpath(entry.path))
            self.problems.append(
                f"{self._shown(entry.path)}: a link to a folder, which is not followed; its target {target} can be a "
                "flow folder itself"
            )
        else:
            self.unread.append((entry.path, f"{prefix}{entry.name}/"))
        return True

    def _shown(self, path: str) -> str:
        return printable(Path(path).relative_to(self.folder).as_posix())


def _walked(folder: Path) -> Listing:
    # Not os.walk, which goes one call deeper with each folder in Python 3.11 and ends in a traceback at a thousand.
    walk = _Walk(folder, [(str(folder), "")])
    found = []
    while walk.unread:
        if (inside := walk.inside(*walk.unread.pop())) is not None:
            found.append(inside)
    return Listing(tuple(sorted(found, key=lambda one: one.prefix)), tuple(sorted(walk.problems)))


def _is_ordinary(text: str) -> bool:
    return text.isascii() and (text.isprintable() or not text)


def _is_plain(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a link in a circle
        return False
