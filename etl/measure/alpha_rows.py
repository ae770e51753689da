"""The records of a day for which the sums of its parts (etl/lake/minute_sums.py) cannot speak.

These are records between hosts that some prefix pair matches, which lie in another queue, and records of one flow that
all claim the same start, which count from the end of the one before (sql/queries/staging/moved.sql). Few columns of all
records are read to find them, and others only where one was found. Records that must be looked at together have the
same start, so that they are found while the day is read in the order of starts; memory does not grow with the day.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hntes.addresses import Network
from hntes.etl.engines.hash64 import HOSTS, Column, Mixed, mixed, places
from hntes.etl.errors import EtlError
from hntes.etl.lake.minute_sums import ADDED
from hntes.etl.lake.row_groups import RowGroup
from hntes.etl.measure.pair_marks import Marks, PairMarks
from hntes.etl.measure.repeated_rows import RepeatedRows

# As many rows are looked through at a time, compared at a time, and waited for at most.
BATCH_ROWS, MOST_ROWS, MOST_WAITING_ROWS = 1 << 20, 1 << 19, 1 << 23
_START = (*HOSTS, "src_port", "dst_port", "first_ms")
# Records of one flow that were metered at different points mostly start together, which says nothing about them.
_POINT = ("exporter_hi", "exporter_lo", "direction")
_TABLE_BITS = 20
# What the records of one flow share, and what orders them.
_FLOW = (
    *_START, "ip_version", "protocol", *_POINT, "exporter_domain", "input_interface", "output_interface",
)  # fmt: skip
_END = "last_ms"

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


class TooManyWaitingError(EtlError):
    """Too many records are waiting for others with the same start to be held in memory."""


@dataclass(frozen=True)
class _Waiting:
    """Rows of a group that may not have seen all rows with their start."""

    group: RowGroup
    places: npt.NDArray[np.intp]
    first_ms: _Ints
    start: Mixed
    marks: Marks
    is_repeated: _Bools

    def those(self, which: _Bools) -> "_Waiting":
        return _Waiting(
            self.group,
            self.places[which],
            self.first_ms[which],
            self.start[which],
            self.marks[which],
            self.is_repeated[which],
        )

    def read(self, names: Sequence[str]) -> dict[str, Column]:
        rows = self.group.rows(self.places, names)
        return {name: rows[name].to_numpy() for name in names}


@dataclass(frozen=True)
class AlphaRows:
    """Such records: their columns ADDED, when their counters began (epoch ms), the marks of their pairs, and whether
    they repeat what another metering point counts.
    """

    columns: Mapping[str, Column]
    start_ms: _Ints
    marks: Marks
    is_repeated: _Bools


def alpha_rows(
    groups: Iterable[RowGroup], marks: Mapping[tuple[Network, Network], int], repeated: RepeatedRows | None = None
) -> Iterator[AlphaRows]:
    """Each such record once; one that repeats others only if its start moves, as it lies in no queue.

    `marks` are bits of each prefix pair. Without `repeated` no record repeats others, and all have one metering point.

    Raises:
        TooManyWaitingError: starts are so scattered over the parts that they cannot be read in their order.
    """
    wanted = PairMarks(marks)
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


def _first_look(group: RowGroup, wanted: PairMarks, repeated: RepeatedRows | None) -> _Waiting:
    columns = group.columns(("ip_version", *_START, *(() if repeated is None else _POINT)))
    marks = wanted.of(columns)
    start = mixed({name: values for name, values in columns.items() if name != "ip_version"})
    is_repeated = np.zeros(start.size, np.bool_) if repeated is None else repeated.of(group)
    return _Waiting(group, np.arange(start.size), columns["first_ms"], start, marks, is_repeated)


def _apart(rows: Sequence[_Waiting]) -> Iterator[AlphaRows]:
    """Of rows that have seen all with their start those that are wanted."""
    if not rows:
        return
    is_shared = _cut(_is_shared(np.concatenate([of_group.start for of_group in rows])), rows)
    starts_ms = _starts_ms(rows, is_shared)
    for of_group, start_ms in zip(rows, starts_ms, strict=True):
        in_queue = (of_group.marks > 0) & ~of_group.is_repeated
        which = in_queue | (start_ms != of_group.first_ms)
        if which.any():
            chosen = of_group.those(which)
            yield AlphaRows(chosen.read(ADDED), start_ms[which], chosen.marks, chosen.is_repeated)


def _cut(values: npt.NDArray[np.bool_], rows: Sequence[_Waiting]) -> list[npt.NDArray[np.bool_]]:
    """The values of each group's rows."""
    return np.split(values, np.cumsum([of_group.places.size for of_group in rows])[:-1])


def _starts_ms(rows: Sequence[_Waiting], is_shared: Sequence[_Bools]) -> list[_Ints]:
    """When the counters of all rows began; those whose start others may have, too, are compared, so many at a time."""
    starts_ms = [of_group.first_ms.copy() for of_group in rows]
    turns = -(-sum(int(shared.sum()) for shared in is_shared) // MOST_ROWS)
    for turn in range(turns):
        of_turn = [
            shared & (of_group.start % np.uint64(turns) == turn)
            for of_group, shared in zip(rows, is_shared, strict=True)
        ]
        chosen = [of_group.those(which) for of_group, which in zip(rows, of_turn, strict=True)]
        read = [of_group.read((*_FLOW, _END)) for of_group in chosen if of_group.places.size]
        if not read:
            continue
        moved_ms = _moved_ms({name: np.concatenate([part[name] for part in read]) for name in read[0]})
        sizes = np.cumsum([which.sum() for which in of_turn])[:-1]
        for start_ms, which, mine in zip(starts_ms, of_turn, np.split(moved_ms, sizes), strict=True):
            start_ms[which] = mine
    return starts_ms


def _moved_ms(columns: Mapping[str, Column]) -> _Ints:
    """When the counters of records began: at the latest earlier end of those with the same flow and start, if any."""
    key = mixed({name: columns[name] for name in _FLOW})
    order = np.lexsort((columns[_END], key))
    is_other = _is_other(columns, order)
    if (is_other[1:] & (key[order][1:] == key[order][:-1])).any():  # flows of one hash, whose records may be mingled
        order = np.lexsort((columns[_END], *(columns[name] for name in _FLOW)))
        is_other = _is_other(columns, order)
    end_ms = columns[_END][order]
    # records with the same end have the same one before: that of the first of them
    is_later = is_other.copy()
    is_later[1:] |= end_ms[1:] != end_ms[:-1]
    numbers = np.arange(order.size)
    first_alike = np.maximum.accumulate(np.where(is_later, numbers, 0))
    has_earlier = ~is_other[first_alike]
    moved_ms = np.empty(order.size, np.int64)
    moved_ms[order] = np.where(has_earlier, end_ms[first_alike - 1], columns["first_ms"][order])
    return moved_ms


def _is_other(columns: Mapping[str, Column], order: npt.NDArray[np.intp]) -> _Bools:
    """Whether each row, in this order, is of another flow or start than the one before."""
    is_other = np.zeros(order.size, np.bool_)
    is_other[:1] = True
    for name in _FLOW:
        values = columns[name][order]
        is_other[1:] |= values[1:] != values[:-1]
    return is_other


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
