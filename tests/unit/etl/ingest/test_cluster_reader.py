"""Files read by a cluster: in jobs, here where its processes end, and refused where machines see other folders."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hntes.etl.errors import LakeError, WorkerEndedError
from hntes.etl.ingest import readers
from hntes.etl.ingest.content import content_of
from hntes.etl.ingest.readers import ClusterReader, LocalReader, ReadTask
from hntes.etl.ingest.result import ReadFile
from hntes.etl.lake.part import Part
from hntes.etl.sources.nfcapd import SOURCE


class Cluster:
    """Answers with the result that it was given, and takes note of the jobs; at some it loses its processes."""

    def __init__(self, result: ReadFile, loses: int = -1) -> None:
        self.jobs: list[int] = []
        self._result, self._loses = result, loses

    def each(self, _function: Callable[[Any], Any], tasks: Sequence[ReadTask]) -> Iterator[Any]:
        self.jobs.append(len(tasks))
        if len(self.jobs) - 1 == self._loses:
            raise WorkerEndedError("each executor process was killed")
        return iter([replace(self._result, sha256=task.content.sha256) for task in tasks])


@pytest.fixture
def tasks(tmp_path: Path) -> list[ReadTask]:
    made = []
    for number in range(5):
        path = tmp_path / f"nfcapd.20261120180{number}"
        path.write_bytes(bytes([number]))
        made.append(ReadTask(path, content_of(path), SOURCE, tmp_path / "lake", f"stem{number}", (), 0))
    return made


def test_files_are_read_in_jobs_in_their_order(tasks: list[ReadTask]) -> None:
    cluster = Cluster(ReadFile("", 1))
    found = list(ClusterReader(cluster, LocalReader(), files_per_job=2).read(tasks))
    assert cluster.jobs == [2, 2, 1]
    assert [one.sha256 for one in found] == [task.content.sha256 for task in tasks]


def test_a_job_whose_processes_end_is_read_here(tasks: list[ReadTask], monkeypatch: pytest.MonkeyPatch) -> None:
    here: list[str] = []

    def read_here(task: ReadTask) -> ReadFile:
        here.append(task.stem)
        return ReadFile(task.content.sha256, 1, reason="read here")

    monkeypatch.setattr(readers, "run_task", read_here)
    found = list(ClusterReader(Cluster(ReadFile("", 1), loses=1), LocalReader(1), files_per_job=2).read(tasks))
    assert here == ["stem2", "stem3"]
    assert [one.reason for one in found] == ["", "", "read here", "read here", ""]


def test_a_part_that_only_an_executor_sees_is_refused(tasks: list[ReadTask]) -> None:
    part = Part("r1", date(2026, 11, 20), "flows/router=r1/day=2026-11-20/a.parquet", 1, 1, "")
    reader = ClusterReader(Cluster(ReadFile("", 1, parts=(part,))), LocalReader())
    with pytest.raises(LakeError, match=r"a\.parquet: written by an executor, not to be seen here; mount"):
        list(reader.read(tasks))
    lake = tasks[0].lake
    assert isinstance(lake, Path)
    path = lake / part.name
    path.parent.mkdir(parents=True)
    path.touch()
    assert len(list(reader.read(tasks))) == 5


def test_a_file_that_an_executor_cannot_open_is_no_file_that_is_gone(tasks: list[ReadTask]) -> None:
    class Blind(Cluster):
        def each(self, _function: Callable[[Any], Any], tasks: Sequence[ReadTask]) -> Iterator[Any]:
            return iter([ReadFile("", 0, is_unchanged=False) for _ in tasks])

    with pytest.raises(LakeError, match=r"nfcapd\.202611201800: an executor cannot open this file, this machine can"):
        list(ClusterReader(Blind(ReadFile("", 0)), LocalReader()).read(tasks))
    for task in tasks:
        task.path.unlink()
    assert not any(one.is_unchanged for one in ClusterReader(Blind(ReadFile("", 0)), LocalReader()).read(tasks))
