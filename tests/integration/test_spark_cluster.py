"""The same days through DuckDB, Spark in this process and a Spark cluster on loopback: equal, row for row."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.base import Engine
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkError, SparkOptions
from hntes.etl.engines.spark import SparkEngine
from hntes.sql.entries import ObservationEntry
from hntes.sql.queries import query_text
from tests.support.recorded import Folder, ingested
from tests.support.spark import JAVA_OPTIONS, LOCAL, SPARK_TEST
from tests.support.spark_cluster import LOOPBACK_CONF, standalone_cluster
from tests.support.synthetic_flows import DAYS, planted_alpha, write_lake

pytestmark = SPARK_TEST

ALL_TIME = {
    "from_ms": 0, "to_ms": 1 << 42, "window_ms": 60_000, "with_ports": 1, "with_exporters": 1, "cell_mask": 2**16 - 1,
    "hash_seed": 7
}  # fmt: skip
SMALL_TRANSFER = 100_000
CLUSTER_CONF = {**LOCAL.conf, **LOOPBACK_CONF, "spark.executor.extraJavaOptions": JAVA_OPTIONS}


@pytest.fixture(scope="module")
def cluster() -> Iterator[SparkOptions]:
    """How a cluster of two workers is reached."""
    with standalone_cluster(workers=2, worker_memory_mb=768) as master:
        yield replace(LOCAL, master=master, executor_memory_mb=768, conf=CLUSTER_CONF)


@pytest.fixture(scope="module", params=["local", pytest.param("cluster", marks=pytest.mark.long)])
def engine(request: pytest.FixtureRequest, spark_engine: SparkEngine) -> Iterator[SparkEngine]:
    if request.param == "local":
        yield spark_engine
        return
    spark_engine.close()  # one session a process; it starts again when it is next asked
    engine = SparkEngine(request.getfixturevalue("cluster"))
    yield engine
    engine.close()


@pytest.fixture
def without_session(spark_engine: SparkEngine) -> None:
    """The session in this process, which tests before may have used, is closed: a cluster's takes its place."""
    spark_engine.close()


@pytest.fixture(scope="module", params=[30_000, pytest.param(600_000, marks=pytest.mark.long)])
def synthetic(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("synthetic")
    return folder, write_lake(folder, request.param, request.param // 6)


@pytest.fixture(scope="module")
def recorded(request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return ingested(shared_data / request.param, tmp_path_factory.mktemp(request.param), None)


def test_synthetic_days_give_the_same_observations(engine: SparkEngine, synthetic: tuple[Path, list[str]]) -> None:
    for number, day in enumerate(DAYS):
        expected = detect_day(DuckEngine(), *synthetic, "r1", day, DetectionRule())
        assert len(expected) == planted_alpha(len(synthetic[1]), number)
        assert detect_day(engine, *synthetic, "r1", day, DetectionRule()) == expected


# One reader decodes files for either engine, so what the exports have beside the transfers is for the long run.
ONE_FOLDER = pytest.mark.parametrize(
    "recorded", ["transfers", pytest.param("exports", marks=pytest.mark.long)], indirect=True
)


@ONE_FOLDER
def test_recorded_records_give_the_same_candidates(engine: SparkEngine, recorded: Folder) -> None:
    query = query_text("alpha_candidates", **ALL_TIME, threshold_bytes=SMALL_TRANSFER)
    expected = DuckEngine().run(query, recorded.lake, recorded.parts).to_pylist()
    assert len(expected) > 100
    assert engine.run(query, recorded.lake, recorded.parts).to_pylist() == expected


@pytest.mark.long
@ONE_FOLDER
def test_a_recorded_day_gives_the_same_observations(engine: SparkEngine, recorded: Folder) -> None:
    """The day of the folder on which most is found."""
    rule = DetectionRule(threshold_bytes=SMALL_TRANSFER)

    def found(chosen: Engine, day: date) -> list[ObservationEntry]:
        return detect_day(chosen, recorded.lake, recorded.parts, "r1", day, rule)

    here = {day: found(DuckEngine(), day) for day in recorded.days}
    day = max(here, key=lambda day: len(here[day]))
    assert here[day]
    assert found(engine, day) == here[day]


@pytest.mark.long
@pytest.mark.usefixtures("without_session")
def test_a_cluster_finds_the_same(cluster: SparkOptions, shared_data: Path, tmp_path: Path) -> None:
    """One recorded folder by the executors of a cluster and an engine of its own."""
    here = ingested(shared_data / "transfers" / "run_a" / "one_dir", tmp_path, None)
    rule = DetectionRule(threshold_bytes=SMALL_TRANSFER)
    engine = SparkEngine(cluster)
    try:
        expected = detect_day(DuckEngine(), here.lake, here.parts, "r1", here.days[0], rule)
        assert detect_day(engine, here.lake, here.parts, "r1", here.days[0], rule) == expected
        assert expected
    finally:
        engine.close()


@pytest.mark.long
@pytest.mark.usefixtures("without_session")
def test_a_cluster_without_room_is_told(cluster: SparkOptions, tmp_path: Path) -> None:
    options = replace(cluster, executor_memory_mb=4096, executor_wait_s=10.0)
    with pytest.raises(SparkError, match="no executor with 4096 MB came within 10 s"):
        SparkEngine(options).run("select 1 as one", tmp_path, [])
