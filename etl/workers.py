"""Worker processes that do not outlive a killed run: an orphan could still write into the lake.

Workers are forked from a server process that has loaded what they need; that takes milliseconds, where a fresh process
takes a second. The server ends with the process that it serves.
"""

import ctypes
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

_PR_SET_PDEATHSIG = 1  # prctl(2), Linux


def worker_pool(workers: int, preloaded: Sequence[str] = ()) -> ProcessPoolExecutor:
    """A pool of processes that end when this process does, however it ends.

    `preloaded` are modules that the first pool's server loads for all pools of this process.
    """
    _begin_server(preloaded)
    context = multiprocessing.get_context("forkserver")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_die_with_parent)


def worker_process(target: Callable[..., None], args: tuple[object, ...], preloaded: Sequence[str] = ()) -> BaseProcess:
    """A process for one piece of work, begun; it ends as those of a pool do, and can be killed by itself."""
    _begin_server(preloaded)
    process = multiprocessing.get_context("forkserver").Process(target=_run, args=(target, args))
    process.start()
    return process


def _run(target: Callable[..., None], args: tuple[object, ...]) -> None:
    _die_with_parent()
    target(*args)


def _begin_server(preloaded: Sequence[str]) -> None:
    """Starts the server from which workers are forked.

    Ctrl-C is left to this process: a server that loads, and workers that have just begun, would end with a traceback.
    """
    multiprocessing.get_context("forkserver").set_forkserver_preload(list(preloaded))
    resource_tracker.ensure_running()  # which would let signals through again
    passed = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, passed)


def _die_with_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    parent = multiprocessing.parent_process()
    if parent is None or parent.sentinel is None:
        os._exit(1)
    # The server ends when the first process does, which may be the parent's parent: the parent itself is watched, too.
    server = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server or not parent.is_alive():  # one of them ended before the kernel was asked
        os._exit(1)
    threading.Thread(target=_die_after, args=(parent.sentinel,), daemon=True).start()


def _die_after(parent: int) -> None:
    wait([parent])
    os.kill(os.getpid(), signal.SIGKILL)
