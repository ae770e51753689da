"""Flow folders below a folder: collectors sort their files by date, and write into one folder per source or for all.

nfcapd -S makes folders such as 2026/11/27, 2026/47/5/14, 2026/331 or 2026-11-27/14; nfcapd -M makes one per source
above them, whose name may consist of digits: 127-0-0-21/2026/11/27, 4711/2026-11-27.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path, PurePosixPath

from hntes.etl.days import DAY_MS
from hntes.etl.sources.scan import FolderFile, Scan

# Month, week, day of the year, day, hour: what comes below a folder that names the year.
_BELOW_YEAR = re.compile(r"[0-9]{1,3}")
_DATE = re.compile(r"(?P<year>[0-9]{4})([-_]?(?P<month>[0-9]{2})([-_]?(?P<day>[0-9]{2}))?)?")
# Of another time zone, or moved the day after.
_TOLERANCE = timedelta(days=1)


@dataclass(frozen=True)
class FlowFolder:
    """A folder into which a collector writes; `parts` are the folders of single sources in it, relative to it."""

    folder: Path
    parts: tuple[str, ...]


def flow_folders(scan: Scan) -> tuple[FlowFolder, ...]:
    """The folders at or below that of the scan into which a collector writes, the sorting by date left out.

    Where a folder has files of its own, those of the folders in it are part of it: it is read with them.
    """
    places = {PurePosixPath(place) for place in files_by_part(scan)}
    places |= {_source_folder(one.path, one.file) for one in scan.refused}
    tops = sorted(place for place in places if not any(_is_within(place, other) for other in places - {place}))
    return tuple(
        FlowFolder(
            scan.folder / top,
            tuple(sorted(str(place.relative_to(top)) for place in places if place == top or _is_within(place, top))),
        )
        for top in tops
    )


def files_by_part(scan: Scan) -> dict[str, list[FolderFile]]:
    """A flow folder's files by source folder, by time."""
    found: dict[str, list[FolderFile]] = {}
    for files in _by_day(scan.files):
        # by the folder that they lie in: files of one day there have one source folder
        of_day: dict[str, list[FolderFile]] = {}
        for folder, group in groupby(files, _folder):
            some = list(group)
            if folder not in of_day:
                of_day[folder] = found.setdefault(str(_source_folder(some[0].path, some[0])), [])
            of_day[folder] += some
    return found


def _folder(file: FolderFile) -> str:
    return file.path[: file.path.rfind("/") + 1]


def _by_day(files: Sequence[FolderFile]) -> Iterator[Sequence[FolderFile]]:
    """Files that are in the order of their times, a UTC day at a time."""
    done = 0
    while done < len(files):
        next_ms = (files[done].start_ms // DAY_MS + 1) * DAY_MS
        upto = bisect_left(files, next_ms, done, key=lambda file: file.start_ms)
        yield files[done:upto]
        done = upto


def _is_within(place: PurePosixPath, other: PurePosixPath) -> bool:
    return place != other and place.is_relative_to(other)


def _source_folder(path: str, file: FolderFile | None) -> PurePosixPath:
    """The folder of a file without those that sort by date; `file` is None if its name has no time."""
    parts = PurePosixPath(path).parts[:-1]
    days = _days(file.start_ms) if file else ()
    for number in range(len(parts) - 1, -1, -1):
        if _is_date(parts[number], days):
            while number and _is_date(parts[number - 1], days) and len(parts[number - 1]) < len(parts[number]):
                number -= 1
            return PurePosixPath(*parts[:number])
        if not _BELOW_YEAR.fullmatch(parts[number]):
            break
    return PurePosixPath(*parts)


def _days(start_ms: int) -> tuple[str, ...]:
    start = datetime.fromtimestamp(start_ms / 1000, UTC)
    return tuple(f"{start + step:%Y%m%d}" for step in (-_TOLERANCE, timedelta(0), _TOLERANCE))


def _is_date(name: str, days: Sequence[str]) -> bool:
    """Whether a folder is named by the year, month or day of its files (of any, where no day is known)."""
    match = _DATE.fullmatch(name)
    if not match:
        return False
    digits = "".join(filter(None, (match["year"], match["month"], match["day"])))
    return not days or any(day.startswith(digits) for day in days)


def sources_in_several(found: Iterable[tuple[str, Path]]) -> dict[str, tuple[Path, ...]]:
    """Exporters that are in the files of several folders, by address."""
    folders: dict[str, set[Path]] = {}
    for exporter, folder in found:
        folders.setdefault(exporter, set()).add(folder)
    return {exporter: tuple(sorted(where)) for exporter, where in sorted(folders.items()) if len(where) > 1}
