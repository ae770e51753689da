"""The order of rows in a row group of a part: a function of the rows, whatever order they come in."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from etl.schema import LAKE_SCHEMA

Column = npt.NDArray[Any]
_FIRST = ("first_ms", "last_ms", "src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets")
_COLUMNS = (*_FIRST, *(name for name in LAKE_SCHEMA.names if name not in _FIRST))
_LARGEST_INT64 = (1 << 63) - 1


def row_order(rows: Mapping[str, Column]) -> npt.NDArray[np.int64]:
    """The indexes of the rows by first_ms, last_ms, and then all other columns.

    Most rows differ in their times; only those that do not are looked at further, column by column.
    """
    times = _joined_times(rows["first_ms"], rows["last_ms"])
    order: npt.NDArray[np.int64] = np.argsort(times)
    tied, group = _ties(np.arange(order.size), times[order])
    for name in _COLUMNS[2:]:
        if not tied.size:
            break
        values = rows[name][order[tied]]
        by = np.lexsort((values, group))
        order[tied] = order[tied[by]]
        tied, group = _ties(tied, group, values[by])
    return order


def _joined_times(first_ms: Column, last_ms: Column) -> npt.NDArray[np.int64]:
    """One number for both times, in the order of both."""
    least_first, least_last = int(first_ms.min()), int(last_ms.min())
    span = int(last_ms.max()) - least_last + 1
    if (int(first_ms.max()) - least_first + 1) * span <= _LARGEST_INT64:
        joined: npt.NDArray[np.int64] = (first_ms - least_first) * span + (last_ms - least_last)
        return joined
    by = np.lexsort((last_ms, first_ms))
    changes = (np.diff(first_ms[by]) != 0) | (np.diff(last_ms[by]) != 0)
    ranks = np.empty(by.size, np.int64)
    ranks[by] = np.concatenate([[0], np.cumsum(changes)])
    return ranks


def _ties(places: npt.NDArray[np.int64], *sorted_by: Column) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of places sorted by these values those that share theirs with a neighbour, and a number for each such group."""
    same = np.ones(max(places.size - 1, 0), np.bool_)
    for values in sorted_by:
        same &= values[1:] == values[:-1]
    edges = np.concatenate([[False], same, [False]])[: places.size + 1]
    group = np.cumsum(~edges[: places.size])
    tied = edges[:-1] | edges[1:]
    return places[tied], group[tied]
