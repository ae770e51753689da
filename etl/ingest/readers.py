"""The processes that read flow files: this one, or workers."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from hntes.etl.errors import WorkerEndedError
from hntes.etl.ingest.content import Content, content_of
from hntes.etl.ingest.decode import Claim
from hntes.etl.ingest.early_hashes import EarlyHashes
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, Usual
from hntes.etl.ingest.fresh import with_hash
from hntes.etl.ingest.result import ReadFile
from hntes.etl.lake.url import Lake
from hntes.etl.memory import claim_memory, keep_freed_memory
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.workers import begin_pool, begin_server, end_begun_pools, worker_pool

# Below this many bytes of flow files, starting worker processes costs more than it saves.
_SMALL_BYTES = 4 << 20
# The last is what pyarrow loads with the first column that it gets.
_PRELOADED = (
    "hntes.etl.loaded_first",
    "hntes.etl.ingest.flow_file",
    __name__,
    "hntes.etl.sources.nfcapd.native",
    "numpy.ma",
)

_early = EarlyHashes()


@dataclass(frozen=True)
class ReadTask:
    """One flow file to be read: from what content, into which lake, under which name.

    Of content without a hash only the length is known; the hash is taken before reading, and then stands in the name.
    """

    path: Path
    content: Content
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

    def prepare(self, files: int, size_bytes: int) -> bool:
        """Says that so many files of so many bytes together are likely to be read soon.

        Returns whether files may be given without a hash: it is taken where they are read, several at a time.
        """


@dataclass(frozen=True)
class LocalReader:
    """Reads in this process, or in several where that pays."""

    workers: int = 2
    native: bool = False  # without nfdump, where the native reader knows all that a file holds

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        """One result per task, in the order of the tasks.

        Raises:
            WorkerEndedError: a worker ended while it read one of the files through nfdump, too.
        """
        _early.stop()
        if not self._pays(len(tasks), sum(task.content.size_bytes for task in tasks)):
            end_begun_pools()
            yield from map(partial(run_task, native=self.native), tasks)
            return
        waiting = [replace(task, content=_early.of(task.path, task.content)) for task in tasks]
        while waiting:
            done = 0
            for result in _side_by_side(waiting, self.workers, self.native):
                done += 1
                yield result
            waiting = waiting[done:]
            # a worker ended, most likely at one of the first files that have no result
            for task in waiting[: 2 * self.workers]:
                yield _alone(task, self.native)
            waiting = waiting[2 * self.workers :]

    def prepare(self, files: int, size_bytes: int) -> bool:
        """Begins to load what workers need, where there will be any; these take hashes, too."""
        if pays := self._pays(files, size_bytes):
            begin_server(_PRELOADED)
        return pays

    def begin(self, sizes: Mapping[Path, int], likely: Sequence[Path]) -> None:
        """Begins the workers, where files of these lengths in bytes are many or long enough for several.

        All but one, as this process has work as well, get their memory; then hashes of the files that are likely to be
        read are taken, in this order and until `read`.
        """

        def get_ready(pool: Executor) -> None:
            wait([pool.submit(claim_memory) for _ in range(max(1, self.workers - 1))])
            _early.take(pool, ((path, sizes[path]) for path in likely))

        if self._pays(len(sizes), sum(sizes.values())):
            _early.start()
            begin_pool(self.workers, _PRELOADED, get_ready)

    def _pays(self, files: int, size_bytes: int) -> bool:
        """Whether several workers do."""
        return self.workers > 1 and files > 1 and size_bytes >= _SMALL_BYTES


def _side_by_side(tasks: Sequence[ReadTask], workers: int, native: bool) -> Iterator[ReadFile]:
    """Results in the order of the tasks, until a worker ends."""
    pool = worker_pool(workers, _PRELOADED)
    try:
        yield from pool.map(partial(run_task, native=native), tasks)
    except BrokenProcessPool:
        pass
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    # they have no more to do, and a hundredth of a second passes until their memory is returned
    pool.shutdown(wait=False)


def _alone(task: ReadTask, native: bool) -> ReadFile:
    """Reads one file in a worker of its own; through nfdump where that worker ends, too."""
    for natively in (True, False) if native else (False,):
        try:
            with worker_pool(1, _PRELOADED) as pool:
                result = pool.submit(run_task, task, native=natively).result()
        except BrokenProcessPool:
            continue
        if native and not natively:
            warning = "read by nfdump: the native reader's process was killed or ran out of memory"
            return replace(result, warnings=(warning, *result.warnings))
        return result
    raise WorkerEndedError(
        f"{task.path}: each process that read it was killed or ran out of memory; the kernel's log may say why: lower "
        "workers in [ingest], or give the machine more memory, and run again"
    )


def run_task(task: ReadTask, native: bool = False) -> ReadFile:
    """Reads one file."""
    # where workers read, this process does without numpy and pyarrow
    from hntes.etl.ingest.flow_file import read_file

    keep_freed_memory()
    content = task.content
    if not content.sha256:
        try:
            content = content_of(task.path)
        except OSError:
            return ReadFile("", 0, is_unchanged=False)
        if content.size_bytes != task.content.size_bytes:  # of another length it may be a copy of another file
            return ReadFile(content.sha256, content.size_bytes, is_unchanged=False)
    return read_file(
        task.path, task.nfdump, task.lake, with_hash(task.stem, content), list(task.claims), task.max_clock_ahead_ms,
        content, task.usual, native,
    )  # fmt: skip
