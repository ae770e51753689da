"""Conversion between UTC days and epoch milliseconds."""

from datetime import UTC, date, datetime, timedelta

DAY_MS = 86_400_000
MINUTE_MS = 60_000
# No NetFlow is older than 2000: earlier times are missing ones (many exporters send none and show 1970).
OLDEST_MS = 946_684_800_000


def day_bounds_ms(day: date) -> tuple[int, int]:
    """First and last moment of a UTC day: [from, to)."""
    start = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000
    return start, start + DAY_MS


def day_of_ms(moment_ms: int) -> date:
    """The UTC day of a moment."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment_ms)).date()
