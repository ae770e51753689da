"""Jobs of a standalone cluster: cancelled after a bounded time without executors, left alone while there are some."""

import threading
from collections.abc import Callable

import pytest

from hntes.etl.engines import executor_watch
from hntes.etl.engines.executor_watch import ExecutorWatch
from hntes.etl.engines.session import SparkAwayError, SparkOptions

LONG_S = 3600.0
SHORT_S = 0.05
PATIENCE_S = 60.0


class CancelledError(Exception):
    """What Spark raises in a cancelled job."""


class Cluster:
    """A session whose jobs run as long as it has an executor, or until they are cancelled."""

    def __init__(self, options: SparkOptions) -> None:
        self.has_executor = False
        self.looks = 0
        self._cancelled = threading.Event()
        self.watch = ExecutorWatch(options, self._look, self._cancelled.set)

    def _look(self) -> bool:
        self.looks += 1
        return self.has_executor

    def job(self, until: Callable[[], bool] = lambda: False, *, is_check: bool = False) -> None:
        self._cancelled.clear()
        with self.watch.job(is_check=is_check):
            for _ in range(int(PATIENCE_S / 0.01)):
                if until():
                    return
                if self._cancelled.wait(0.01):
                    raise CancelledError
            pytest.fail("the job was never cancelled")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_watch, "_LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(executor_watch, "_LEAST_WAIT_S", 0.1)


def cluster(first_s: float, later_s: float) -> Cluster:
    return Cluster(
        SparkOptions("spark://head:7077", executor_memory_mb=768, executor_wait_s=first_s, job_wait_s=later_s)
    )


def test_a_command_that_gets_no_executor_ends_with_the_master_and_what_to_do() -> None:
    with pytest.raises(SparkAwayError) as found:
        cluster(SHORT_S, LONG_S).job()
    said = str(found.value)
    assert said.startswith("spark://head:7077: no executor with 768 MB has come: the cluster has no workers")
    for remedy in ("start workers", "the master's web page", "raise executor_wait_s", "local[2]"):
        assert remedy in said
    assert isinstance(found.value.__cause__, CancelledError)


def test_a_job_whose_executors_are_gone_is_not_waited_for_as_long_as_the_first() -> None:
    made = cluster(LONG_S, SHORT_S)
    made.has_executor = True
    made.job(lambda: made.looks > 3)
    made.has_executor = False
    with pytest.raises(SparkAwayError, match=r"all executors are gone, and no executor .*raise job_wait_s"):
        made.job()


def test_a_check_does_not_wait_for_its_turn() -> None:
    with pytest.raises(SparkAwayError, match="raise job_wait_s"):
        cluster(LONG_S, SHORT_S).job(is_check=True)


def test_a_job_with_executors_may_take_longer_than_the_limits() -> None:
    made = cluster(SHORT_S, SHORT_S)
    made.has_executor = True
    # some 0.3 s of looks
    made.job(lambda: made.looks > 30)


def test_an_executor_that_comes_back_in_time_ends_the_wait() -> None:
    made = cluster(LONG_S, 1.0)
    made.has_executor = True
    made.job(lambda: made.looks > 3)
    for _ in range(3):
        made.has_executor, made.looks = False, 0
        made.job(lambda: made.looks > 40)  # alone within the limit, and beyond it together


def test_of_many_jobs_without_executors_only_the_first_waits_to_the_end() -> None:
    made = cluster(0.5, LONG_S)
    waits = []
    for _ in range(3):
        made.looks = 0
        with pytest.raises(SparkAwayError, match="no executor"):
            made.job()
        waits.append(made.looks)
    assert max(waits[1:]) < waits[0]


def test_what_a_job_fails_of_is_not_taken_for_the_lack_of_executors() -> None:
    made = cluster(LONG_S, LONG_S)
    with pytest.raises(ZeroDivisionError), made.watch.job():
        raise ZeroDivisionError


def test_the_wait_is_told_by_the_master(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(executor_watch, "_WARN_EVERY_S", 0.05)
    with pytest.raises(SparkAwayError):
        cluster(0.5, LONG_S).job()
    assert "spark://head:7077: no executor with 768 MB has come" in caplog.text
    assert "waiting for at most" in caplog.text
