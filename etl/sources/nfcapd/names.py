"""The names that nfcapd gives to its files: nfcapd.YYYYMMDDhhmm, with seconds where they are rotated faster.

With -Z the offset of its time zone from UTC follows: nfcapd.202611271425+0100.
"""

import functools
import re
from datetime import UTC, datetime
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
        return match is not None and not self._first <= match[1] <= self._last and _is_day(match[1])


def _day(moment_s: int) -> str:
    return datetime.fromtimestamp(max(moment_s, 0), UTC).strftime("%Y%m%d")


@functools.lru_cache(maxsize=10_000)
def _is_day(digits: str) -> bool:
    try:
        return not day_problem(datetime.strptime(digits, "%Y%m%d").date())
    except ValueError:
        return False


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
    digits, second = match["minute"], match["second"] or "00"
    try:
        # strptime takes several times as long, and a folder has a hundred thousand names after a year
        date_and_hour = int(digits[:4]), int(digits[4:6]), int(digits[6:8]), int(digits[8:10])
        start = datetime(*date_and_hour, int(digits[10:]), int(second))
        own_zone = datetime.strptime(match["offset"], "%z").tzinfo if match["offset"] else zone
    except ValueError:
        start, own_zone = datetime.min, zone
    # a year in which sums of days leave the calendar
    if day_problem(start.date()):
        raise UnusableNameError("its name has an invalid date or time")
    return int(start.replace(tzinfo=own_zone).timestamp()) * 1000
