"""How many days the lake has, and how large its newest are."""

from dataclasses import dataclass
from datetime import date

from hntes.etl.lake.store import store_of
from hntes.workflow.context import Context

# As many days tell how fast the lake grows; a year of them has a hundred thousand parts.
MEASURED_DAYS = 30


@dataclass(frozen=True)
class LakeGrowth:
    """The days of the lake over all routers, the first of them, and how many of the newest have how many bytes."""

    days: int
    first_day: date
    measured_days: int
    measured_bytes: int

    @property
    def bytes_per_day(self) -> float:
        return self.measured_bytes / self.measured_days


def lake_growth(context: Context, most_days: int = MEASURED_DAYS) -> LakeGrowth | None:
    """The size of the newest days in the lake, at most so many; None without any."""
    store = store_of(context.lake)
    days = sorted(store.days())
    if not days:
        return None
    newest = days[-most_days:]
    parts = (*store.parts(since=newest[0]), *store.set_aside(since=newest[0]))
    size_bytes = sum(part.bytes for part in parts)
    return LakeGrowth(len(days), days[0], len(newest), size_bytes)
