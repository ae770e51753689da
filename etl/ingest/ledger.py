"""The outcomes of a file's records: counts by router and outcome, and the records set aside."""

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.arrow_columns import numbers, texts
from hntes.etl.ingest.columns import LARGEST_INT64, Columns, picked
from hntes.etl.ingest.times import Bool, Int64

# The column of a record's number within its file.
RECORD = "record"

Scalar = TypeVar("Scalar", np.int64, np.bool_)


@dataclass
class Ledger:
    """counts: (router or "", outcome) -> (records, bytes as stored). Records that are set aside are held in memory."""

    counts: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    _aside: dict[str, list[tuple[str, Columns]]] = field(default_factory=dict)

    def count(self, router: str, outcome: str, stored_bytes: Int64) -> None:
        """Counts records by their bytes."""
        if stored_bytes.size:
            self.count_sum(router, outcome, stored_bytes.size, exact_sum(stored_bytes))

    def count_sum(self, router: str, outcome: str, records: int, stored_bytes: int) -> None:
        """Counts records by number and total bytes."""
        old_records, old_bytes = self.counts.get((router, outcome), (0, 0))
        # absurd counters add up to more than a database column holds
        self.counts[router, outcome] = (old_records + records, min(old_bytes + stored_bytes, LARGEST_INT64))

    def set_aside(self, router: str, reason: str, records: Columns) -> None:
        """Keeps records as evidence, and counts them."""
        self._aside.setdefault(reason, []).append((router, records))
        self.count(router, f"set_aside:{reason}", records["bytes"])

    def set_aside_table(self) -> pa.Table:
        """The records that were set aside with their router and reason: by reason, and then in the file's order."""
        tables = [_table(reason, pieces) for reason, pieces in sorted(self._aside.items())]
        return pa.concat_tables(tables) if tables else pa.table({})


def _table(reason: str, pieces: list[tuple[str, Columns]]) -> pa.Table:
    columns = {name: np.concatenate([piece[name] for _, piece in pieces]) for name in pieces[0][1]}
    order = np.argsort(columns.pop(RECORD))
    routers = np.repeat([router for router, _ in pieces], [piece[RECORD].size for _, piece in pieces])
    named = {"router": texts(routers[order].tolist()), "reason": texts([reason] * len(order))}
    return pa.table(named | {name: numbers(values) for name, values in picked(columns, order).items()})


class OpenRecords:
    """A block's records of one router that no rule has settled yet."""

    def __init__(self, columns: Columns, router: str, ledger: Ledger) -> None:
        self.columns, self._router, self._ledger = columns, router, ledger
        self._open: Bool | None = None  # None: all

    def settle(self, reason: str, hit: Bool) -> None:
        """Takes records out for a reason; those that are out already stay where they are."""
        hit = self.still_open(hit)
        if hit.any():
            self._ledger.set_aside(self._router, reason, picked(self.columns, hit))
            self._open = self.still_open(~hit)

    def count(self, outcome: str, hit: Bool) -> None:
        """Counts those of the records that are open."""
        self._ledger.count(self._router, outcome, self.columns["bytes"][self.still_open(hit)])

    def left(self, values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """Those values of a column that belong to open records."""
        return values if self._open is None else values[self._open]

    def left_columns(self) -> Columns:
        """The open records."""
        return self.columns if self._open is None else picked(self.columns, self._open)

    def still_open(self, hit: Bool) -> Bool:
        """Those of the records that are open."""
        return hit if self._open is None else hit & self._open


def exact_sum(values: Int64) -> int:
    """The sum of up to 2^31 numbers of 0 to 2^63 - 1, which may be more than 64 bits hold."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFF_FFFF).sum())
