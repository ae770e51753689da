"""A row of a flow file: a flow with the values of RECORD_SCHEMA in a form that is easy to make, or why it is none."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from hntes.etl import arrow_columns
from hntes.etl.addresses import column_halves
from hntes.etl.errors import EtlError
from hntes.etl.sources.schema import MALFORMED, RECORD_SCHEMA

MOST_UINT64 = (1 << 64) - 1


class Flow(NamedTuple):
    """One row; a missing number is 0, a missing address "".

    kind: of RECORD_SCHEMA. sampled: whether the counters stand for all packets, not for the sampled ones. sysid: the
    number of its exporter and sampling rate within the file. Times are epoch ms UTC.
    """

    kind: int
    sampled: int
    sysid: int
    first_ms: int
    last_ms: int
    received_ms: int
    in_packets: int
    in_bytes: int
    protocol: int
    src_port: int
    dst_port: int
    src: str
    dst: str
    exporter: str
    input_interface: int
    output_interface: int
    direction: int
    tos: int


MALFORMED_ROW = Flow(MALFORMED, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", "", 0, 0, 0, 0)
_ADDRESSES = ("src", "dst", "exporter")


class RowError(EtlError):
    """A row is not a flow; the text says why."""


def multiplied(counter: int, factor: int) -> int:
    """A counter times the sampling factor, at most what 64 bits hold: such a number is absurd and set aside as that."""
    return min(counter * factor, MOST_UINT64)


def batch(rows: list[Flow]) -> pa.RecordBatch:
    """Rows as a batch of RECORD_SCHEMA."""
    columns = dict(zip(Flow._fields, zip(*rows, strict=True), strict=True)) if rows else {}
    made = {field.name: np.zeros(len(rows), field.type.to_pandas_dtype()) for field in RECORD_SCHEMA}
    for name, values in columns.items():
        if name not in _ADDRESSES:
            made[name] = np.array(values, dtype=made[name].dtype)
    for end in _ADDRESSES if rows else ():
        halves = column_halves(arrow_columns.texts(columns[end]))
        made |= exporter_columns(*halves) if end == "exporter" else end_columns(end, *halves)
    return arrow_columns.batch(made, RECORD_SCHEMA)


def end_columns(
    end: str, hi: np.ndarray, lo: np.ndarray, version: np.ndarray
) -> dict[str, np.ndarray]:  # fmt: skip
    """The columns of a source or destination address by its halves."""
    version = version.astype(np.int64)
    is_four, is_six = version == 4, version == 6
    return {
        f"{end}4": np.where(is_four, lo, 0), f"{end}4_version": np.where(is_four, 4, 0),
        f"{end}6_hi": np.where(is_six, hi, 0), f"{end}6_lo": np.where(is_six, lo, 0),
        f"{end}6_version": np.where(is_six, 6, 0),
    }  # fmt: skip


def exporter_columns(hi: np.ndarray, lo: np.ndarray, version: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of an exporter's address by its halves."""
    return {"exporter_hi": hi, "exporter_lo": lo, "exporter_version": version.astype(np.int64)}
