"""Connecting while somebody sets the wall clock: paramiko and netmiko count how long they wait for a login by it."""

import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from hntes.platforms.device_errors import UnreachableError

# Clocks that nobody sets go apart by less while a connection is made.
_APART_S = 0.1
_TRIES = 3

Given = ParamSpec("Given")
Opened = TypeVar("Opened")


def again_if_clock_set(connect: Callable[Given, Opened]) -> Callable[Given, Opened]:
    """Has a connection tried again, at most twice, where it failed while the wall clock was set.

    One that is set forward ends the libraries' waiting at once. One that is set back prolongs it where the router says
    nothing: until the connection ends, or by as much as it was set back.
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
