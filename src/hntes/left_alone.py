"""Threads and processes that nobody waits for any more: nothing ends one that waits for a file server.

Python joins them before it exits, without a limit: all child processes, and the threads of pools, also those that work
for a thread that was left. So the process is ended at once where one is left.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Imported lazily: most commands have no other processes.
    from multiprocessing.process import BaseProcess
    from threading import Thread

_left: list[Thread | BaseProcess] = []


def leave(work: Thread | BaseProcess) -> None:
    """Nobody waits for it any more: a thread ends with this process, a killed child when the kernel lets it."""
    _left.append(work)


def end_process(status: int) -> None:
    """Ends this process at once with this exit status if what was left still runs, else does nothing."""
    if not any(work.is_alive() for work in _left):
        return
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)
