"""The order of rows in a row group of a part: a function of the rows, whatever order they come in.

An oracle for crates/nfcapd/src/order.rs, which has the same order.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hntes.etl.schema import LAKE_SCHEMA

Column = npt.NDArray[Any]
Places = npt.NDArray[np.int64]
_KEY = ("exporter_domain", "direction", "input_interface", "output_interface", "ip_version", "first_ms")
_NEXT = ("last_ms", "src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets")
_OTHERS = (*_NEXT, *(name for name in LAKE_SCHEMA.names if name not in (*_KEY, *_NEXT)))
_KEY_BITS = 63


def in_order(pieces: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    """The rows of all pieces, the columns of LAKE_SCHEMA in its types, in the order of `row_order`."""
    rows = {name: np.concatenate([piece[name] for piece in pieces]) for name in LAKE_SCHEMA.names}
    order = row_order(rows)
    return {name: values.take(order, mode="clip") for name, values in rows.items()}


def row_order(rows: Mapping[str, Column]) -> Places:
    """The indexes of the rows by exporter, interfaces, IP version and begin, and then all other columns.

    Rows of one exporter and of the same interfaces side by side compress better: they share much else. Only rows that
    share all of these are looked at further.
    """
    key = [rows[name] for name in _KEY]
    joined = _joined(key)
    order: Places = np.lexsort(key[::-1]) if joined is None else np.argsort(joined)
    tied, group = _ties(np.arange(order.size), *([joined] if joined is not None else key), order=order)
    for name in _OTHERS:
        if not tied.size:
            break
        values = rows[name][order[tied]]
        by = np.lexsort((values, group))
        order[tied] = order[tied[by]]
        tied, group = _ties(tied, group, values[by])
    return order


def _joined(columns: Sequence[Column]) -> Places | None:
    """One number for the columns of a row, in the order of all of them; None where 63 bits are too few."""
    leasts = [int(values.min()) for values in columns]
    spans = [int(values.max()) - least + 1 for values, least in zip(columns, leasts, strict=True)]
    if prod(spans) >= 1 << _KEY_BITS:
        return None
    joined = np.zeros(columns[0].size, np.int64)
    for values, least, span in zip(columns, leasts, spans, strict=True):
        joined = joined * span + (values.astype(np.int64) - least)
    return joined


def _ties(places: Places, *sorted_by: Column, order: Places | None = None) -> tuple[Places, Places]:
    """Of places sorted by these values those that share theirs with a neighbour, and a number for each such group.

    With `order` the values are those of rows in another order, which it gives.
    """
    same = np.ones(max(places.size - 1, 0), np.bool_)
    for values in sorted_by:
        ordered = values if order is None else values[order]
        same &= ordered[1:] == ordered[:-1]
    edges = np.concatenate([[False], same, [False]])[: places.size + 1]
    group = np.cumsum(~edges[: places.size])
    tied = edges[:-1] | edges[1:]
    return places[tied], group[tied]
