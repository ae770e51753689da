"""Waiting for what happens elsewhere, with a limit."""

import time
from collections.abc import Callable

LIMIT_S = 60.0


def wait_until(is_so: Callable[[], bool], what: str, limit_s: float = LIMIT_S) -> float:
    """Asks until it is so; returns the seconds that it took. Fails after the limit."""
    begun = time.monotonic()
    while not is_so():
        assert time.monotonic() - begun < limit_s, f"not so after {limit_s} s: {what}"
        time.sleep(0.02)
    return time.monotonic() - begun
