"""DuckDB over parts: those of before a column was there, sums beyond 64 bits, integers."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake.parts import write_table
from hntes.etl.measure.interface_load import minute_loads
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.synthetic_flows import BEGIN_MS, DAYS, write_lake


@pytest.mark.parametrize("chosen", [slice(None), slice(1), slice(-1, None)])
def test_the_type_of_service_of_parts_of_before_is_not_known(tmp_path: Path, chosen: slice) -> None:
    names = write_lake(tmp_path, 4_000, 1_000, seed=7)
    before = tmp_path / names[-1]
    write_table(before, pq.ParquetFile(before).read().drop_columns("tos"))
    parts = names[chosen]
    tables = [pq.ParquetFile(tmp_path / part).read() for part in parts]
    with_tos = [table for table in tables if "tos" in table.column_names]
    query = "select count(*) as records, count(tos) as known, sum(tos) as summed from flows"
    (row,) = DuckEngine().run(query, tmp_path, parts).to_pylist()
    assert row["records"] == sum(table.num_rows for table in tables)
    assert row["known"] == sum(table.num_rows for table in with_tos)
    assert row["summed"] == (sum(sum(table["tos"].to_pylist()) for table in with_tos) or None)


def test_sums_beyond_64_bits_are_exact(tmp_path: Path) -> None:
    """The largest counter ten thousand times: more than 2^63 bytes of one flow in one minute."""
    records = 10_000
    one = dict.fromkeys(LAKE_SCHEMA.names, 0) | {"first_ms": BEGIN_MS, "last_ms": BEGIN_MS + 1, "bytes": 2**50}
    # records of the same times would repeat each other
    columns = {name: [value] * records for name, value in one.items()} | {
        "last_ms": [BEGIN_MS + 1 + number for number in range(records)]
    }
    write_table(tmp_path / "part.parquet", pa.Table.from_pydict(columns, LAKE_SCHEMA))
    seen = minute_loads(DuckEngine(), tmp_path, ["part.parquet"], DAYS[0], [])
    (load,) = seen.interfaces[0].beta.values()
    assert load.bytes == records * 2**50 > 2**63
    (found,) = detect_day(DuckEngine(), tmp_path, ["part.parquet"], "r1", DAYS[0], DetectionRule())
    assert found.records == records


def test_integers_are_divided_and_masked_as_the_queries_expect(tmp_path: Path) -> None:
    values = [0, 1, -1, 7, -7, 65_535, -65_536, 2**62, -(2**62), 2**63 - 1, -(2**63)]
    rows: list[dict[str, Any]] = [dict.fromkeys(LAKE_SCHEMA.names, 0) | {"src_lo": value} for value in values]
    write_table(tmp_path / "part.parquet", pa.Table.from_pylist(rows, LAKE_SCHEMA))
    query = "select src_lo, src_lo // 65536 as quotient, src_lo & -65536 as upper from flows order by src_lo"
    found = DuckEngine().run(query, tmp_path, ["part.parquet"]).to_pylist()
    for row, value in zip(found, sorted(values), strict=True):
        toward_zero = abs(value) // 65536 * (1 if value >= 0 else -1)
        assert (row["src_lo"], row["quotient"], row["upper"]) == (value, toward_zero, value & -65536)
