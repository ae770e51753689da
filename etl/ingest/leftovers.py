"""Parts of the lake that no file has any more: of superseded readings, and of runs that were killed.

Neither looks at the whole history: what a run supersedes is known when it does, and what a killed run wrote lies in
folders that have changed since it began.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlalchemy import Engine

from hntes.etl.lake.part import folder_tag, remove_parts, sweep
from hntes.etl.lake.url import Lake, LakeUrl
from hntes.sql.entries import FileEntry, FilePart
from hntes.sql.ledger import files_of_content, files_of_folder, named_parts, part_names_of_folder
from hntes.sql.session import reading

# Digits of a file's hash in the names of its parts.
_HASH_DIGITS = 16
# File systems round times to two seconds at most.
_COARSE_NS = 2_000_000_000


def part_stem(folder: Path, sha256: str, ingest_hash: str) -> str:
    """The name of a file's parts without its ending: by folder, content, and the settings by which it was read."""
    return f"{folder_tag(folder)}-{sha256[:_HASH_DIGITS]}-{ingest_hash[:8]}"


def _set_aside(folder: Path, entry: FileEntry) -> str:
    """The part of a file's records that were set aside."""
    return f"set_aside/{part_stem(folder, entry.sha256, entry.ingest_hash)}.parquet"


class Superfluous:
    """What one run over a folder supersedes."""

    def __init__(self, engine: Engine, lake: Lake, folder: Path) -> None:
        self._engine, self._lake, self._folder = engine, lake, folder
        self._names: set[str] = set()
        self._hashes: set[str] = set()

    def add(self, before: FileEntry | None, former: Iterable[FilePart]) -> None:
        """Takes a file's former entry, and its former parts that its new entry does not have."""
        self.add_parts(part.part for part in former)
        if before is not None and before.state == "ingested":
            self._names.add(_set_aside(self._folder, before))
            self._hashes.add(before.sha256)

    def add_parts(self, names: Iterable[str]) -> None:
        """Takes parts that were written and replaced within the run."""
        self._names.update(names)

    def remove(self) -> int:
        """Removes all that no file of the ledger has; returns how many."""
        if not self._names:
            return 0
        with reading(self._engine) as session:
            wanted = set(named_parts(session, self._names))
            same = files_of_content(session, str(self._folder), self._hashes)
        wanted |= {_set_aside(self._folder, entry) for entry in same if entry.state == "ingested"}
        return remove_parts(self._lake, sorted(self._names - wanted))


def remove_leftovers(engine: Engine, lake: Lake, folder: Path, begun_ns: int) -> int:
    """Removes what a killed run over a folder left, begun at that moment by the lake's own clock; returns how many.

    The caller holds the folder's lock.
    """
    if isinstance(lake, LakeUrl):
        return _sweep_url(engine, lake, folder)
    found = {path.relative_to(lake).as_posix(): path for path in _written_since(lake, folder_tag(folder), begun_ns)}
    with reading(engine) as session:
        wanted = set(named_parts(session, found))
        if any(name.startswith("set_aside/") for name in found):
            entries = files_of_folder(session, str(folder))
            wanted |= {_set_aside(folder, entry) for entry in entries if entry.state == "ingested"}
    for name in found.keys() - wanted:
        found[name].unlink()
    return len(found.keys() - wanted)


def _written_since(lake: Path, tag: str, begun_ns: int) -> Iterator[Path]:
    """A folder's parts, and unfinished ones, in folders of the lake in which names have changed since."""
    # what was renamed has the time of its writing: the folder has that of the renaming
    for folder in (*lake.glob("flows/*/*"), lake / "set_aside"):
        if folder.is_dir() and folder.stat().st_mtime_ns >= begun_ns - _COARSE_NS:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries]
            yield from (folder / name for name in names if name.removeprefix(".").startswith(f"{tag}-"))


def _sweep_url(engine: Engine, lake: LakeUrl, folder: Path) -> int:
    """Where folders have no times, all of a lake is listed."""
    with reading(engine) as session:
        wanted = [part for _, part in part_names_of_folder(session, str(folder))]
        entries = files_of_folder(session, str(folder))
    stems = (_set_aside(folder, entry) for entry in entries if entry.state == "ingested")
    return sweep(lake, folder_tag(folder), [*wanted, *stems])
