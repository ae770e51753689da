"""Ctrl-C in long commands: one that Python loses is noticed at the next boundary of a stage.

KeyboardInterrupt is raised wherever the interpreter happens to be; in a finaliser or a callback of a compiled module it
is printed and dropped ("Exception ignored in").
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Whether the user has asked the command to stop."""

    def __init__(self) -> None:
        self._was_asked = False

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """A handler of SIGINT: interrupts at once, and remembers it.

        Raises:
            KeyboardInterrupt: always.
        """
        self._was_asked = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """A boundary of a stage.

        Raises:
            KeyboardInterrupt: the user asked before, and the interpreter lost it.
        """
        if self._was_asked:
            raise KeyboardInterrupt


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Remembers SIGINT within it; other threads than the main one, and processes that ignore SIGINT, are left alone."""
    found, before = Interrupts(), signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield found
        return
    signal.signal(signal.SIGINT, found.ask)
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, before)
