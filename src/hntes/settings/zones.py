"""Names of time zones in this machine's database."""

from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator


def _known(zone: str) -> str:
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as cause:  # OSError: a folder of the database, such as "Europe"
        raise ValueError(f"{zone!r} is not a time zone of this machine's database") from cause
    return zone


ZoneName = Annotated[str, AfterValidator(_known)]
