"""Signs that work beside other work goes on, sent to the process that the user started."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """A file of the folder is done: the work does not wait for its file server. Sent at most once a second."""


@dataclass(frozen=True)
class DayDone:
    """One of the days of the work is done."""


class Signs:
    """Sends them; by default nowhere."""

    def __init__(self, send: Callable[[Reading | DayDone], object] = lambda _: None) -> None:
        self._send = send
        self._told_s = -math.inf

    def has_read(self, _done: int, _all: int, _path: str) -> None:
        """A file was read."""
        now_s = time.monotonic()
        if now_s - self._told_s >= 1.0:
            self._send(Reading())
            self._told_s = now_s

    def has_done_day(self) -> None:
        """All work on a day is done."""
        self._send(DayDone())


NO_SIGNS = Signs()
