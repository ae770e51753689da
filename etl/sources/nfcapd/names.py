"""The names that nfcapd gives to its files: nfcapd.YYYYMMDDhhmm, with seconds where they are rotated faster.

With -Z the offset of its time zone from UTC follows: nfcapd.202611271425+0100.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hntes.days import day_problem
from hntes.etl.sources.scan import FolderFile, Sifted, Span, UnusableNameError

if TYPE_CHECKING:
    from hntes._native import FolderNames

_NAME = re.compile(r"nfcapd\.(?P<minute>[0-9]{12})(?P<second>[0-9]{2})?(?P<offset>[+-][0-9]{4})?")
_DAY = re.compile(r"nfcapd\.([0-9]{8})")
_HEAD = "nfcapd."
_DAY_CHARACTERS = len(_HEAD + "20261127")
_DAY_S = 86_400
# Behind all that is printable in ASCII.
_LAST = "\x7f"


class _OfDay(dict[str, int | None]):
    """Milliseconds since midnight by what follows a day in a name; None for anything but a valid time alone."""

    def __missing__(self, text: str) -> int | None:
        if not text.isdecimal() or len(text) not in (4, 6):
            return None
        of_day_s = _of_day_s(text[:2], text[2:4], text[4:] or "00")
        if of_day_s is None:
            return None
        return self.setdefault(text, of_day_s * 1000)


_OF_DAY_MS = _OfDay()


class Sieve:
    """Reads the times in names of one day together; what is not as usual is left to `start_ms`."""

    def __init__(self, span: Span, zone: ZoneInfo) -> None:
        self._span, self._zone = span, zone
        # no zone is a whole day ahead of or behind UTC
        self._first = "" if span.from_ms is None else _day(span.from_ms // 1000 - _DAY_S)
        self._last = "9" if span.to_ms is None else _day(span.to_ms // 1000 + _DAY_S)

    def __call__(self, tree: FolderNames) -> Sifted:
        """The files of the span with their times, and the names to be looked at."""
        sifted = Sifted()
        for prefix, names in tree.without_days(_HEAD, self._first, self._last):
            begin = 0
            while begin < len(names):
                text = names[begin][:_DAY_CHARACTERS]
                end = bisect_right(names, text + _LAST, begin) if len(text) == _DAY_CHARACTERS else begin + 1
                self._sift_day(text, prefix, names[begin:end], sifted)
                begin = end
        return sifted

    def _sift_day(self, text: str, prefix: str, names: Sequence[str], sifted: Sifted) -> None:
        """Sifts names that begin with the same day."""
        match = _DAY.fullmatch(text)
        midnight_s = _midnight_s(match[1]) if match else None
        ahead_s = _ahead_s(match[1], self._zone) if match and midnight_s is not None else None
        if midnight_s is None or ahead_s is None:
            sifted.others += [prefix + name for name in names]
            return
        times = [_OF_DAY_MS[name[_DAY_CHARACTERS:]] for name in names]
        if None in times:
            # such as a name that says its own offset
            sifted.others += [prefix + name for name, time in zip(names, times, strict=True) if time is None]
            names = [name for name, time in zip(names, times, strict=True) if time is not None]
        begin_ms = (midnight_s - ahead_s) * 1000
        starts_ms = [begin_ms + time for time in times if time is not None]
        files = map(FolderFile, starts_ms, [prefix + name for name in names])
        sifted.files += files if self._span.is_open else [file for file in files if self._span.has(file.start_ms)]


def _day(moment_s: int) -> str:
    return datetime.fromtimestamp(max(moment_s, 0), UTC).strftime("%Y%m%d")


@functools.lru_cache(maxsize=10_000)
def _ahead_s(digits: str, zone: ZoneInfo) -> int | None:
    """Seconds by which a zone is ahead of UTC on a local day; None where that changes.

    No zone has changed twice within three days since 1970.
    """
    begin = datetime.strptime(digits, "%Y%m%d")
    at_begin, at_end = (zone.utcoffset(each) for each in (begin, begin + timedelta(days=1)))
    return int(at_begin.total_seconds()) if at_begin is not None and at_begin == at_end else None


@functools.lru_cache(maxsize=10_000)
def _midnight_s(digits: str) -> int | None:
    """When a day begins in UTC, seconds since 1970; None for one that cannot be."""
    try:
        begin = datetime.strptime(digits, "%Y%m%d")
    except ValueError:
        return None
    # a year in which sums of days leave the calendar
    return None if day_problem(begin.date()) else int(begin.replace(tzinfo=UTC).timestamp())


def is_unfinished(name: str) -> bool:
    """Whether nfcapd is still writing a file of that name."""
    return name.startswith("nfcapd.current")


def start_ms(name: str, zone: ZoneInfo) -> int | None:
    """The time in a file's name, epoch ms UTC; None for other names.

    nfcapd names files by local time by default; `zone` is the collector's. A name with an offset needs none.

    Raises:
        UnusableNameError: the name holds a date, time or offset that cannot be.
    """
    match = _NAME.fullmatch(name)
    if not match:
        return None
    digits, second, offset = match["minute"], match["second"] or "00", match["offset"]
    midnight_s, of_day_s = _midnight_s(digits[:8]), _of_day_s(digits[8:10], digits[10:], second)
    own_zone = zone if offset is None else _zone_of(offset)
    if midnight_s is None or of_day_s is None or own_zone is None:
        raise UnusableNameError("its name has an invalid date or time")
    if own_zone is zone and zone.key == "UTC":  # datetime takes several times as long
        return (midnight_s + of_day_s) * 1000
    start = datetime.fromtimestamp(midnight_s + of_day_s, UTC)
    return int(start.replace(tzinfo=own_zone).timestamp()) * 1000


def _of_day_s(hour: str, minute: str, second: str) -> int | None:
    """Seconds since midnight; None for a time that cannot be."""
    if hour > "23" or minute > "59" or second > "59":
        return None
    return int(hour) * 3600 + int(minute) * 60 + int(second)


def _zone_of(offset: str) -> tzinfo | None:
    try:
        return datetime.strptime(offset, "%z").tzinfo
    except ValueError:
        return None
