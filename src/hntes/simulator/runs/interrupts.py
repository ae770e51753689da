"""Ctrl-C for a whole command: the first one stops it, further ones change nothing, and no thread is waited for."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def one_interrupt() -> Iterator[None]:
    """Within it only the first SIGINT raises KeyboardInterrupt: what it sets going, stopping runs and saying so, is not
    itself interrupted. If there was one SIGINT stays ignored, as the process is about to end; else all is as before.

    Other threads than the main one, and processes that ignore SIGINT, are left alone.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return
    is_interrupted = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_interrupted
        if not is_interrupted:
            is_interrupted = True
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        # An interpreter that ends gives up handlers, and the next SIGINT would kill it; what it ignores stays ignored.
        signal.signal(signal.SIGINT, signal.SIG_IGN if is_interrupted else before)


def end_process(status: int) -> None:
    """End at once, whatever threads compute: files are replaced whole, so that nothing is lost by not waiting."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
