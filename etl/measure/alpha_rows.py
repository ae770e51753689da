"""The records of a day for which the sums of its parts (etl/lake/minute_sums.py) cannot speak.

These are records between hosts that some prefix pair may match, which lie in another queue, and records whose start
may be another's of the same flow, too, which may count from the end of that one. Few columns of all records are read to
find them, and all columns only where one was found. Records that must be looked at together have the same start, so
that they are found while the day is read in the order of starts; memory does not grow with the day.

Where some rows repeat what another metering point counts, these are in tables of their own.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.addresses import Network
from hntes.etl.addresses import halves
from hntes.etl.engines.hash64 import HOSTS, Column, Mixed, mixed, places
from hntes.etl.errors import EtlError
from hntes.etl.lake.row_groups import RowGroup
from hntes.etl.measure.measured_pairs import Pairs
from hntes.etl.measure.repeated_rows import RepeatedRows
from hntes.etl.schema import LAKE_SCHEMA

# As many rows are looked through at a time, handed over at a time, and waited for at most.
BATCH_ROWS, MOST_ROWS, MOST_WAITING_ROWS = 1 << 20, 1 << 19, 1 << 23
_START = (*HOSTS, "src_port", "dst_port", "first_ms")
# Records of one flow that were metered at different points mostly start together, which says nothing about them.
_POINT = ("exporter_hi", "exporter_lo", "direction")
_TABLE_BITS = 20
_ROW = tuple(name for name in LAKE_SCHEMA.names if name not in ("record_flags", "tos"))

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
# The masks of a pair, in halves.
_Shape = tuple[tuple[int, int], tuple[int, int]]

# What is asked of some hundred thousand rows takes 100 MB; with tables of so many it takes less, for a tenth more time.
_FEW_ROWS, _MORE_READINGS = 1 << 16, 4


class TooManyWaitingError(EtlError):
    """Too many records are waiting for others with the same start to be held in memory."""


@dataclass(frozen=True)
class _Waiting:
    """Rows of a group that may not have seen all rows with their start."""

    group: RowGroup
    places: npt.NDArray[np.intp]
    first_ms: _Ints
    start: Mixed
    is_between: _Bools
    is_repeated: _Bools

    def those(self, which: _Bools) -> "_Waiting":
        return _Waiting(
            self.group,
            self.places[which],
            self.first_ms[which],
            self.start[which],
            self.is_between[which],
            self.is_repeated[which],
        )

    def rows(self) -> pa.Table:
        return self.group.rows(self.places, _ROW)


@dataclass(frozen=True)
class AlphaRows:
    """Some of these records; `is_repeated` where they repeat what another metering point counts."""

    rows: pa.Table
    is_repeated: bool


def alpha_rows(groups: Iterable[RowGroup], pairs: Pairs, repeated: RepeatedRows | None = None) -> Iterator[AlphaRows]:
    """Such records, with some more; those of one flow, metering point and start are in the same table, or in none.

    Without `repeated` no record repeats others, and all have one metering point.

    Raises:
        TooManyWaitingError: starts are so scattered over the parts that they cannot be read in their order.
    """
    wanted = _PairTable(list(pairs))
    waiting: list[_Waiting] = []
    ordered = sorted(groups, key=lambda group: group.least_ms)
    later = [group.least_ms for group in ordered[1:]]
    looked_at = 0
    for group, least_ms in zip(ordered, [*later, None], strict=True):
        waiting.append(_first_look(group, wanted, repeated))
        looked_at += waiting[-1].places.size
        if looked_at >= BATCH_ROWS or least_ms is None:
            done = waiting if least_ms is None else [rows.those(rows.first_ms < least_ms) for rows in waiting]
            yield from _apart(done)
            waiting = [] if least_ms is None else [rows.those(rows.first_ms >= least_ms) for rows in waiting]
            waiting = [rows for rows in waiting if rows.places.size]
            looked_at = 0
        if sum(rows.places.size for rows in waiting) > MOST_WAITING_ROWS:
            raise TooManyWaitingError("too many records start far before others in their files")


def _first_look(group: RowGroup, wanted: "_PairTable", repeated: RepeatedRows | None) -> _Waiting:
    columns = group.columns(_START if repeated is None else (*_START, *_POINT))
    start = mixed(columns)
    is_repeated = np.zeros(start.size, np.bool_) if repeated is None else repeated.of(group)
    return _Waiting(group, np.arange(start.size), columns["first_ms"], start, wanted.may_hold(columns), is_repeated)


class _PairTable:
    """Prefix pairs in a table by a mixture of their addresses; pairs of the same lengths are looked up at once."""

    def __init__(self, pairs: Collection[tuple[Network, Network]]) -> None:
        self._shapes: dict[_Shape, _Bools] = {
            (halves(source.netmask), halves(destination.netmask)): np.zeros(1 << _TABLE_BITS, np.bool_)
            for source, destination in pairs
        }
        ends: dict[_Shape, list[tuple[int, ...]]] = {shape: [] for shape in self._shapes}
        for source, destination in pairs:
            networks = (*halves(source.network_address), *halves(destination.network_address))
            ends[halves(source.netmask), halves(destination.netmask)].append(networks)
        for shape, of_shape in ends.items():
            columns = dict(zip(HOSTS, np.array(of_shape, np.int64).T, strict=True))
            self._shapes[shape][places(mixed(columns), _TABLE_BITS)] = True

    def may_hold(self, columns: Mapping[str, Column]) -> _Bools:
        """Whether some pair may match; a few others look as if."""
        found = np.zeros(columns["src_lo"].size, np.bool_)
        for (source, destination), table in self._shapes.items():
            masks = zip(HOSTS, [*source, *destination], strict=True)
            found |= table[places(mixed({name: columns[name] & mask for name, mask in masks}), _TABLE_BITS)]
        return found


def _apart(rows: Sequence[_Waiting]) -> Iterator[AlphaRows]:
    """Of rows that have seen all with their start those that are wanted, in tables that are not too large."""
    if not rows:
        return
    is_shared = _is_shared(np.concatenate([of_group.start for of_group in rows]))
    ends = np.cumsum([of_group.places.size for of_group in rows])[:-1]
    chosen = [
        of_group.those(shared | of_group.is_between)
        for of_group, shared in zip(rows, np.split(is_shared, ends), strict=True)
    ]
    for is_repeated in (False, True):
        alike = [of_group.those(of_group.is_repeated == is_repeated) for of_group in chosen]
        tables = _tables(sum(of_group.places.size for of_group in alike))
        for number in range(tables):
            mine = [of_group.those(of_group.start % np.uint64(tables) == number) for of_group in alike]
            if read := [of_group.rows() for of_group in mine if of_group.places.size]:
                yield AlphaRows(pa.concat_tables(read), is_repeated)


def _tables(rows: int) -> int:
    """The number of tables for these rows: each reads its row groups again."""
    return max(min(-(-rows // _FEW_ROWS), _MORE_READINGS), -(-rows // MOST_ROWS))


def _is_shared(starts: Mixed) -> _Bools:
    """The values that occur more than once."""
    ordered = np.sort(starts)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    # few are, and a look into a table is cheaper than a search
    table = np.zeros(1 << _TABLE_BITS, np.bool_)
    table[places(twice, _TABLE_BITS)] = True
    is_shared = table[places(starts, _TABLE_BITS)]
    is_shared[is_shared] = np.isin(starts[is_shared], twice)
    return is_shared
