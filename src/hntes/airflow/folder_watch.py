"""Ends a task whose flow folder stops answering while it is read."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hntes.etl.errors import FolderAwayError
from hntes.etl.sources.answer import require_answer

_log = logging.getLogger("hntes.airflow")


@contextmanager
def watched(folder: Path, limit_s: float) -> Iterator[None]:
    """Looks at the folder every `limit_s` seconds; without an answer within as many, this process is killed.

    A process that waits for a file server cannot raise anything: no time limit of Airflow's ends it, and it would keep
    its slot for as long as the server is away. Airflow tries a killed task again.
    """
    over = threading.Event()
    threading.Thread(target=_watch, args=(folder, limit_s, over), daemon=True, name=f"watch of {folder}").start()
    try:
        yield
    finally:
        over.set()


def _watch(folder: Path, limit_s: float, over: threading.Event) -> None:
    while not over.wait(limit_s):
        try:
            require_answer(folder, limit_s)
        except FolderAwayError as problem:
            if not over.is_set():
                _log.error("%s The task ends, to be tried again", problem)
                os.kill(os.getpid(), signal.SIGKILL)
