"""The names that nfcapd gives to its files: nfcapd.YYYYMMDDhhmm, with seconds where they are rotated faster.

With -Z the offset of its time zone from UTC follows: nfcapd.202611271425+0100.
"""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from hntes.days import day_problem
from hntes.etl.sources.scan import UnusableNameError

_NAME = re.compile(r"nfcapd\.(?P<minute>[0-9]{12})(?P<second>[0-9]{2})?(?P<offset>[+-][0-9]{4})?")


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
    try:
        start = datetime.strptime(match["minute"] + (match["second"] or "00"), "%Y%m%d%H%M%S")
        own_zone = datetime.strptime(match["offset"], "%z").tzinfo if match["offset"] else zone
    except ValueError:
        start, own_zone = datetime.min, zone
    # a year in which sums of days leave the calendar
    if day_problem(start.date()):
        raise UnusableNameError("its name has an invalid date or time")
    return int(start.replace(tzinfo=own_zone).timestamp()) * 1000
