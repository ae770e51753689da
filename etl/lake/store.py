"""What a lake can do, wherever its parts are: in a folder of this machine, on a shared file system, or as objects.

Names are relative to the lake: `flows/router=ROUTER/day=DAY/STEM.parquet`, which the ledger has, and, of the records
of a flow file of that day that were set aside, `set_aside/day=DAY/STEM.parquet`. Those of version 1.0.0rc1 and before
(`set_aside/STEM.parquet`) stay where they are until their file is read again, or until they are pruned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, Protocol

from hntes.etl.lake.url import Lake, LakeUrl
from hntes.sql.entries import LakePart

FLOWS, SET_ASIDE = "flows", "set_aside"


@dataclass(frozen=True)
class Stored:
    """A part in a lake: its name there, its size, and when it was written (epoch s, by the clock of the store)."""

    name: str
    day: date
    bytes: int
    written_s: float


@dataclass(frozen=True)
class Leavings:
    """Where a run that was killed may have left something.

    Attributes:
        tag: What names of its flow folder's parts begin with.
        begun_ns: When it began, by the lake's own clock if that is a folder's.
        routers: Whose parts it wrote.
        days: Between which days its files' records are, both included; None: unknown.
        aside: Names of the parts that it may have set aside; None: unknown.
    """

    tag: str
    begun_ns: int
    routers: tuple[str, ...]
    days: tuple[date, date] | None = None
    aside: frozenset[str] | None = None

    def has(self, day: date) -> bool:
        """Whether it may have written a part of that day."""
        return self.days is None or self.days[0] <= day <= self.days[1]

    def is_mine(self, file_name: str) -> bool:
        """Whether a file, finished or not, belongs to its flow folder."""
        return file_name.removeprefix(".").startswith(f"{self.tag}-")


class Store(Protocol):
    """A lake, opened.

    Everything here raises LakeAwayError while the store cannot be reached, and LakeError where it refuses.
    """

    @property
    def state(self) -> Path:
        """The folder of locks and marks of unfinished work, on this machine."""

    def at(self, name: str) -> str:
        """Where a part is, for people: a path or an address."""

    def writing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A stream whose content is the part's at the end of the block; after an error the part is as it was before."""

    def remove(self, names: Iterable[str]) -> int:
        """Removes parts; those that are gone already are none. Returns how many were removed."""

    def missing(self, names: Collection[str]) -> set[str]:
        """Those of these parts that are not there."""

    def days(self) -> set[date]:
        """The days of flows that any router has; in a folder also one whose last part was just removed."""

    def parts(self, until: date | None = None, since: date | None = None) -> Iterator[Stored]:
        """The parts of flows of all routers, of days from `since` up to `until` (None: all); in no order."""

    def set_aside(self, until: date | None = None, since: date | None = None) -> Iterator[Stored]:
        """The parts of records that were set aside, by the day of their flow file, else by that of their writing."""

    def left_by(self, killed: Leavings) -> set[str]:
        """Names of all that a killed run may have left; some may be in the ledger."""

    def nearby(self, parts: Sequence[LakePart]) -> AbstractContextManager[Path]:
        """A folder that has these parts under their names, each verified against the ledger.

        Raises:
            ChangedPartError: a part is not what was written.
            GonePartError: a part that the ledger names is missing.
        """


def store_of(lake: Lake) -> Store:
    """Opens a lake; nothing is asked of it yet."""
    if not isinstance(lake, LakeUrl):
        from hntes.etl.lake.folder import FolderStore

        return FolderStore(lake)
    # loaded where there is such a lake: most are folders
    if lake.is_objects:
        from hntes.etl.lake.objects import ObjectStore

        return ObjectStore(lake)
    from hntes.etl.lake.shared import SharedStore

    return SharedStore(lake)


def part_name(router: str, day: date, stem: str) -> str:
    """The name of a part of flows."""
    return f"{FLOWS}/router={router}/day={day.isoformat()}/{stem}.parquet"


def set_aside_name(stem: str, day: date | None) -> str:
    """The name of the part of a file's records that were set aside; `day` is the file's (None: as before 1.0.0)."""
    return f"{SET_ASIDE}/day={day.isoformat()}/{stem}.parquet" if day else f"{SET_ASIDE}/{stem}.parquet"


def day_of(folder: str) -> date | None:
    """The day whose parts a folder of this name has (`day=2026-11-20`, alone or below others); None: it is not one."""
    name = folder.rpartition("/")[2]
    try:
        return date.fromisoformat(name.removeprefix("day=")) if name.startswith("day=") else None
    except ValueError:
        return None
