"""Parts of the lake that no file has any more: of superseded readings, and of runs that were killed.

Neither looks at the whole history: what a run supersedes is known when it does, and what a killed run wrote lies in
folders that have changed since it began, or belongs to the files that it had marked (etl/ingest/unfinished.py).
"""

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Engine

from hntes.etl.days import day_of_ms
from hntes.etl.ingest.part_names import content_key, key_of, part_stem
from hntes.etl.lake.store import SET_ASIDE, Leavings, set_aside_name, store_of
from hntes.etl.lake.url import Lake
from hntes.sql.entries import FileEntry, FilePart
from hntes.sql.ledger import files_of_content, files_of_folder, named_parts
from hntes.sql.session import reading


def _set_aside(folder: Path, entry: FileEntry) -> str:
    """The part of a file's records that were set aside."""
    return set_aside_name(part_stem(folder, entry.sha256, entry.ingest_hash), day_of_ms(entry.file_start_ms))


def _former_set_aside(folder: Path, entry: FileEntry) -> str:
    """The same where it was written before there were days."""
    return set_aside_name(part_stem(folder, entry.sha256, entry.ingest_hash), None)


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
            self._names |= {_set_aside(self._folder, before), _former_set_aside(self._folder, before)}
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
        return store_of(self._lake).remove(sorted(self._names - wanted))


def remove_leftovers(engine: Engine, lake: Lake, folder: Path, killed: Leavings) -> int:
    """Removes what a killed run over a folder left; returns how many.

    The caller holds the folder's lock.
    """
    store = store_of(lake)
    found = store.left_by(killed)
    with reading(engine) as session:
        wanted = set(named_parts(session, found))
        if aside := {name for name in found if name.startswith(f"{SET_ASIDE}/")}:
            entries = files_of_folder(session, str(folder), state="ingested")
            known = {content_key(entry.sha256, entry.ingest_hash) for entry in entries}
            wanted |= {name for name in aside if key_of(name) in known}
    return store.remove(sorted(found - wanted))
