"""The names that nfcapd gives to its files: nfcapd.YYYYMMDDhhmm, with seconds where they are rotated faster."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from hntes.days import day_problem
from hntes.etl.sources.scan import UnusableNameError

_NAME = re.compile(r"nfcapd\.(?P<minute>[0-9]{12})(?P<second>[0-9]{2})?")


def is_unfinished(name: str) -> bool:
    """Whether nfcapd is still writing a file of that name."""
    return name.startswith("nfcapd.current")


def start_ms(name: str, zone: ZoneInfo) -> int | None:
    """The time in a file's name, epoch ms UTC; None for other names.

    nfcapd names files by local time by default; `zone` is the collector's.

    Raises:
        UnusableNameError: the name holds a date or time that cannot be.
    """
    match = _NAME.fullmatch(name)
    if not match:
        return None
    try:
        start = datetime.strptime(match["minute"] + (match["second"] or "00"), "%Y%m%d%H%M%S")
    except ValueError:
        start = datetime.min
    # a year in which sums of days leave the calendar
    if day_problem(start.date()):
        raise UnusableNameError("its name has an invalid date or time")
    return int(start.replace(tzinfo=zone).timestamp()) * 1000
