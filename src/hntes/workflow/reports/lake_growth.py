"""How many days the lake has, and how large its newest are."""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes.etl.lake.url import LakeUrl
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
    """The size of the newest days in the lake, at most so many; None without any, and for a lake behind a URL."""
    lake = context.lake
    if isinstance(lake, LakeUrl):
        return None
    folders: dict[date, list[Path]] = {}
    for folder in lake.glob("flows/router=*/day=*"):
        folders.setdefault(date.fromisoformat(folder.name.removeprefix("day=")), []).append(folder)
    if not folders:
        return None
    newest = sorted(folders)[-most_days:]
    size_bytes = sum(_parts_bytes(folder) for day in newest for folder in folders[day])
    return LakeGrowth(len(folders), min(folders), len(newest), size_bytes)


def _parts_bytes(folder: Path) -> int:
    total = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".parquet"):
                with suppress(FileNotFoundError):  # a concurrent ingest may replace and delete files
                    total += entry.stat().st_size
    return total
