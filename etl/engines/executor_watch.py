"""The limit on the wait for executors: on a cluster without any, a job would wait for ever."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hntes.etl.engines.session import SparkAwayError, SparkOptions, spark_errors

if TYPE_CHECKING:
    from pyspark import SparkContext

_LOOK_EVERY_S = 2.0
_WARN_EVERY_S = 60.0
# A job gets at least so long, even if others of the session waited in vain before: an executor starts within seconds.
_LEAST_WAIT_S = 15.0
# The logger whose messages the command line prints.
_WARNINGS = logging.getLogger("hntes.warning")


def has_executor(context: "SparkContext") -> bool:
    """Whether the application has an executor now."""
    # the driver is listed, too
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) > 1


class ExecutorWatch:
    """Whether a session has executors, for as long as it has jobs; thread-safe.

    `has_executor` and `cancel_jobs` are the session's, and so is the wait: its jobs need the same executors.
    `come_and_go`: Spark gives idle executors back, and the next job waits for its turn as the first one did.
    """

    def __init__(
        self,
        options: SparkOptions,
        has_executor: Callable[[], bool],
        cancel_jobs: Callable[[], None],
        *,
        come_and_go: bool = False,
    ) -> None:
        self._options = options
        self._come_and_go = come_and_go
        self._has_executor = has_executor
        self._cancel_jobs = cancel_jobs
        self._lock = threading.Lock()
        self._has_had_one = False
        self._lacking_since_s: float | None = None
        self._warned_s = 0.0
        self._given_up: str | None = None

    @contextmanager
    def job(self, *, is_check: bool = False) -> Iterator[None]:
        """The time of a job; without an executor for as long as the settings say, the session's jobs are cancelled.

        `is_check`: its first executor is waited for no longer than later ones.

        Raises:
            SparkAwayError: they were cancelled.
        """
        has_ended = threading.Event()
        watching = threading.Thread(target=self._watch, args=(has_ended, is_check), daemon=True)
        watching.start()
        try:
            yield
            self._reset()
        except Exception as cause:
            if self._given_up is not None:
                raise SparkAwayError(self._given_up) from cause
            raise
        finally:
            has_ended.set()
            watching.join()

    def _watch(self, has_ended: threading.Event, is_check: bool) -> None:
        began_s = time.monotonic()
        while True:
            try:
                if self._has_executor():
                    self._has_had_one = True
                    self._reset()
                else:
                    self._lacking(began_s, is_check)
            except spark_errors():
                return  # the session ends, and the job with it
            if has_ended.wait(_LOOK_EVERY_S):
                return

    def _reset(self) -> None:
        with self._lock:
            self._lacking_since_s = self._given_up = None

    def _lacking(self, began_s: float, is_check: bool) -> None:
        now_s = time.monotonic()
        limit_s, key = self._limit(is_check)
        with self._lock:
            if self._lacking_since_s is None:
                self._lacking_since_s = self._warned_s = now_s
            lacking_s = now_s - self._lacking_since_s
            is_over = lacking_s >= limit_s and now_s - began_s >= min(limit_s, _LEAST_WAIT_S)
            if is_over:
                self._given_up = f"{self._lack()}; it was waited for {lacking_s:.0f} s: {_remedy(self._options, key)}"
            elif now_s - self._warned_s >= _WARN_EVERY_S:
                self._warned_s = now_s
                _WARNINGS.warning("%s; waiting for at most %.0f s", self._lack(), limit_s)
        if is_over:
            # again with each look: a job that is only about to begin is not cancelled
            self._cancel_jobs()

    def _limit(self, is_check: bool) -> tuple[float, str]:
        """The longest wait, in s, and its key."""
        first, later = (self._options.executor_wait_s, "executor_wait_s"), (self._options.job_wait_s, "job_wait_s")
        if self._has_had_one and not self._come_and_go:
            return later
        return min(first, later) if is_check else first

    def _lack(self) -> str:
        what = "all executors are gone, and no executor" if self._has_had_one else "no executor"
        return (
            f"{self._options.master}: {what} with {self._options.executor_memory_mb} MB has come: the cluster has no "
            "workers, other applications have its cores, or no worker has that much memory"
        )


def _remedy(options: SparkOptions, key: str) -> str:
    where = "on the master's web page" if options.is_standalone else "of the cluster"
    sizes = "executor_memory_mb or max_cores" if options.is_standalone else "executor_memory_mb"
    return (
        f"see workers and applications {where}; start workers, or try again later; or raise "
        f"{key}, lower {sizes} of [analytics.spark], or set its master to local[2]"
    )
