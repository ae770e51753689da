"""Columns of numbers and texts as Arrow's, without a copy of numbers.

`pyarrow.array`, `scalar` and `to_numpy` load pandas where it is installed, to look whether they are given something of
it: a quarter of a second of processor time that a command need not take.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Column = npt.NDArray[Any]


def numbers(values: npt.NDArray[Any]) -> pa.Array:
    """A column of integers of any kind."""
    content = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(content.dtype), content.size, [None, pa.py_buffer(content)])


def texts(values: Sequence[str]) -> pa.Array:
    """A column of texts."""
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def table(columns: Mapping[str, npt.NDArray[Any]], schema: pa.Schema) -> pa.Table:
    """Columns of integers by name as a table of a schema whose types they have."""
    return pa.Table.from_arrays([numbers(columns[name]) for name in schema.names], schema=schema)
