"""Threads that nobody waits for any more: nothing ends one that waits for a file server, and it holds up no command.

Python joins the threads of pools before it exits, those that work for such a thread as well.
"""

import os
import sys
from threading import Thread

_left: list[Thread] = []


def leave(thread: Thread) -> None:
    """Nobody waits for it any more; it ends with this process."""
    _left.append(thread)


def end_process(status: int) -> None:
    """Ends this process at once with this exit status if a thread was left that still runs, else does nothing."""
    if not any(thread.is_alive() for thread in _left):
        return
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)
