"""The order of rows is that of exporters, interfaces and begins, and the same whatever order they come in."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hntes._native import Part, Rows
from hntes.etl.arrow_columns import Column
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.row_order import row_order

KEY = ("exporter_domain", "direction", "input_interface", "output_interface", "ip_version", "first_ms", "last_ms")
TYPES = {field.name: field.type.to_pandas_dtype() for field in LAKE_SCHEMA}


def rows_of(seed: int, count: int, span_ms: int, values: int) -> dict[str, Column]:
    """Few values give many equal rows and rows that differ in the last column only."""
    chance = np.random.default_rng(seed)
    rows = {name: chance.integers(0, values, count).astype(kind) for name, kind in TYPES.items()}
    return rows | {name: chance.integers(0, span_ms, count) - 5 for name in ("first_ms", "last_ms")}


@pytest.mark.parametrize("span_ms", [1, 3, 1000, 1 << 24, 1 << 40])
@pytest.mark.parametrize("values", [1, 2, 1 << 30])
@pytest.mark.parametrize("count", [1, 2, 3, 300])
def test_rows_are_in_order_whatever_order_they_come_in(span_ms: int, values: int, count: int) -> None:
    rows = rows_of(count, count, span_ms, values)
    ordered = in_order(rows)
    assert sorted(ordered) == sorted(zip(*(rows[name].tolist() for name in LAKE_SCHEMA.names), strict=True))
    keys = [tuple(row[LAKE_SCHEMA.names.index(name)] for name in KEY) for row in ordered]
    assert keys == sorted(keys)
    compiled = in_compiled_order(rows)
    assert list(zip(*(compiled[name].to_pylist() for name in LAKE_SCHEMA.names), strict=True)) == ordered
    for seed in range(5):
        places = np.random.default_rng(seed).permutation(count)
        assert in_order({name: values[places] for name, values in rows.items()}) == ordered


def in_order(rows: dict[str, Column]) -> list[tuple[int, ...]]:
    order = row_order(rows)
    return list(zip(*(rows[name][order].tolist() for name in LAKE_SCHEMA.names), strict=True))


def in_compiled_order(rows: dict[str, Column]) -> pa.Table:
    """As a part has them."""
    part = Part(1 << 17, (1, 1, 1, 1))
    written = part.take(Rows([rows[name].view(np.uint8) for name in LAKE_SCHEMA.names])) or b""
    part.close()
    return pq.read_table(io.BytesIO(written + part.finish([])))
