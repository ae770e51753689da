"""The processes that read flow files: this one, workers, or those of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hntes.etl.errors import LakeError, WorkerEndedError
from hntes.etl.ingest.content import Content
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, ExporterBaseline
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.lake.store import store_of
from hntes.etl.lake.url import Lake
from hntes.etl.memory import keep_freed_memory
from hntes.etl.sources.source import FlowSource

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from hntes.etl.engines.base import Machines

# Below this many bytes of flow files, starting worker processes costs more than it saves.
_SMALL_BYTES = 4 << 20
_PRELOADED = ("hntes.etl.ingest.flow_file", __name__)


@dataclass(frozen=True)
class ReadTask:
    """One flow file to be read: from what content, by which source, into which lake, under which name."""

    path: Path
    content: Content
    source: FlowSource
    lake: Lake
    stem: str
    claims: tuple[RouterExporters, ...]
    max_clock_ahead_ms: int
    baseline: ExporterBaseline = NOTHING_KNOWN
    day: date | None = None


class FileReader(Protocol):
    """Reads flow files into a lake; it knows neither ledger nor database."""

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks."""


@dataclass(frozen=True)
class LocalReader:
    """Reads in this process, or in several where that pays."""

    workers: int = 2

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks.

        Raises:
            WorkerEndedError: a worker ended while it read one of the files, each time.
        """
        if not self._pays(tasks):
            yield from map(run_task, tasks)
            return
        waiting = list(tasks)
        while waiting:
            done = 0
            for result in _side_by_side(waiting, self.workers):
                done += 1
                yield result
            waiting = waiting[done:]
            # a worker ended, most likely at one of the first files that have no result
            for task in waiting[: 2 * self.workers]:
                yield _alone(task)
            waiting = waiting[2 * self.workers :]

    def _pays(self, tasks: Sequence[ReadTask]) -> bool:
        """Whether several workers read."""
        size_bytes = sum(task.content.size_bytes for task in tasks)
        return self.workers > 1 and len(tasks) > 1 and size_bytes >= _SMALL_BYTES


@dataclass(frozen=True)
class ClusterReader:
    """Reads on the machines of a cluster, in jobs of so many files; `local` reads where their processes end."""

    machines: Machines
    local: LocalReader
    # what a killed run has to read again at most
    files_per_job: int = 256

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks.

        Raises:
            LakeError: a machine of the cluster has other folders than this one.
            WorkerEndedError: a worker of this machine ended, too, while it read one of the files.
        """
        for begin in range(0, len(tasks), self.files_per_job):
            some = tasks[begin : begin + self.files_per_job]
            try:
                results = list(self.machines.each(run_task, some))
            except WorkerEndedError:
                yield from self.local.read(some)
                continue
            _check_seen_here(some, results)
            yield from results


def _check_seen_here(tasks: Sequence[ReadTask], results: Sequence[ReadFile]) -> None:
    """A file or a part that only one machine has must not enter the ledger as changed, gone or read."""
    advice = "mount the flow folders and the lake under the same paths on all machines of the cluster"
    for task, result in zip(tasks, results, strict=True):
        if not result.sha256 and task.path.is_file():
            raise LakeError(f"{task.path}: an executor cannot open this file, this machine can; {advice}")
    # all files of a run go into one lake
    store = store_of(tasks[0].lake)
    if unseen := store.missing([part.name for result in results for part in result.parts]):
        raise LakeError(f"{store.at(min(unseen))}: written by an executor, not to be seen here; {advice}")


def _side_by_side(tasks: Sequence[ReadTask], workers: int) -> Iterator[ReadFile]:
    """Results in the order of the tasks, until a worker ends."""
    pool = _pool(workers, tasks[0])
    try:
        yield from pool.map(run_task, tasks)
    except BrokenExecutor:
        pass
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    # they have no more to do, and a hundredth of a second passes until their memory is returned
    pool.shutdown(wait=False)


def _alone(task: ReadTask) -> ReadFile:
    """Reads one file in a worker of its own; where that worker ends, too, by a reader outside of it."""
    for source in (task.source, task.source.isolated()):
        if source is None:
            continue
        try:
            with _pool(1, task) as pool:
                return pool.submit(run_task, replace(task, source=source)).result()
        except BrokenExecutor:
            continue
    raise WorkerEndedError(
        f"{task.path}: each process that read it was killed or ran out of memory; see the kernel's log; lower "
        "workers in [ingest], or give the machine more memory, and run again"
    )


def _pool(workers: int, task: ReadTask) -> ProcessPoolExecutor:
    """Workers for tasks such as this one."""
    # a night with few files needs none, and goes without what they bring
    from hntes.etl.workers import worker_pool

    return worker_pool(workers, (*_PRELOADED, *task.source.worker_modules))


def run_task(task: ReadTask) -> ReadFile:
    """Reads one file."""
    # where workers read, this process does without numpy and pyarrow
    from hntes.etl.ingest.flow_file import read_file

    keep_freed_memory()
    return read_file(
        task.path,
        task.source,
        task.lake,
        task.stem,
        list(task.claims),
        task.max_clock_ahead_ms,
        task.content,
        task.baseline,
        task.day,
    )
