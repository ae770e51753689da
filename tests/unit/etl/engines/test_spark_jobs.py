"""Jobs of a Spark session that this process plays, without Java: their slices, their waits, and its end."""

import threading
from typing import Any

import pytest

from hntes.etl.engines import executor_watch
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.executor_task import answers, packed, result
from hntes.etl.engines.session import SparkAwayError, SparkHandle, SparkOptions
from hntes.etl.engines.spark import SparkMachines
from hntes.etl.errors import LakeAwayError, LakeError
from tests.support import cluster_tasks, spark

OF_SPARK = pytest.mark.skipif(bool(spark.missing()), reason=spark.missing() or "all is there")


class Cluster:
    """Session, context and configuration of a cluster, which has no executors unless it answers at once."""

    def __init__(self, conf: dict[str, str], *, answers_at_once: bool = False) -> None:
        self.slices: list[int] = []
        self.executors = 0
        self._conf, self._answers_at_once = conf, answers_at_once
        self._cancelled = threading.Event()
        self.sparkContext = self._jsc = self

    def range(self, _begin: int, _end: int, _step: int, slices: int) -> "Cluster":
        self.slices.append(slices)
        return self

    def mapInArrow(self, _function: object, _schema: str) -> "Cluster":  # noqa: N802 - as Spark names it
        return self

    def collect(self) -> list[tuple[int, bytes]]:
        from py4j.protocol import Py4JError

        if not self._answers_at_once and not self.executors and self._cancelled.wait(20):
            raise Py4JError("the job was cancelled")
        return []

    def getConf(self) -> dict[str, str]:  # noqa: N802
        return self._conf

    def sc(self) -> "Cluster":
        return self

    def getExecutorMemoryStatus(self) -> "Cluster":  # noqa: N802
        return self

    def size(self) -> int:
        return self.executors + 1  # the driver is among them

    def cancelAllJobs(self) -> None:  # noqa: N802
        self._cancelled.set()

    def addArchive(self, _path: str) -> None:  # noqa: N802
        """Takes the code."""

    def addArtifacts(self, _path: str, *, archive: bool) -> None:  # noqa: N802
        """The same by Spark Connect."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No session of other tests, and no wait for a look at the executors."""
    monkeypatch.setattr(SparkHandle, "_owner", None)
    monkeypatch.setattr(executor_watch, "_LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(executor_watch, "_LEAST_WAIT_S", 0.1)
    monkeypatch.setattr("hntes.etl.engines.spark.pack_code", lambda _archive: None)


def machines(options: SparkOptions, session: Any) -> SparkMachines:
    made = SparkMachines(options, DuckEngine())
    made.handle._session = session
    return made


@OF_SPARK
@pytest.mark.parametrize(
    ("master", "slices"), [("spark://h:7077", 12), ("local[2]", 8), ("sc://h", 100), ("yarn", 100), ("k8s://h", 100)]
)
def test_a_job_has_work_for_all_cores_also_where_their_number_is_not_known(master: str, slices: int) -> None:
    cluster = Cluster({}, answers_at_once=True)
    list(machines(SparkOptions(master, max_cores=3), cluster).each(cluster_tasks.double, range(100)))
    assert cluster.slices == [slices]


@OF_SPARK
@pytest.mark.parametrize("master", ["spark://h:7077", "yarn", "k8s://https://h:6443"])
def test_the_wait_for_the_executors_of_any_cluster_is_bounded(master: str) -> None:
    waiting = machines(SparkOptions(master, executor_wait_s=0.2), Cluster({}))
    with pytest.raises(SparkAwayError, match=f"{master}: no executor with 1024 MB has come.*raise executor_wait_s"):
        list(waiting.each(cluster_tasks.double, [1]))


@OF_SPARK
@pytest.mark.parametrize(
    ("conf", "key"), [({}, "job_wait_s"), ({"spark.dynamicAllocation.enabled": "true"}, "executor_wait_s")]
)
def test_executors_that_are_given_back_when_idle_are_waited_for_as_the_first(conf: dict[str, str], key: str) -> None:
    cluster = Cluster(conf)
    waiting = machines(SparkOptions("yarn", executor_wait_s=0.3, job_wait_s=0.2), cluster)
    cluster.executors = 1
    list(waiting.each(cluster_tasks.double, [1]))
    cluster.executors = 0
    with pytest.raises(SparkAwayError, match=f"all executors are gone.*raise {key}"):
        list(waiting.each(cluster_tasks.double, [1]))


@OF_SPARK
@pytest.mark.parametrize("kind", ["Py4JNetworkError", "ConnectionRefusedError"])
def test_a_session_whose_java_has_died_is_closed(kind: str) -> None:
    from py4j.protocol import Py4JNetworkError

    class Dead:
        def stop(self) -> None:
            raise {"Py4JNetworkError": Py4JNetworkError, "ConnectionRefusedError": ConnectionRefusedError}[kind]

    handle = machines(SparkOptions("spark://h:7077"), Dead()).handle
    SparkHandle._owner = handle
    scratch = handle.scratch
    handle.close()
    assert SparkHandle._owner is None
    assert not scratch.exists()


def test_a_store_that_is_away_is_waited_for_once_by_a_process_of_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_tasks, "ASKED", [])
    work, same = (packed(cluster_tasks.ask_away, ["first", "second", "third"]) for _ in range(2))
    assert said(LakeAwayError, work, 0, 1) == ["first: no answer"] * 2
    assert said(LakeAwayError, work, 2) == ["first: no answer"]  # its next slice
    assert cluster_tasks.ASKED == ["first"]
    # another job, later
    assert said(LakeAwayError, same, 1) == ["second: no answer"]
    assert cluster_tasks.ASKED == ["first", "second"]


def test_what_is_wrong_with_one_task_says_nothing_of_the_others() -> None:
    assert said(LakeError, packed(cluster_tasks.lacking, ["a", "b"]), 0, 1) == ["a: gone", "b: gone"]


def said(kind: type[LakeError], work: bytes, *numbers: int) -> list[str]:
    """What the tasks of a slice fail of."""
    found = []
    for batch in answers(work, numbers):
        with pytest.raises(kind) as problem:
            result(batch.column("answer")[0].as_py())
        found.append(str(problem.value))
    return found
