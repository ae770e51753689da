"""The names that nfcapd gives to its files: nfcapd.YYYYMMDDhhmm, with seconds where they are rotated faster.

With -Z the offset of its time zone from UTC follows: nfcapd.202611271425+0100.
"""

import functools
import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from hntes.days import day_problem
from hntes.etl.sources.scan import Span, UnusableNameError

_NAME = re.compile(r"nfcapd\.(?P<minute>[0-9]{12})(?P<second>[0-9]{2})?(?P<offset>[+-][0-9]{4})?")


_DIGITS = re.compile(r"nfcapd\.([0-9]{8})([01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?")
_DAY_S = 86_400


class Beside:
    """Tells by its digits that a name has a time before or after a span of time, in whatever time zone."""

    def __init__(self, span: Span) -> None:
        # no zone is a whole day ahead of or behind UTC
        self._first = "" if span.from_ms is None else _day(span.from_ms // 1000 - _DAY_S)
        self._last = "9" if span.to_ms is None else _day(span.to_ms // 1000 + _DAY_S)

    def __call__(self, name: str) -> bool:
        """Whether it surely does; a name that says its own offset, or that cannot be, is looked at in any case."""
        match = _DIGITS.fullmatch(name)
        return match is not None and not self._first <= match[1] <= self._last and _midnight_s(match[1]) is not None


def _day(moment_s: int) -> str:
    return datetime.fromtimestamp(max(moment_s, 0), UTC).strftime("%Y%m%d")


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
