"""Flow files read by Spark's tasks: every row of the ledger and every byte of the lake as on one machine."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hntes.etl.engines.session import SparkError
from hntes.etl.engines.spark import SparkEngine
from hntes.etl.ingest.readers import ReadTask
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.spark_reader import SparkReader
from hntes.etl.lake.url import LakeUrl
from tests.support.flow_folder import Site, make_folder, program, write_flow_file
from tests.support.spark import SPARK_TEST

pytestmark = SPARK_TEST

A, B, C, D = (f"nfcapd.2026112018{minute}" for minute in ("15", "20", "25", "30"))


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    """Two installations over the same flow files: one for this machine, one for Spark."""
    flows = make_folder(tmp_path / "flows", {A: 10, B: 20, C: 30})
    pair = [Site(tmp_path / name, flows, f"sqlite:///{tmp_path / name}.db") for name in ("here", "spark")]
    yield pair[0], pair[1]
    for site in pair:
        site.database.dispose()


@pytest.fixture
def reader(spark_engine: SparkEngine) -> SparkReader:
    return SparkReader(spark_engine.handle)


def test_the_same_state_as_on_one_machine(sites: tuple[Site, Site], reader: SparkReader) -> None:
    here, spark = sites

    def both() -> None:
        assert spark.ingest(reader=reader) == here.ingest()
        assert spark.state() == here.state()

    both()
    assert spark.records() == 60
    both()  # the same files again
    write_flow_file(here.flows / B, 7)
    (here.flows / D).write_bytes((here.flows / A).read_bytes())
    both()  # one changed, one a copy
    assert spark.records() == 47
    (here.flows / C).write_bytes(b"overwritten")
    both()  # one that cannot be read any more
    assert spark.states()[C] == "quarantined"
    assert spark.stray_files() == set()


class _KilledError(Exception):
    """Stands for the end of the process."""


class _KilledReader(SparkReader):
    """Reads all files and ends after the first result."""

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        yield next(iter(super().read(tasks)))
        raise _KilledError


def test_a_killed_run_leaves_whole_files_and_the_next_one_finishes(
    sites: tuple[Site, Site], spark_engine: SparkEngine, reader: SparkReader
) -> None:
    here, spark = sites
    with pytest.raises(_KilledError):
        spark.ingest(reader=_KilledReader(spark_engine.handle))
    assert spark.states() == {A: "ingested"}
    assert spark.records() == 10
    spark.ingest(reader=reader)
    here.ingest()
    assert spark.state() == here.state()


def test_more_files_than_one_job_takes(
    sites: tuple[Site, Site], reader: SparkReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, spark = sites
    monkeypatch.setattr("hntes.etl.ingest.spark_reader.FILES_PER_JOB", 2)
    assert spark.ingest(reader=reader) == here.ingest()
    assert spark.state() == here.state()


def test_an_executor_without_nfdump_stops_the_run(sites: tuple[Site, Site], reader: SparkReader) -> None:
    spark = sites[1]
    with pytest.raises(SparkError, match=r"the executor on .*: /no/nfdump: cannot be run .*install the package nfdump"):
        spark.ingest(reader=reader, nfdump=spark.with_program("/no/nfdump"))
    assert spark.states() == {}


def test_an_executor_with_another_nfdump_stops_the_run(sites: tuple[Site, Site], reader: SparkReader) -> None:
    spark = sites[1]
    with pytest.raises(SparkError, match=r"nfdump is 1\.7\.\d+ here and 1\.7\.99 on the driver"):
        spark.ingest(reader=reader, nfdump=spark.with_program("nfdump", (1, 7, 99)))
    assert spark.states() == {}


def test_a_file_that_fails_on_the_way_is_set_aside(
    sites: tuple[Site, Site], reader: SparkReader, tmp_path: Path
) -> None:
    here, spark = sites
    version = ".".join(map(str, spark.nfdump.version))
    broken = program(
        tmp_path / "broken",
        f'[ "$1" = -V ] && {{ echo "nfdump: Version: {version}"; exit 0; }}',
        f'case "$*" in *-q*{B}*|*{B}*-q*) echo "it broke" >&2; exit 250;; esac',
        'exec "$REAL" "$@"',
    )
    chosen = spark.with_program(broken)
    assert spark.ingest(reader=reader, nfdump=chosen) == here.ingest(nfdump=chosen)
    assert spark.states() == {A: "ingested", B: "quarantined", C: "ingested"}
    assert spark.state() == here.state()


def test_a_lake_that_only_the_executors_see_is_refused(
    sites: tuple[Site, Site], reader: SparkReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tasks write; the driver looks for their parts and finds none."""
    spark = sites[1]
    real = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: path.suffix != ".parquet" and real(path))
    with pytest.raises(SparkError, match="not to be seen here; mount the flow folders and the lake"):
        spark.ingest(reader=reader)
    monkeypatch.undo()
    assert spark.states() == {}


def test_a_lake_by_url(sites: tuple[Site, Site], reader: SparkReader, spark_engine: SparkEngine) -> None:
    here, spark = sites
    folder = spark.lake
    lake = LakeUrl(f"file://{folder}", folder.parent / "state")
    spark.lake = lake  # type: ignore[assignment]
    report = spark.ingest(reader=reader)
    spark.lake = folder
    assert report == here.ingest()
    assert spark.state() == here.state()
    found = spark_engine.run("select sum(bytes) as octets, count(*) as n from flows", lake, spark.parts()).to_pylist()
    assert found == [{"octets": here.bytes(), "n": 60}]
