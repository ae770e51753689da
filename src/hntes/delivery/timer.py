"""The time by which a delivery waits: it goes on by itself, whatever is done to the machine's clock."""

import time
from typing import Protocol


class Timer(Protocol):
    """Time that goes on by itself, in s from any moment; no clock that a person or a server sets."""

    def now_s(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class MonotonicTimer:
    """The machine's time since it started: a clock that is set does not move it."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
