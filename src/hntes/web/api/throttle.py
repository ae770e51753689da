"""Throttling of what API tokens change: each change is an event of the audit log, for good, and work for each night."""

from collections import deque
from threading import Lock

SPAN_S = 3600.0


class Changes:
    """The recent changes by token. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._made: dict[str, deque[float]] = {}
        self._lock = Lock()

    def admit(self, token: str, limit: int, now_s: float, count: int = 1) -> float:
        """Counts so many changes if they are at most `limit` with those of the last hour, and returns 0.

        Otherwise counts none, and returns the seconds until they are allowed. `count` is at most `limit`.
        """
        with self._lock:
            times = self._made.setdefault(token, deque())
            while times and times[0] <= now_s - SPAN_S:
                times.popleft()
            over = len(times) + count - limit
            if over > 0:
                return times[over - 1] + SPAN_S - now_s
            times.extend([now_s] * count)
            return 0.0
