"""The machine's wall clock as somebody sets it: what reads it sees jumps, while the monotonic clock goes on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from unittest.mock import patch

_TIME_NS = time.time_ns
_SIZES_S = (1.0, 20.0, 90.0, 600.0, 3600.0, 86_400.0, 5 * 86_400.0)


@dataclass
class WallClock:
    """`at_read`: by how many seconds it is set when it is read for the n-th time, counted from 1.

    Libraries read it, too: within the process nobody has another one.
    """

    offset_s: float = 0.0
    reads: int = 0
    jumps: int = 0
    at_read: dict[int, float] = field(default_factory=dict)

    def time_ns(self) -> int:
        self.reads += 1
        if self.reads in self.at_read:
            self.jump(self.at_read[self.reads])
        return _TIME_NS() + round(1e9 * self.offset_s)

    def jump(self, seconds: float) -> None:
        self.jumps += 1
        self.offset_s += seconds


def drawn_jump_s(draw: Random) -> float:
    """Forward or back, by a second to five days."""
    return draw.choice((-1, 1)) * draw.choice(_SIZES_S) * draw.uniform(0.5, 1.5)


@contextmanager
def settable_clock() -> Iterator[WallClock]:
    """Within it `time.time` and `time.time_ns` of the whole process are those of the clock that is given."""
    clock = WallClock()
    with patch("time.time_ns", clock.time_ns), patch("time.time", lambda: clock.time_ns() / 1e9):
        yield clock
