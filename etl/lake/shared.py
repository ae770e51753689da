"""A lake on a file system that machines share by URL (hdfs:, file:), through pyarrow."""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import IO, TypeVar

import pyarrow as pa
from pyarrow import fs

from hntes.etl.days import day_of_ms
from hntes.etl.errors import GonePartError, LakeError
from hntes.etl.lake.outage import asking
from hntes.etl.lake.pieces import in_pieces
from hntes.etl.lake.scratch import PARTS, in_scratch, scratch_folder
from hntes.etl.lake.store import FLOWS, SET_ASIDE, Leavings, Stored, day_of
from hntes.etl.lake.url import LakeUrl
from hntes.etl.lake.verify import copy_verified
from hntes.files import temporary_name
from hntes.sql.entries import LakePart

T = TypeVar("T")
R = TypeVar("R")

# Requests side by side: each waits for an answer most of its time.
_MOST_REQUESTS = 8


class SharedStore:
    """Parts are files, written under a temporary name and renamed."""

    def __init__(self, lake: LakeUrl) -> None:
        self._lake = lake

    @property
    def state(self) -> Path:
        """The driver's folder for this lake."""
        return self._lake.state

    def at(self, name: str) -> str:
        """The part's address."""
        return f"{self._lake}/{name}"

    @functools.cached_property
    def _system(self) -> fs.FileSystem:
        return _file_system(self._lake.scheme, self._lake.place[0])

    @property
    def _base(self) -> str:
        """Where the lake begins, as its file system names it."""
        return f"/{self._lake.place[1]}"

    def _path(self, name: str) -> str:
        return f"{self._base}/{name}"

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        """A stream whose content is the part's at the end of the block; after an error the part is as it was before."""
        path = self._path(name)
        folder, _, last = path.rpartition("/")
        unfinished = f"{folder}/{temporary_name(last)}"
        with asking(self._lake):
            self._system.create_dir(folder, recursive=True)
            stream = self._system.open_output_stream(unfinished)
        try:
            with stream:
                yield stream
            with asking(self._lake):
                if self._system.type_name == "hdfs" and self._is_there(path):
                    self._system.delete_file(path)  # HDFS renames onto nothing that is there; the content is the same
                self._system.move(unfinished, path)
        except BaseException:
            with asking(self._lake):
                self._system.delete_file(unfinished)
            raise

    def remove(self, names: Iterable[str]) -> int:
        """Removes parts; those that are gone already are none. Returns how many were removed."""
        # what is given to the threads is kept for all of them
        return sum(sum(_side_by_side(self._remove, some)) for some in in_pieces(names))

    def missing(self, names: Collection[str]) -> set[str]:
        """Those of these parts that are not there: one listing for each router and day, or folder, of them."""
        folders = {name.rpartition("/")[0] for name in names}
        there = {info.path for found in _side_by_side(self._listed, folders) for info in found if info.is_file}
        return {name for name in names if self._path(name) not in there}

    def days(self) -> set[date]:
        """The days of its parts: where files are objects, a folder may outlive its last one."""
        return {part.day for part in self.parts()}

    def parts(self, until: date | None = None, since: date | None = None) -> Iterator[Stored]:
        """The parts of flows of all routers; what is not of these days is not listed."""
        for router in self._folders(FLOWS):
            yield from self._of_router(router, until or date.max, since or date.min)

    def _of_router(self, router: str, until: date, since: date) -> Iterator[Stored]:
        if since == date.min:
            # One listing of all is cheaper than one a day: of days that were removed a store may keep an empty object,
            # and there are ever more of them.
            yield from (part for part in self._stored(self._listed(router, recursive=True)) if part.day <= until)
            return
        days = [folder for folder in self._folders(router) if (day := day_of(folder)) and since <= day <= until]
        for found in _side_by_side(self._listed, days):
            yield from self._stored(found)

    def set_aside(self, until: date | None = None, since: date | None = None) -> Iterator[Stored]:
        """The parts of records that were set aside, by the day of their flow file, else by that of their writing."""
        first, last = since or date.min, until or date.max
        if first == date.min:
            yield from (part for part in self._stored(self._listed(SET_ASIDE, recursive=True)) if part.day <= last)
            return
        lying = self._listed(SET_ASIDE)
        yield from (part for part in self._stored(lying) if first <= part.day <= last)
        folders = [self._name(info) for info in lying if info.type == fs.FileType.Directory]
        days = [folder for folder in folders if (day := day_of(folder)) and first <= day <= last]
        for found in _side_by_side(self._listed, days):
            yield from self._stored(found)

    def left_by(self, killed: Leavings) -> set[str]:
        """The flow folder's files of these routers and days, and of what was set aside those by the run's names."""
        routers = [f"{FLOWS}/router={router}" for router in killed.routers]
        days = [each for found in _side_by_side(self._folders, routers) for each in found]
        wanted = [folder for folder in days if (day := day_of(folder)) and killed.has(day)]
        if killed.aside is None:
            wanted += [SET_ASIDE, *self._folders(SET_ASIDE)]
        lying = [info for found in _side_by_side(self._listed, wanted) for info in found if info.is_file]
        names = {self._name(info) for info in lying if killed.is_mine(info.base_name)}
        aside = killed.aside or frozenset()
        return names | (aside - self.missing(aside) if aside else aside)

    @contextmanager
    def nearby(self, parts: Sequence[LakePart]) -> Iterator[Path]:
        """Copies for the time of the block, some 20 bytes a record, in the folder for temporary files (TMPDIR)."""
        with scratch_folder(PARTS) as folder:
            _side_by_side(lambda part: self._copy(part, folder / part.part), dict.fromkeys(parts))
            yield folder

    def _copy(self, part: LakePart, copy: Path) -> None:
        with in_scratch(copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            with asking(self._lake, may_be_gone=True):
                source = self._system.open_input_stream(self._path(part.part))
        except FileNotFoundError as cause:
            raise GonePartError.of(self.at(part.part)) from cause
        with source:
            copy_verified(lambda size: self._read(source, size), copy, part, self.at(part.part))

    def _read(self, source: IO[bytes], size: int) -> bytes:
        with asking(self._lake):
            return source.read(size)

    def _remove(self, name: str) -> bool:
        try:
            with asking(self._lake, may_be_gone=True):
                self._system.delete_file(self._path(name))
        except FileNotFoundError:
            return False
        return True

    def _is_there(self, path: str) -> bool:
        return bool(self._system.get_file_info(path).is_file)

    def _listed(self, folder: str, *, recursive: bool = False) -> list[fs.FileInfo]:
        selector = fs.FileSelector(self._path(folder), allow_not_found=True, recursive=recursive)
        with asking(self._lake):
            return list(self._system.get_file_info(selector))

    def _folders(self, folder: str) -> list[str]:
        """The folders in a folder, by their names in the lake."""
        return sorted(self._name(info) for info in self._listed(folder) if info.type == fs.FileType.Directory)

    def _name(self, info: fs.FileInfo) -> str:
        return str(info.path).removeprefix(self._base).strip("/")

    def _stored(self, found: Iterable[fs.FileInfo]) -> Iterator[Stored]:
        for info in found:
            name = self._name(info)
            folder = name.rpartition("/")[0]
            if info.is_file and info.extension == "parquet":
                day = day_of_ms(info.mtime_ns // 1_000_000) if folder == SET_ASIDE else day_of(folder)
                if day:
                    yield Stored(name, day, info.size, info.mtime_ns / 1e9)


def _side_by_side(function: Callable[[T], R], each: Iterable[T]) -> list[R]:
    # after an error `map` gives up what has not begun: a store that is away is not asked for the rest, too
    with ThreadPoolExecutor(_MOST_REQUESTS) as threads:
        return list(threads.map(function, each))


@functools.lru_cache(maxsize=8)
def _file_system(scheme: str, host: str) -> fs.FileSystem:
    """The ticket of the user (HDFS) comes from the environment, never from the URL."""
    try:
        # the slash: a URL of a host alone
        return fs.FileSystem.from_uri(f"{scheme}://{host}/")[0]
    except (OSError, pa.ArrowInvalid) as cause:
        raise LakeError(
            f"{scheme}://{host}: the file system cannot be opened: {str(cause).splitlines()[0]}; hdfs: needs "
            "Hadoop's client (libhdfs, HADOOP_HOME, CLASSPATH)"
        ) from cause
