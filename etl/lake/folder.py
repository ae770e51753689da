"""A lake in a folder of this machine."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import IO

from hntes.etl.days import day_of_ms
from hntes.etl.lake.store import FLOWS, SET_ASIDE, Leavings, Stored, day_of
from hntes.files import naming, replacing
from hntes.sql.entries import LakePart

# File systems round times to two seconds at most.
_COARSE_NS = 2_000_000_000


class FolderStore:
    """Parts are files, written under a temporary name, synced and renamed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def state(self) -> Path:
        """The lake itself."""
        return self._folder

    def at(self, name: str) -> str:
        """The part's path."""
        return str(self._folder / name)

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        """A stream whose content is the part's at the end of the block; after an error the part is as it was before."""
        path = self._folder / name
        # a run that follows a killed one sweeps: see `left_by`
        with replacing(path, sweep=False) as unfinished, unfinished.open("wb") as stream, naming(path):
            yield stream

    def remove(self, names: Iterable[str]) -> int:
        """Removes parts; those that are gone already are none. Returns how many were removed."""
        removed = 0
        for name in names:
            with suppress(FileNotFoundError):
                (self._folder / name).unlink()
                removed += 1
        return removed

    def missing(self, names: Collection[str]) -> set[str]:
        """Those of these parts that are not there."""
        return {name for name in names if not (self._folder / name).is_file()}

    def days(self) -> set[date]:
        """The days that any router has a folder of."""
        return {day for _, day in self._days(f"{FLOWS}/router=*")}

    def parts(self, until: date | None = None, since: date | None = None) -> Iterator[Stored]:
        """The parts of flows of all routers."""
        return self._of_days(f"{FLOWS}/router=*", until or date.max, since or date.min)

    def set_aside(self, until: date | None = None, since: date | None = None) -> Iterator[Stored]:
        """The parts of records that were set aside, by the day of their flow file, else by that of their writing."""
        first, last = since or date.min, until or date.max
        yield from self._of_days(SET_ASIDE, last, first)
        if (self._folder / SET_ASIDE).is_dir():
            yield from (part for part in self._stored(self._folder / SET_ASIDE, None) if first <= part.day <= last)

    def _of_days(self, above: str, until: date, since: date) -> Iterator[Stored]:
        for folder, day in self._days(above):
            if since <= day <= until:
                yield from self._stored(folder, day)

    def _stored(self, folder: Path, day: date | None) -> Iterator[Stored]:
        inside = folder.relative_to(self._folder).as_posix()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".parquet"):
                    with suppress(FileNotFoundError):  # a concurrent ingest may replace and delete files
                        facts = entry.stat()
                        written = day or day_of_ms(int(1000 * facts.st_mtime))
                        yield Stored(f"{inside}/{entry.name}", written, facts.st_size, facts.st_mtime)

    def _days(self, above: str) -> Iterator[tuple[Path, date]]:
        """The folders of days, and their days; what people put beside them (`day=2026-11-20.old`) is none."""
        for folder in self._folder.glob(f"{above}/day=*"):
            if day := day_of(folder.name):
                yield folder, day

    def left_by(self, killed: Leavings) -> set[str]:
        """The flow folder's files, finished or not, in folders of the lake in which names have changed since."""
        found = set()
        # what was renamed has the time of its writing: the folder has that of the renaming
        days = (*self._days(f"{FLOWS}/router=*"), *self._days(SET_ASIDE))
        for folder in (*(folder for folder, _ in days), self._folder / SET_ASIDE):
            if folder.is_dir() and folder.stat().st_mtime_ns >= killed.begun_ns - _COARSE_NS:
                with os.scandir(folder) as entries:
                    names = [entry.name for entry in entries if killed.is_mine(entry.name)]
                found |= {(folder / name).relative_to(self._folder).as_posix() for name in names}
        return found

    @contextmanager
    def nearby(self, parts: Sequence[LakePart]) -> Iterator[Path]:
        """The lake itself, after these parts were verified."""
        # a night that reads nothing itself goes without pyarrow
        from hntes.etl.lake.verify import verify_part

        for part in parts:
            verify_part(self._folder, part)
        yield self._folder
