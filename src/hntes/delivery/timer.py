"""Monotonic time for the waits of a delivery, independent of the wall clock."""

import time
from typing import Protocol


class Timer(Protocol):
    """Monotonic time in s from an arbitrary origin, and sleep."""

    def now_s(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class MonotonicTimer:
    """The monotonic clock of the machine."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
