"""Every query of sql/queries gives the same rows on DuckDB and on Spark."""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkError
from hntes.etl.engines.spark import SparkEngine
from hntes.etl.errors import LakeError
from hntes.etl.lake.parts import write_table
from hntes.etl.lake.url import LakeUrl
from hntes.etl.measure.beta_between import flows_relation
from hntes.etl.measure.interface_load import pairs_relation
from hntes.etl.schema import LAKE_SCHEMA
from hntes.sql import queries
from hntes.sql.queries import query_text
from tests.support.entries import observation
from tests.support.flow_folder import Site, make_folder
from tests.support.spark import SPARK_TEST
from tests.support.spark_traffic import traffic
from tests.support.synthetic_flows import BEGIN_MS, DAY_MS, DAYS, THRESHOLD, planted_alpha, write_lake

pytestmark = SPARK_TEST

_DAY = {"from_ms": BEGIN_MS, "to_ms": BEGIN_MS + DAY_MS, "window_ms": 60_000, "threshold_bytes": THRESHOLD}
_CANDIDATES = _DAY | {"with_exporters": 1, "with_ports": 1, "cell_mask": 2**20 - 1, "hash_seed": 7}
_MINUTES = {"from_ms": BEGIN_MS, "to_ms": BEGIN_MS + DAY_MS, "minute_ms": 60_000, "with_exporters": 1}
# name of the query -> sets of parameters to run it with; a query that is missing here fails the test below
PARAMETERS: dict[str, list[dict[str, int]]] = {
    "alpha_candidates": [
        _CANDIDATES,
        _CANDIDATES | {"with_exporters": 0, "with_ports": 0, "cell_mask": 1023, "hash_seed": 7},
        _CANDIDATES | {"from_ms": BEGIN_MS + DAY_MS - 60_000, "to_ms": BEGIN_MS + 2 * DAY_MS},
        # the longest planted records last for six hours: a shorter window would make millions of buckets of them
        _CANDIDATES | {"window_ms": 20_000, "threshold_bytes": 2_000_000},
        _CANDIDATES | {"threshold_bytes": 2**44},
    ],
    "interface_load": [
        _MINUTES,
        _MINUTES | {"with_exporters": 0},
        _MINUTES | {"from_ms": BEGIN_MS + DAY_MS, "to_ms": BEGIN_MS + 2 * DAY_MS},
    ],
    "beta_between": [{"from_ms": BEGIN_MS, "to_ms": BEGIN_MS + DAY_MS, "with_exporters": 1}],
    "port_octets": [
        {"from_ms": BEGIN_MS, "to_ms": BEGIN_MS + DAY_MS, "slot_ms": 10_000, "with_exporters": 1},
        {"from_ms": BEGIN_MS, "to_ms": BEGIN_MS + DAY_MS, "slot_ms": 10_000, "with_exporters": 0},
    ],
    "alpha_reports": [
        _DAY | {"with_exporters": 1, "with_ports": 1},
        _DAY | {"with_exporters": 0, "with_ports": 0, "threshold_bytes": 4_000_000},
    ],
}
_PAIRS = (("0.0.0.0/1", "0.0.0.0/0"), ("198.18.0.0/24", "0.0.0.0/0"), ("8000::/1", "::/0"))
_ALPHA_PAIRS = pairs_relation((ip_network(source), ip_network(destination)) for source, destination in _PAIRS)
# name of the query -> what it reads beside the flows
RELATIONS = {
    "interface_load": {"alpha_pairs": _ALPHA_PAIRS},
    "beta_between": {"alpha_pairs": _ALPHA_PAIRS, "alpha_flows": flows_relation([observation()])},
}
LAKE_RECORDS = 40_000
# Every query once in every run, since Spark takes seconds of processor to plan one; that for alpha flows once is run by
# test_the_day_stays_where_it_is_read.
CASES = [
    pytest.param(name, parameters, marks=[pytest.mark.long] if number or name == "alpha_candidates" else [])
    for name, sets in PARAMETERS.items()
    for number, parameters in enumerate(sets)
]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Of its parts the last is of before there was a `tos`."""
    folder = tmp_path_factory.mktemp("lake")
    parts = write_lake(folder, LAKE_RECORDS, 10_000, seed=7)
    before = folder / parts[-1]
    write_table(before, pq.ParquetFile(before).read().drop_columns("tos"))
    return folder, parts


def test_every_query_has_parameters_here() -> None:
    files = {path.stem for path in Path(queries.__file__).parent.glob("*.sql")}
    assert files == set(PARAMETERS)


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_both_engines_give_equal_rows(
    spark_engine: SparkEngine, lake: tuple[Path, list[str]], name: str, parameters: dict[str, int]
) -> None:
    _compare(spark_engine, lake, name, parameters)


def _compare(engine: SparkEngine, lake: tuple[Path, list[str]], name: str, parameters: dict[str, int]) -> None:
    """Equal rows, some at least, in columns of the same names; and nothing stays in Spark's memory."""
    query = query_text(name, **parameters)
    found = engine.run(query, *lake, RELATIONS.get(name))
    session = engine.handle.session
    assert session.sparkContext._jsc.getPersistentRDDs().size() == 0
    assert {table.name for table in session.catalog.listTables()} <= {"flows", "alpha_pairs", "alpha_flows"}
    expected = DuckEngine().run(query, *lake, RELATIONS.get(name))
    assert expected.num_rows > 0
    assert found.column_names == expected.column_names
    assert found.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize("chosen", [slice(None), slice(1), slice(-1, None)])
def test_the_type_of_service_of_parts_of_before_is_not_known(
    spark_engine: SparkEngine, lake: tuple[Path, list[str]], chosen: slice
) -> None:
    query = "select count(*) as records, count(tos) as known, sum(tos) as summed from flows"
    folder, parts = lake[0], lake[1][chosen]
    tables = [pq.ParquetFile(folder / part).read() for part in parts]
    with_tos = [table for table in tables if "tos" in table.column_names]
    (row,) = DuckEngine().run(query, folder, parts).to_pylist()
    assert row["records"] == sum(table.num_rows for table in tables)
    assert row["known"] == sum(table.num_rows for table in with_tos)
    assert row["summed"] == (sum(sum(table["tos"].to_pylist()) for table in with_tos) or None)
    assert spark_engine.run(query, folder, parts).to_pylist() == [row]


@pytest.mark.long
def test_both_engines_find_the_planted_alpha_flows(spark_engine: SparkEngine, lake: tuple[Path, list[str]]) -> None:
    found = detect_day(spark_engine, *lake, "r1", DAYS[1], DetectionRule())
    assert found == detect_day(DuckEngine(), *lake, "r1", DAYS[1], DetectionRule())
    assert len(found) == planted_alpha(len(lake[1]), 1)


def test_sums_beyond_64_bits_stop_neither_engine(spark_engine: SparkEngine, tmp_path: Path) -> None:
    """The largest counter ten thousand times: more than 2^63 bytes of one flow in one minute."""
    records = 10_000
    one = dict.fromkeys(LAKE_SCHEMA.names, 0) | {"first_ms": BEGIN_MS, "last_ms": BEGIN_MS + 1, "bytes": 2**50}
    columns = {name: [value] * records for name, value in one.items()}
    write_table(tmp_path / "part.parquet", pa.Table.from_pydict(columns, LAKE_SCHEMA))
    load = query_text("interface_load", **_MINUTES)
    (row,) = spark_engine.run(load, tmp_path, ["part.parquet"], RELATIONS["interface_load"]).to_pylist()
    assert int(row["bytes"]) == records * 2**50
    assert [row] == DuckEngine().run(load, tmp_path, ["part.parquet"], RELATIONS["interface_load"]).to_pylist()
    query = query_text("alpha_candidates", **_CANDIDATES)
    found = spark_engine.run(query, tmp_path, ["part.parquet"])
    assert found.num_rows == records
    assert found.to_pylist() == DuckEngine().run(query, tmp_path, ["part.parquet"]).to_pylist()


@pytest.mark.long
def test_both_engines_leave_out_what_was_metered_twice(spark_engine: SparkEngine, tmp_path: Path) -> None:
    flow = dict.fromkeys(LAKE_SCHEMA.names, 0) | {"ip_version": 4, "first_ms": BEGIN_MS, "last_ms": BEGIN_MS + 90_000}
    points = [
        {"bytes": 900, "direction": 0, "output_interface": 7},
        {"bytes": 901, "direction": 1, "output_interface": 7},
        {"bytes": 5000, "exporter_lo": 1, "output_interface": 0},
    ]
    write_table(tmp_path / "part.parquet", pa.Table.from_pylist([flow | point for point in points], LAKE_SCHEMA))
    query = query_text("interface_load", **_MINUTES)
    found = spark_engine.run(query, tmp_path, ["part.parquet"], RELATIONS["interface_load"]).to_pylist()
    assert found == DuckEngine().run(query, tmp_path, ["part.parquet"], RELATIONS["interface_load"]).to_pylist()
    assert sum(int(row["bytes"]) for row in found if not row["repeated"]) == 901
    assert sum(int(row["bytes"]) for row in found if row["repeated"]) == 5900


@pytest.mark.parametrize(
    "name",
    [
        "alpha_candidates",
        *(pytest.param(name, marks=pytest.mark.long) for name in sorted(PARAMETERS.keys() - {"alpha_candidates"})),
    ],
)
def test_no_parts_are_no_rows(spark_engine: SparkEngine, tmp_path: Path, name: str) -> None:
    query = query_text(name, **PARAMETERS[name][0])
    assert spark_engine.run(query, tmp_path, [], RELATIONS.get(name)).num_rows == 0


def test_integers_are_divided_and_masked_alike(spark_engine: SparkEngine, tmp_path: Path) -> None:
    values = [0, 1, -1, 7, -7, 65_535, -65_536, 2**62, -(2**62), 2**63 - 1, -(2**63)]
    rows: list[dict[str, Any]] = [dict.fromkeys(LAKE_SCHEMA.names, 0) | {"src_lo": value} for value in values]
    write_table(tmp_path / "part.parquet", pa.Table.from_pylist(rows, LAKE_SCHEMA))
    query = """select src_lo, src_lo // 65536 as quotient, src_lo % 1000 as rest, src_lo & 4294967040 as net,
               src_lo & -65536 as upper, greatest(src_lo, 5) as most from flows order by src_lo"""
    found = spark_engine.run(query, tmp_path, ["part.parquet"]).to_pylist()
    assert found == DuckEngine().run(query, tmp_path, ["part.parquet"]).to_pylist()
    assert [row["src_lo"] for row in found] == sorted(values)


def test_a_part_that_is_gone_is_told(spark_engine: SparkEngine, lake: tuple[Path, list[str]]) -> None:
    with pytest.raises(LakeError, match=r"gone\.parquet.*the ledger names this part but it is gone"):
        spark_engine.run("select bytes from flows", lake[0], [*lake[1], "flows/gone.parquet"])


def test_a_part_that_is_damaged_is_told(spark_engine: SparkEngine, tmp_path: Path) -> None:
    (tmp_path / "part.parquet").write_bytes(b"PAR1 no such thing PAR1")
    with pytest.raises(SparkError, match="could not finish the query"):
        spark_engine.run("select bytes from flows", tmp_path, ["part.parquet"])


def test_too_many_rows_are_refused(
    spark_engine: SparkEngine, lake: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_engine, "_max_rows", 100)
    assert spark_engine.run("select bytes from flows limit 100", *lake).num_rows == 100
    with pytest.raises(SparkError, match="more than 100 rows"):
        spark_engine.run("select bytes from flows", *lake)


def test_a_second_session_in_one_process_is_refused(spark_engine: SparkEngine, tmp_path: Path) -> None:
    spark_engine.run("select 1 as one", tmp_path, [])
    with pytest.raises(SparkError, match=r"this process has a Spark session on .* already"):
        SparkEngine(spark_engine.handle.options).run("select 1 as one", tmp_path, [])


@pytest.mark.parametrize(
    ("broadcast_bytes", "is_day_shuffled"),
    # Spark's own 10 MB are more than this whole lake
    [(64 << 10, False), pytest.param(-1, True, marks=pytest.mark.long)],
    ids=["busy cells fit", "nothing may be sent to all tasks"],
)
def test_the_day_stays_where_it_is_read(
    spark_engine: SparkEngine, lake: tuple[Path, list[str]], broadcast_bytes: int, is_day_shuffled: bool
) -> None:
    spark_engine.run("select 1 as one", *lake)
    session = spark_engine.handle.session
    before = traffic(session)
    session.conf.set("spark.sql.autoBroadcastJoinThreshold", str(broadcast_bytes))
    try:
        _compare(spark_engine, lake, "alpha_candidates", PARAMETERS["alpha_candidates"][0])
    finally:
        session.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    moved = traffic(session) - before
    lake_bytes = sum((lake[0] / part).stat().st_size for part in lake[1])
    assert (moved.shuffle_write_bytes > lake_bytes) == is_day_shuffled
    assert 2 * LAKE_RECORDS <= moved.records_read < 2.1 * LAKE_RECORDS  # what was kept is not worked out again


def test_a_lake_by_url_is_written_here_and_read_by_spark(spark_engine: SparkEngine, tmp_path: Path) -> None:
    flows = make_folder(tmp_path / "flows", {"nfcapd.202611201815": 10, "nfcapd.202611201820": 20})
    here, there = (Site(tmp_path / name, flows, f"sqlite:///{tmp_path / name}.db") for name in ("here", "there"))
    folder = there.lake
    lake = LakeUrl(f"file://{folder}", tmp_path / "state")
    there.lake = lake  # type: ignore[assignment]
    report = there.ingest()
    there.lake = folder
    assert report == here.ingest()
    assert there.state() == here.state()
    found = spark_engine.run("select sum(bytes) as total, count(*) as n from flows", lake, there.parts()).to_pylist()
    assert found == [{"total": here.bytes(), "n": 30}]
    for site in (here, there):
        site.database.dispose()
