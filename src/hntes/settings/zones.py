"""Names of time zones in this machine's database."""

import os
from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator

_LOCAL = "/etc/localtime"


def _known(zone: str) -> str:
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as cause:  # OSError: a folder of the database, such as "Europe"
        raise ValueError(f"{zone!r} is not a time zone of this machine's database") from cause
    return zone


ZoneName = Annotated[str, AfterValidator(_known)]


def zone_of_offset(ahead_s: int, moment_ms: int) -> str | None:
    """A time zone that is so many seconds ahead of UTC at that moment: this machine's if it is, else a fixed one."""
    moment = datetime.fromtimestamp(moment_ms / 1000, UTC)
    hours = ahead_s // 3600
    fixed = [f"Etc/GMT{-hours:+d}"] if ahead_s % 3600 == 0 else sorted(available_timezones())
    return next((zone for zone in (_local_zone(), *fixed) if _is_ahead(zone, moment, ahead_s)), None)


def _local_zone() -> str:
    """The zone of this machine, "UTC" if it is not known."""
    named = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath(_LOCAL).partition("zoneinfo/")[2]
    return named or "UTC"


def _is_ahead(zone: str, moment: datetime, ahead_s: int) -> bool:
    try:
        return moment.astimezone(ZoneInfo(_known(zone))).utcoffset() == timedelta(seconds=ahead_s)
    except ValueError:
        return False
