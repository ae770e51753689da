"""The rows that are kept of a file, as dicts of one row each, by claim."""

from collections.abc import Mapping
from typing import Any

from hntes.etl.lake.parts import LakeRows
from tests.support.native_reader import columns_of


class RowTables:
    """Takes rows; `of` has them by the number of the claim, in the file's order."""

    def begin(self) -> None:
        self.of: dict[int, list[dict[str, int]]] = {}

    def take(self, number: int, rows: LakeRows) -> None:
        columns: Mapping[str, Any] = rows if isinstance(rows, dict) else columns_of(rows)
        values = zip(*(column.tolist() for column in columns.values()), strict=True)
        self.of.setdefault(number, []).extend(dict(zip(columns, row, strict=True)) for row in values)
