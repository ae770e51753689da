"""Who reads flow files: this process and its workers, or (etl/ingest/spark_reader.py) the tasks of a Spark cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from etl.ingest.decode import Claim
from etl.ingest.flow_file import ReadFile, read_file
from etl.ingest.trust import NOTHING_KNOWN, Usual
from etl.lake.url import Lake
from etl.memory import keep_freed_memory
from etl.nfcapd.nfdump import Nfdump
from etl.workers import worker_pool

# Below this many bytes of flow files, starting worker processes costs more than it saves.
_SMALL_BYTES = 4 << 20


@dataclass(frozen=True)
class ReadTask:
    """One flow file to be read: from what content, into which lake, under which name."""

    path: Path
    size_bytes: int
    sha256: str
    nfdump: Nfdump
    lake: Lake
    stem: str
    claims: tuple[Claim, ...]
    max_clock_ahead_ms: int
    usual: Usual = NOTHING_KNOWN


class FileReader(Protocol):
    """Reads flow files into a lake; it knows neither ledger nor database."""

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks."""


@dataclass(frozen=True)
class LocalReader:
    """Reads in this process, or in several where that pays."""

    workers: int = 2
    native: bool = False  # without nfdump, where the native reader knows all that a file holds

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks."""
        run = partial(run_task, native=self.native)
        if self.workers == 1 or len(tasks) < 2 or sum(task.size_bytes for task in tasks) < _SMALL_BYTES:
            yield from map(run, tasks)
            return
        with worker_pool(self.workers) as pool:
            try:
                yield from pool.map(run, tasks)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def run_task(task: ReadTask, native: bool = False) -> ReadFile:
    """Reads one file."""
    keep_freed_memory()
    return read_file(
        task.path, task.nfdump, task.lake, task.stem, list(task.claims), task.max_clock_ahead_ms, task.sha256,
        task.usual, native,
    )  # fmt: skip
