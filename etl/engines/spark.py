"""Work on router-days by Spark's executors: each task runs what one machine runs, on whole files or a whole day."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate

from hntes.etl.engines.base import Engine, P, R, T
from hntes.etl.engines.executor_task import ANSWERS, SHIPPED, on_executor, pack_code, packed, result
from hntes.etl.engines.executor_watch import ExecutorWatch, has_executor
from hntes.etl.engines.here import ThisMachine
from hntes.etl.engines.session import SparkAwayError, SparkError, SparkHandle, SparkOptions, message, spark_errors
from hntes.etl.errors import WorkerEndedError
from hntes.etl.lake.url import Lake
from hntes.sql.entries import LakePart

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Slices of a job's tasks for each core, so that one that ends early takes over more.
_SLICES_PER_CORE = 4
# How Spark calls it when the Python process of a task ends without a word: a crash, or the kernel's want of memory.
_CRASHED = "Python worker exited unexpectedly"


@dataclass(frozen=True)
class _DayTask:
    """Work on one router-day, as `of_day` takes it."""

    engine: Engine
    work: Callable[..., Any]
    lake: Lake
    parts: tuple[LakePart, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _day(task: _DayTask) -> Any:
    return ThisMachine(task.engine).of_day(task.work, task.lake, task.parts, *task.args, **task.kwargs)


class SparkMachines:
    """The executors of a Spark session, each of which works on router-days with this engine.

    Thread-safe: the jobs of several threads run side by side.
    """

    def __init__(self, options: SparkOptions, engine: Engine) -> None:
        self.handle = SparkHandle(options)
        self._engine = engine
        self._lock = threading.Lock()
        self._shipped_to: SparkSession | None = None
        self._watched: tuple[SparkSession, ExecutorWatch] | None = None

    def of_day(
        self,
        work: Callable[Concatenate[Engine, Path, Sequence[str], P], R],
        lake: Lake,
        parts: Sequence[LakePart],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """The result of `work` on one router-day's parts, as one task, whose executor verifies them first.

        Raises:
            SparkError: the task failed as no task should; SparkAwayError: it may succeed later.
        """
        task = _DayTask(self._engine, work, lake, tuple(parts), args, kwargs)
        (found,) = self.each(_day, [task])
        return found

    def each(self, function: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The results of a function, in the order of the tasks, as one job.

        Raises:
            WorkerEndedError: each process that worked on one of the tasks ended.
            SparkError, SparkAwayError: as in `of_day`.
        """
        return self._each(function, tasks)

    def _each(self, function: Callable[[T], R], tasks: Sequence[T], *, is_check: bool = False) -> Iterator[R]:
        options = self.handle.options
        session = self.handle.session
        expected: tuple[type[Exception], ...] = (*spark_errors(), OSError)
        try:
            self._ship(session)
            # of unknown cores none should lack work
            slices = min(len(tasks), _SLICES_PER_CORE * options.cores) if options.cores else len(tasks)
            numbers = session.range(0, len(tasks), 1, max(slices, 1))
            run = on_executor(packed(function, tasks), not options.is_local)
            with self._watched_job(session, is_check):
                answers = numbers.mapInArrow(run, ANSWERS).collect()
        except expected as cause:
            raise _problem(cause) from cause
        return (result(bytes(answer)) for _, answer in sorted(answers))

    def check(self, *, takes_turn: bool = False) -> None:
        """Lets an executor ask the engine something; unless it takes its turn, it waits no longer than `job_wait_s`."""
        task = _DayTask(self._engine, _nothing, Path(), (), (), {})
        list(self._each(_day, [task], is_check=not takes_turn))

    def close(self) -> None:
        """Stops Spark, if it was started."""
        self.handle.close()

    def _ship(self, session: "SparkSession") -> None:
        """Gives the executors the driver's code, once a session: they never run another version of it."""
        options = self.handle.options
        with self._lock:
            if self._shipped_to is session or options.is_local:
                return
            archive = self.handle.scratch / f"{SHIPPED}.zip"
            pack_code(archive)
            if options.is_connect:
                session.addArtifacts(f"{archive}#{SHIPPED}", archive=True)
            else:
                session.sparkContext.addArchive(f"{archive}#{SHIPPED}")
            self._shipped_to = session

    def _watched_job(self, session: "SparkSession", is_check: bool) -> AbstractContextManager[None]:
        """The time of a job. A cluster says nothing when it has no executors: the wait for them is bounded here.

        Those of Spark Connect are its server's, and not to be seen.
        """
        options = self.handle.options
        if options.is_local or options.is_connect:
            return nullcontext()
        with self._lock:
            if self._watched is None or self._watched[0] is not session:
                context = session.sparkContext
                come_and_go = context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true"
                watch = ExecutorWatch(
                    options, lambda: has_executor(context), context.cancelAllJobs, come_and_go=come_and_go
                )
                self._watched = session, watch
            return self._watched[1].job(is_check=is_check)


def _nothing(engine: Engine, folder: Path, parts: Sequence[str]) -> None:
    engine.run("select 1 as one", folder, parts)


def _problem(cause: Exception) -> SparkError | WorkerEndedError:
    """What a failed job means: a program's mistake stays, and lost executors and connections pass."""
    if _CRASHED in str(cause):
        return WorkerEndedError(
            "each executor process that worked on a task was killed or ran out of memory; see the executors' logs "
            "and their machines' kernel logs; give each core of an executor more memory"
        )
    if type(cause).__name__ == "PythonException":
        return SparkError(f"a task failed on its executor: {message(cause)}")
    return SparkAwayError(
        f"Spark could not finish: {message(cause)}; if executors or the master were lost, it is enough to try again"
    )
