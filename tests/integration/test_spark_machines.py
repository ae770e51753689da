"""Router-days on Spark's executors, in this process's Java and on a cluster on loopback: as on one machine."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.etl.counters.port_octets import port_octets
from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.base import Machines
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.here import ThisMachine
from hntes.etl.engines.session import SparkAwayError, SparkError, SparkOptions
from hntes.etl.engines.spark import SparkMachines
from hntes.etl.errors import ChangedPartError, GonePartError, LakeAwayError, LakeError, WorkerEndedError
from hntes.etl.ingest.readers import ClusterReader, LocalReader
from hntes.etl.lake.url import LakeUrl, S3Options
from hntes.etl.measure.beta_between import beta_between
from hntes.etl.measure.interface_load import measure_day
from hntes.sql.entries import LakePart
from hntes.workflow.errors import is_temporary
from tests.conftest import ROOT
from tests.support import cluster_tasks
from tests.support.fake_s3 import BUCKET, fake_s3
from tests.support.lake_parts import as_written, named
from tests.support.load_pairs import PAIRS
from tests.support.minio import KEYS
from tests.support.recorded import ingested
from tests.support.spark import JAVA_OPTIONS, LOCAL, SPARK_TEST
from tests.support.spark_cluster import LOOPBACK_CONF, standalone_cluster
from tests.support.synthetic_flows import BEGIN_MS, DAY_MS, DAYS, planted_alpha, write_lake

pytestmark = SPARK_TEST

HERE = ThisMachine(DuckEngine(threads=2))
CLUSTER_CONF = {**LOCAL.conf, **LOOPBACK_CONF, "spark.executor.extraJavaOptions": JAVA_OPTIONS}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkOptions]:
    """How a cluster of two workers is reached. Its executors have another HNTES installed, which cannot be used."""
    installed = tmp_path_factory.mktemp("installed")
    (installed / "hntes").mkdir()
    (installed / "hntes" / "__init__.py").write_text("raise ImportError('not the driver's version')")
    conf = CLUSTER_CONF | {"spark.executorEnv.PYTHONPATH": f"{installed}:{ROOT}"}
    with standalone_cluster(workers=2, worker_memory_mb=768) as master:
        yield replace(LOCAL, master=master, executor_memory_mb=768, max_cores=2, conf=conf)


@pytest.fixture(scope="module", params=["local", pytest.param("cluster", marks=pytest.mark.long)])
def machines(request: pytest.FixtureRequest, spark_machines: SparkMachines) -> Iterator[SparkMachines]:
    if request.param == "local":
        yield spark_machines
        return
    spark_machines.close()  # one session a process; it starts again when it is next asked
    made = SparkMachines(request.getfixturevalue("cluster"), DuckEngine(threads=1))
    yield made
    made.close()


@pytest.fixture
def without_session(spark_machines: SparkMachines) -> None:
    """The session in this process, which tests before may have used, is closed: a cluster's takes its place."""
    spark_machines.close()


@pytest.fixture(scope="module", params=[30_000, pytest.param(600_000, marks=pytest.mark.long)])
def synthetic(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[LakePart]]:
    folder = tmp_path_factory.mktemp("synthetic")
    return folder, as_written(folder, write_lake(folder, request.param, request.param // 6))


@pytest.mark.parametrize("number", [0, 1])
def test_a_day_gives_what_one_machine_finds(
    machines: SparkMachines, synthetic: tuple[Path, list[LakePart]], number: int
) -> None:
    day = DAYS[number]
    alpha = HERE.of_day(detect_day, *synthetic, "r1", day, DetectionRule())
    assert len(alpha) == planted_alpha(len(synthetic[1]), number)
    assert machines.of_day(detect_day, *synthetic, "r1", day, DetectionRule()) == alpha
    load = HERE.of_day(measure_day, *synthetic, "r1", day, PAIRS, rates_bps={1: 10**11})
    assert load[0].minutes
    assert any(each.alpha_bytes for each in load[1])
    assert machines.of_day(measure_day, *synthetic, "r1", day, PAIRS, rates_bps={1: 10**11}) == load
    beta = HERE.of_day(beta_between, *synthetic, day, PAIRS, alpha)
    assert beta
    assert machines.of_day(beta_between, *synthetic, day, PAIRS, alpha) == beta


def test_octets_of_interfaces_are_the_same(machines: SparkMachines, synthetic: tuple[Path, list[LakePart]]) -> None:
    bounds = BEGIN_MS, BEGIN_MS + DAY_MS

    def found(by: Machines) -> dict[object, list[object]]:
        octets = by.of_day(port_octets, *synthetic, bounds, 18)
        return {
            port: [each.first_ms.tolist(), each.octets.tolist(), each.variance.tolist()]
            for port, each in octets.items()
        }

    assert found(machines) == found(HERE) != {}


@pytest.mark.parametrize("folder", ["run_a/one_dir", pytest.param("", marks=pytest.mark.long)])
def test_files_are_read_as_on_one_machine(
    machines: SparkMachines, shared_data: Path, tmp_path: Path, folder: str
) -> None:
    flows = shared_data / "transfers" / folder
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    here = ingested(flows, tmp_path / "here", None, by_rows=False)
    there = ingested(flows, tmp_path / "there", ClusterReader(machines, LocalReader()), by_rows=False)
    assert here.parts
    assert there.report == here.report
    assert there.state == here.state


def test_days_of_several_threads_run_side_by_side(machines: SparkMachines) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(_doubled, machines, n) for n in range(1, 9)]
    assert [job.result() for job in jobs] == [[2 * each for each in range(n)] for n in range(1, 9)]


def _doubled(machines: SparkMachines, count: int) -> list[int]:
    return list(machines.each(cluster_tasks.double, range(count)))


def test_no_tasks_have_no_results(machines: SparkMachines) -> None:
    assert list(machines.each(cluster_tasks.double, [])) == []


def test_what_is_wrong_with_data_comes_as_on_one_machine(
    machines: SparkMachines, synthetic: tuple[Path, list[LakePart]]
) -> None:
    with pytest.raises(LakeError, match=r"^/srv/part: gone$"):
        list(machines.each(cluster_tasks.lacking, ["/srv/part"]))
    with pytest.raises(LakeError, match=r"gone\.parquet: the ledger names this part but it is gone"):
        machines.of_day(detect_day, synthetic[0], [named("gone.parquet")], "r1", DAYS[0], DetectionRule())


def test_a_mistake_of_the_program_is_no_passing_fault(machines: SparkMachines) -> None:
    with pytest.raises(SparkError, match=r"a task failed on its executor: .*a mistake in the program") as found:
        list(machines.each(cluster_tasks.mistaken, [1]))
    assert not is_temporary(found.value)


def test_a_process_that_ends_at_each_try_is_told(machines: SparkMachines) -> None:
    with pytest.raises(WorkerEndedError, match="was killed or ran out of memory"):
        list(machines.each(cluster_tasks.end_always, [1]))
    assert list(machines.each(cluster_tasks.double, [1])) == [2]


def test_a_lake_by_url_is_read_by_the_executors(
    machines: SparkMachines, synthetic: tuple[Path, list[LakePart]], tmp_path: Path
) -> None:
    folder, parts = synthetic
    lake = LakeUrl(f"file://{folder}", tmp_path)
    found = machines.of_day(detect_day, lake, parts, "r1", DAYS[0], DetectionRule())
    assert found == HERE.of_day(detect_day, folder, parts, "r1", DAYS[0], DetectionRule())


def test_a_lake_in_a_bucket_is_read_by_the_executors(
    machines: SparkMachines, synthetic: tuple[Path, list[LakePart]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its keys are those of this process's environment, which executors on this machine have, too."""
    if machines.handle.options.master.startswith("spark:"):
        pytest.skip("the workers of the cluster were started without keys")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    folder, parts = synthetic
    machines.close()
    with fake_s3() as bucket:
        bucket.objects |= {f"lake/{part.part}": (folder / part.part).read_bytes() for part in parts}
        lake = LakeUrl(f"s3://{BUCKET}/lake", tmp_path, S3Options(bucket.endpoint, tls=False))
        found = machines.of_day(detect_day, lake, parts, "r1", DAYS[0], DetectionRule())
        assert found == HERE.of_day(detect_day, folder, parts, "r1", DAYS[0], DetectionRule())
        with pytest.raises(GonePartError, match=rf"s3://{BUCKET}/lake/gone\.parquet: the ledger names this part"):
            machines.of_day(detect_day, lake, [named("gone.parquet")], "r1", DAYS[0], DetectionRule())
        bucket.answer = lambda *_: (503, "SlowDown")
        with pytest.raises(LakeAwayError) as away:
            machines.of_day(detect_day, lake, parts, "r1", DAYS[0], DetectionRule())
    assert is_temporary(away.value)


@pytest.mark.parametrize("by_url", [False, True])
def test_an_executor_refuses_a_part_that_is_not_what_was_written(
    machines: SparkMachines, synthetic: tuple[Path, list[LakePart]], tmp_path: Path, by_url: bool
) -> None:
    folder, (first, *others) = synthetic
    lake = LakeUrl(f"file://{folder}", tmp_path) if by_url else folder
    edited = [*others, replace(first, sha256="0" * 64)]
    with pytest.raises(ChangedPartError, match=rf"{first.part} has the SHA-256 {first.sha256}; 0{{64}} was written"):
        machines.of_day(detect_day, lake, edited, "r1", DAYS[0], DetectionRule())


def test_a_second_session_in_one_process_is_refused(spark_machines: SparkMachines) -> None:
    spark_machines.check()
    with pytest.raises(SparkError, match=r"this process has a Spark session on .* already"):
        SparkMachines(spark_machines.handle.options, DuckEngine()).check()


@pytest.mark.long
@pytest.mark.usefixtures("without_session")
class TestCluster:
    def test_executors_run_the_drivers_code(self, cluster: SparkOptions) -> None:
        machines = SparkMachines(cluster, DuckEngine(threads=1))
        try:
            (found,) = machines.each(cluster_tasks.code_folder, [None])
        finally:
            machines.close()
        assert found.endswith("/hntes-code/hntes")

    def test_a_task_whose_process_was_killed_is_done_again(self, cluster: SparkOptions, tmp_path: Path) -> None:
        machines = SparkMachines(cluster, DuckEngine(threads=1))
        try:
            assert list(machines.each(cluster_tasks.end_once, [tmp_path / "a", tmp_path / "b"])) == ["done", "done"]
        finally:
            machines.close()

    def test_without_room_it_ends_after_its_wait(self, cluster: SparkOptions) -> None:
        options = replace(cluster, executor_memory_mb=4096, executor_wait_s=10.0)
        machines = SparkMachines(options, DuckEngine())
        try:
            with pytest.raises(
                SparkAwayError, match=r"no executor with 4096 MB has come.*it was waited for 1\d s"
            ) as found:
                machines.check()
        finally:
            machines.close()
        assert is_temporary(found.value)

    def test_a_job_whose_workers_are_gone_ends_after_its_wait(self, cluster: SparkOptions) -> None:
        with standalone_cluster(workers=1, worker_memory_mb=768) as master:
            machines = SparkMachines(replace(cluster, master=master, job_wait_s=10.0), DuckEngine(threads=1))
            try:
                (worker,) = machines.each(cluster_tasks.worker_pid, [None])
                os.kill(worker, signal.SIGKILL)
                with pytest.raises(SparkAwayError, match=rf"{master}: all executors are gone.*start workers") as found:
                    list(machines.each(cluster_tasks.double, [1]))
            finally:
                machines.close()
        assert is_temporary(found.value)

    def test_a_second_application_waits_for_its_turn(self, cluster: SparkOptions) -> None:
        """The first holds all cores until it ends; the second is given its work meanwhile."""
        code = (
            "import sys; from hntes.etl.engines.duck import DuckEngine; from hntes.etl.engines.spark import *; "
            "from tests.support.cluster_tasks import double; "
            f"options = SparkOptions({cluster.master!r}, executor_memory_mb=768, conf={cluster.conf!r}); "
            "machines = SparkMachines(options, DuckEngine()); print('begun', flush=True); "
            "print(list(machines.each(double, [1]))); machines.close()"
        )
        first = SparkMachines(cluster, DuckEngine())
        first.check()
        with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as second:
            try:
                assert second.stdout is not None
                assert second.stdout.readline() == "begun\n"
                with pytest.raises(subprocess.TimeoutExpired):
                    second.wait(30)
                first.close()
                assert second.stdout.read() == "[2]\n"
                assert second.wait() == 0
            finally:
                first.close()
                second.kill()
