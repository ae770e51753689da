"""The current time, read in one place so that a test can set it."""

import time
from datetime import UTC, date, datetime


def now_ms() -> int:
    """Epoch milliseconds in UTC."""
    return time.time_ns() // 1_000_000


def now_s() -> int:
    """Epoch seconds in UTC."""
    return now_ms() // 1000


def today() -> date:
    """The current UTC day."""
    return datetime.fromtimestamp(now_ms() // 1000, UTC).date()
