"""How many days of the lake `hntes data prune` leaves."""

from datetime import date, timedelta

from hntes.settings import Settings

# Records of a day may be in files and parts of adjacent days; and a week to notice a broken night.
MARGIN_DAYS = 8


def kept_lake_days(settings: Settings) -> int | None:
    """The days up to today, and today, that stay in the lake; None: all."""
    kept = settings.retention.lake_days
    return None if kept is None else max(kept, settings.ageing.days) + MARGIN_DAYS + 1


def last_pruned_day(settings: Settings, today: date) -> date | None:
    """The newest day of the lake that `hntes data prune` removes; None: none."""
    kept = kept_lake_days(settings)
    return None if kept is None else today - timedelta(days=kept)


def first_kept_day(settings: Settings, today: date) -> date:
    """The oldest day of the lake that `hntes data prune` leaves."""
    pruned = last_pruned_day(settings, today)
    return date.min if pruned is None else pruned + timedelta(days=1)
