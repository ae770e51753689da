"""The order of rows is that of sorting whole rows, whatever their times span."""

import numpy as np
import pytest

from etl.lake.order import Column, row_order
from etl.schema import LAKE_SCHEMA

TIMES = ("first_ms", "last_ms", "src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets")
BY = (*TIMES, *(name for name in LAKE_SCHEMA.names if name not in TIMES))


def rows_of(seed: int, count: int, span_ms: int, values: int) -> dict[str, Column]:
    """Few values give many equal rows and rows that differ in the last column only."""
    chance = np.random.default_rng(seed)
    rows = {name: chance.integers(0, values, count) for name in LAKE_SCHEMA.names}
    return rows | {name: chance.integers(0, span_ms, count) - 5 for name in ("first_ms", "last_ms")}


@pytest.mark.parametrize("span_ms", [1, 3, 1000, 1 << 24, 1 << 40])
@pytest.mark.parametrize("values", [1, 2, 1 << 30])
@pytest.mark.parametrize("count", [1, 2, 3, 300])
def test_rows_are_in_the_order_of_their_columns(span_ms: int, values: int, count: int) -> None:
    rows = rows_of(count, count, span_ms, values)
    order = row_order(rows)
    assert sorted(order.tolist()) == list(range(count))
    ordered = list(zip(*(rows[name][order].tolist() for name in BY), strict=True))
    assert ordered == sorted(zip(*(rows[name].tolist() for name in BY), strict=True))
