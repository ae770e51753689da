"""Retry of connections during which the wall clock was set: paramiko and netmiko time their logins by it."""

import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from hntes.platforms.device_errors import UnreachableError

# Without a clock step, wall and monotonic clock differ by less during a connection attempt.
_APART_S = 0.1
_TRIES = 3

Given = ParamSpec("Given")
Opened = TypeVar("Opened")


def again_if_clock_set(connect: Callable[Given, Opened]) -> Callable[Given, Opened]:
    """Retries a connection, at most twice, if it failed while the wall clock was set.

    A step forward ends the libraries' wait at once. A step back prolongs it if the router is silent: until the
    connection ends, or by the size of the step.
    """

    @wraps(connect)
    def tried(*given: Given.args, **named: Given.kwargs) -> Opened:
        for _ in range(_TRIES - 1):
            before_s = _apart_s()
            try:
                return connect(*given, **named)
            except UnreachableError:
                if abs(_apart_s() - before_s) < _APART_S:
                    raise
        return connect(*given, **named)

    return tried


def _apart_s() -> float:
    return time.time() - time.monotonic()
