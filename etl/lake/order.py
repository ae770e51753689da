"""The order of rows in a row group of a part: a function of the rows, whatever order they come in."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from etl.schema import LAKE_SCHEMA

try:
    import etl.nfcapd._native as _native
except ModuleNotFoundError:  # it is compiled, and not there on Spark's executors
    _native = None  # type: ignore[assignment]

Column = npt.NDArray[Any]
Places = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
_KEY = ("exporter_domain", "first_ms", "last_ms")
_NEXT = ("src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets")
_OTHERS = (*_NEXT, *(name for name in LAKE_SCHEMA.names if name not in (*_KEY, *_NEXT)))
# Columns in which rows with the same times mostly differ, and odd numbers without a pattern for each of them.
_MIXED = {"src_lo": 0x9E37_79B9_7F4A_7C15, "dst_lo": 0xC2B2_AE3D_27D4_EB4F, "src_port": 0x1656_67B1_9E37_79F9}
_KEY_BITS = 64


def in_order(pieces: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    """The rows of all pieces, the columns of LAKE_SCHEMA in its types, in the order of `row_order`."""
    if _native is None:
        rows = {name: np.concatenate([piece[name] for piece in pieces]) for name in LAKE_SCHEMA.names}
        order = row_order(rows)
        return {name: values.take(order, mode="clip") for name, values in rows.items()}
    kinds = {name: pieces[0][name].dtype for name in LAKE_SCHEMA.names}
    content = _native.sorted_columns([[_bytes(piece[name]) for piece in pieces] for name in kinds])
    named = zip(kinds.items(), content, strict=True)
    return {name: np.frombuffer(values, kind) for (name, kind), values in named}


def _bytes(values: Column) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(values).view(np.uint8)


def row_order(rows: Mapping[str, Column]) -> Places:
    """The indexes of the rows by exporter, times, a mixture of addresses and port, and then all other columns.

    Rows of one exporter side by side compress better: they share interfaces and much else. Only rows that share
    exporter and times are looked at further, and column by column only those that share the mixture too.
    """
    joined = _joined([rows[name] for name in _KEY])
    order = _sorted_places(joined)
    tied, group = _ties(np.arange(order.size), joined[order])
    if tied.size:
        # groups are numbered in their order, so that sorting by both keeps them apart; an index fits beside both
        bits = _KEY_BITS - _bits(order.size + 1) - _bits(tied.size)
        joined = (group.view(np.uint64) << np.uint64(bits)) | _mixed(rows, order[tied], bits)
        by = _sorted_places(joined)
        order[tied] = order[tied[by]]
        tied, group = _ties(tied, joined[by])
    for name in _OTHERS:
        if not tied.size:
            break
        values = rows[name][order[tied]]
        by = np.lexsort((values, group))
        order[tied] = order[tied[by]]
        tied, group = _ties(tied, group, values[by])
    return order


def _sorted_places(keys: Keys) -> Places:
    """The indexes of keys in their order; which of equal keys comes first is left open.

    Keys that leave room for an index are sorted together with it, which is faster than sorting indexes by them.
    """
    bits = _bits(keys.size)
    if int(keys.max()).bit_length() + bits > _KEY_BITS:
        order: Places = np.argsort(keys)
        return order
    packed = (keys << np.uint64(bits)) | np.arange(keys.size, dtype=np.uint64)
    packed.sort()
    return (packed & np.uint64((1 << bits) - 1)).astype(np.int64)


def _joined(columns: Sequence[Column]) -> Keys:
    """One number for the columns of a row, in the order of all of them."""
    leasts = [int(values.min()) for values in columns]
    spans = [int(values.max()) - least + 1 for values, least in zip(columns, leasts, strict=True)]
    if prod(spans) < 1 << _KEY_BITS - 1:
        joined = np.zeros(columns[0].size, np.int64)
        for values, least, span in zip(columns, leasts, spans, strict=True):
            joined = joined * span + (values - least)
        return joined.view(np.uint64)
    by = np.lexsort(columns[::-1])
    changes = np.zeros(by.size - 1, np.bool_)
    for values in columns:
        changes |= np.diff(values[by]) != 0
    ranks = np.empty(by.size, np.uint64)
    ranks[by] = np.concatenate([[0], np.cumsum(changes)])
    return ranks


def _mixed(rows: Mapping[str, Column], places: Places, bits: int) -> Keys:
    """A number of so many bits for each of these rows, the same for the same addresses and port."""
    mixed = np.zeros(places.size, np.uint64)
    for name, factor in _MIXED.items():
        mixed += rows[name].take(places).astype(np.int64).view(np.uint64) * np.uint64(factor)
    return mixed >> np.uint64(_KEY_BITS - bits)


def _bits(size: int) -> int:
    """As many as an index of so many rows has."""
    return max(size - 1, 0).bit_length()


def _ties(places: Places, *sorted_by: Column) -> tuple[Places, Places]:
    """Of places sorted by these values those that share theirs with a neighbour, and a number for each such group."""
    same = np.ones(max(places.size - 1, 0), np.bool_)
    for values in sorted_by:
        same &= values[1:] == values[:-1]
    edges = np.concatenate([[False], same, [False]])[: places.size + 1]
    group = np.cumsum(~edges[: places.size])
    tied = edges[:-1] | edges[1:]
    return places[tied], group[tied]
