"""Throttling of what API tokens change: each change is an event of the audit log, for good, and work for each night."""

from collections import deque
from threading import Lock

SPAN_S = 3600.0


class Changes:
    """The recent changes by token. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._made: dict[str, deque[float]] = {}
        self._lock = Lock()

    def admit(self, token: str, limit: int, now_s: float) -> float:
        """Counts a change if there are fewer than `limit` within the last hour, and returns 0.

        Otherwise returns the seconds until the next one is allowed.
        """
        with self._lock:
            times = self._made.setdefault(token, deque())
            while times and times[0] <= now_s - SPAN_S:
                times.popleft()
            if len(times) >= limit:
                return times[len(times) - limit] + SPAN_S - now_s
            times.append(now_s)
            return 0.0
