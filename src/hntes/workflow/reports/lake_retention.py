"""How many days of the lake `hntes data prune` leaves."""

from hntes.settings import Settings

# Records of a day may be in files and parts of adjacent days; and a week to notice a broken night.
MARGIN_DAYS = 8


def kept_lake_days(settings: Settings) -> int | None:
    """The days up to today, and today, that stay in the lake; None: all."""
    kept = settings.retention.lake_days
    return None if kept is None else max(kept, settings.ageing.days) + MARGIN_DAYS + 1
