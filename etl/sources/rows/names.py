"""Times in the names of files that a collector or a log rotation writes: any name that holds a date and its ending.

Known are 20261127, 202611271425, 20261127-1425, 20261127142530, 2026-11-27_14:25, 2026-11-27T14-25-30Z and
20261127T1425+0100, anywhere in the name. A name with a date only is that of the day's first moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hntes.days import day_problem
from hntes.etl.sources.listing import paths
from hntes.etl.sources.scan import ALWAYS, Scan, Sifted, Span, UnusableNameError, scan_folder

if TYPE_CHECKING:
    from hntes._native import FolderNames

_TIME = re.compile(
    r"(?<![0-9])(?P<year>[0-9]{4})(?P<dash>-?)(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})"
    r"([-_T.]?(?P<hour>[0-9]{2})[-:]?(?P<minute>[0-9]{2})([-:]?(?P<second>[0-9]{2}))?)?"
    r"(?P<zone>Z|[+-][0-9]{4})?(?![0-9])"
)
_COMPRESSED = (".gz", ".zst", ".zstd")
_UNFINISHED = (".tmp", ".part", ".current")


def start_ms(name: str, zone: tzinfo, endings: Iterable[str]) -> int | None:
    """The time in a file's name, epoch ms UTC; None for a name without one, or with another ending.

    `zone` is that of the name, unless it says its own.

    Raises:
        UnusableNameError: the name holds a date, time or offset that cannot be.
    """
    plain = next((name.removesuffix(end) for end in _COMPRESSED if name.endswith(end)), name)
    if not plain.endswith(tuple(endings)):
        return None
    found = list(_TIME.finditer(plain))
    if not found:
        return None
    match = found[-1]
    digits = "".join(match[part] or "00" for part in ("year", "month", "day", "hour", "minute", "second"))
    try:
        start = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=_zone(match["zone"], zone))
    except ValueError:
        start = datetime.min.replace(tzinfo=UTC)
    # a year in which sums of days leave the calendar
    if day_problem(start.date()):
        raise UnusableNameError("its name has an invalid date or time")
    return int(start.timestamp()) * 1000


def _zone(text: str | None, zone: tzinfo) -> tzinfo:
    if text is None:
        return zone
    return UTC if text == "Z" else datetime.strptime(text, "%z").tzinfo or UTC


def is_unfinished(name: str) -> bool:
    """Whether a file of that name is still being written."""
    return name.endswith(_UNFINISHED)


def discover(folder: Path, timezone: str, endings: tuple[str, ...], span: Span = ALWAYS) -> Scan:
    """The finished files of a span under a folder with a time in their name and one of the endings, compressed or not.

    Raises:
        FlowFolderError: the folder does not exist.
    """
    times = partial(start_ms, zone=ZoneInfo(timezone), endings=endings)
    return scan_folder(folder, times, is_unfinished, span, partial(_sifted, endings=endings))


def _sifted(names: FolderNames, endings: tuple[str, ...]) -> Sifted:
    """The names with one of the endings, to be looked at; all others are ignored."""
    wanted = (*endings, *(end + more for end in endings for more in _COMPRESSED), *_UNFINISHED)
    return Sifted(
        others=paths(names.ending(wanted, is_so=True)), ignored=lambda: paths(names.ending(wanted, is_so=False))
    )
