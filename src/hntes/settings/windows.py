"""Weekly delivery windows."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hntes.settings.section import Section
from hntes.settings.zones import ZoneName

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
# In the order of datetime.weekday().
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES = 24 * 60


class Window(Section):
    """A window opens on these days at `start` and closes at `end`, in local time of `time_zone`.

    An `end` not after `start` is on the next day. It is open whenever local time is within it: an hour skipped at the
    start of DST is missing, an hour repeated at its end is open twice.
    """

    days: Annotated[tuple[Weekday, ...], Field(min_length=1)] = WEEKDAYS
    start: Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    end: Annotated[str, Field(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$")]
    time_zone: ZoneName
    """time zone of `days`, `start` and `end`"""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.start == self.end:
            raise ValueError(f"a window from {self.start} to {self.end} is empty; a whole day ends at 24:00")
        return self

    @property
    def begins_minute(self) -> int:
        """Minutes after midnight, local time."""
        return _minutes(self.start)

    @property
    def ends_minute(self) -> int:
        """Minutes after midnight, local time; 1440 for the end of the day."""
        return _minutes(self.end)

    @property
    def minutes(self) -> int:
        """Its duration on a day without DST change."""
        return (self.ends_minute - self.begins_minute) % DAY_MINUTES or DAY_MINUTES


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return 60 * int(hours) + int(minutes)
