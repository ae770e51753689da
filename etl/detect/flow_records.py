"""The records of a flow at one metering point and port, as the port's octets have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.counters.port_octets import Point, Port, PortOctets
from hntes.etl.counters.source import Direction
from hntes.etl.detect.column_peaks import FLOW

_EXPORTER = ("key_exporter_hi", "key_exporter_lo", "direction")
_COUNTED = ("start_ms", "last_ms", "bytes", "packets", "sampling_factor")
_INTERFACES: Mapping[Direction, str] = {"in": "input_interface", "out": "output_interface"}

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FlowRecords:
    """A detection query's rows, which are ordered by flow, so that those of all its metering points lie together."""

    table: pa.Table

    def at(self, row: int, port: Port, point: Point) -> PortOctets:
        """Those records of the flow in that row that name the port at that point, whether they are an alpha flow."""
        number = int(np.searchsorted(self._begins, row, side="right"))
        rows = slice(self._begins[number - 1], self._begins[number] if number < len(self._begins) else None)
        index, side = port
        is_there = self._columns[_INTERFACES[side]][rows] == index
        for name, value in zip(_EXPORTER, point, strict=True):
            is_there &= self._columns[name][rows] == value
        start_ms, last_ms, sent_bytes, packets, factor = (self._columns[name][rows][is_there] for name in _COUNTED)
        return PortOctets.of_records(start_ms, last_ms, sent_bytes, packets, factor, point)

    @cached_property
    def _columns(self) -> Mapping[str, Int64]:
        return {name: _column(self.table, name) for name in (*_EXPORTER, *_INTERFACES.values(), *_COUNTED)}

    @cached_property
    def _begins(self) -> Int64:
        """Where the flows begin."""
        is_first = np.zeros(self.table.num_rows, np.bool_)
        is_first[:1] = True
        for name in FLOW:
            values = _column(self.table, name)
            is_first[1:] |= values[1:] != values[:-1]
        return np.flatnonzero(is_first)


def _column(table: pa.Table, name: str) -> Int64:
    found: Int64 = table.column(name).to_numpy().astype(np.int64, copy=False)
    return found
