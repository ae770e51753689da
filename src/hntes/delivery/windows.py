"""Maintenance windows: a delivery may start in a window that stays open for as long as a trial may take.

Pure functions of a moment. They step through local time minute by minute, which is right across any DST change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

from hntes.settings.windows import WEEKDAYS, Window

# A weekly window that falls into a skipped DST hour opens again within two weeks.
_AHEAD_MINUTES = 15 * 24 * 60
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Opening:
    """The next moment at which a delivery may start, and the window that is open then."""

    moment: datetime
    window: Window

    def __str__(self) -> str:
        local = self.moment.astimezone(ZoneInfo(self.window.time_zone))
        return f"{local:%A %Y-%m-%d %H:%M} {self.window.time_zone}"


def is_open(window: Window, moment: datetime) -> bool:
    """Whether the local time in the window's zone is inside it.

    Args:
        window: The window.
        moment: A time-zone-aware moment.
    """
    local = moment.astimezone(ZoneInfo(window.time_zone))
    minute = 60 * local.hour + local.minute
    begins_today = WEEKDAYS[local.weekday()] in window.days
    if window.begins_minute < window.ends_minute:
        return begins_today and window.begins_minute <= minute < window.ends_minute
    began_yesterday = WEEKDAYS[local.weekday() - 1] in window.days
    return (begins_today and minute >= window.begins_minute) or (began_yesterday and minute < window.ends_minute)


def may_begin(windows: Sequence[Window], moment: datetime, minutes: int) -> bool:
    """Whether a delivery of that many minutes may start at that moment; always true if no window is set."""
    last = moment + minutes * _MINUTE - timedelta(seconds=1)
    looked_at = chain((moment + number * _MINUTE for number in range(minutes)), (last,))
    return not windows or all(any(is_open(window, each) for window in windows) for each in looked_at)


def next_opening(windows: Sequence[Window], moment: datetime, minutes: int) -> Opening | None:
    """The next moment, this one included, when a delivery may start; None if there is none within two weeks.

    Args:
        windows: At least one.
        moment: A time-zone-aware moment.
        minutes: How long a window must stay open.
    """
    if may_begin(windows, moment, minutes):
        return _opening(windows, moment)
    whole = moment.replace(second=0, microsecond=0)
    for number in range(1, _AHEAD_MINUTES):
        if may_begin(windows, whole + number * _MINUTE, minutes):
            return _opening(windows, whole + number * _MINUTE)
    return None


def closed(windows: Sequence[Window], moment: datetime, minutes: int) -> str:
    """Why a delivery may not start at that moment, in a sentence; "" if it may."""
    if may_begin(windows, moment, minutes):
        return ""
    opening = next_opening(windows, moment, minutes)
    return f"no window is open; the next one opens {opening or 'in more than two weeks'}"


def _opening(windows: Sequence[Window], moment: datetime) -> Opening:
    return Opening(moment, next(window for window in windows if is_open(window, moment)))
