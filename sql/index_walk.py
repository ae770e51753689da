"""Distinct values of columns that begin an index, found one after the other in it.

`DISTINCT` and `GROUP BY` read all rows of the index, of which a year of files has a hundred thousand and more.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, func, select


def least_of_each(
    keys: Sequence[ColumnElement[object]], value: ColumnElement[object], where: ColumnElement[bool]
) -> Select[tuple[Any, ...]]:
    """The distinct rows of `keys`, and the least `value` beside each.

    `where` compares columns with constants; an index has its columns first, then `keys`, then `value`. None is null.
    """
    found = None
    for column in keys:
        found = _with_next(found, column, keys, where)
    if found is None:
        raise ValueError("no keys")
    values = list(found.c)
    return select(*values, _least(value, keys, values, where)).where(values[-1].is_not(None))


def _with_next(
    found: CTE | None, column: ColumnElement[object], keys: Sequence[ColumnElement[object]], where: ColumnElement[bool]
) -> CTE:
    """Each row with all values that a column has beside it, in order, and with null as the last."""
    given = [] if found is None else list(found.c)
    first = select(*given, _least(column, keys, given, where).label(column.key)).cte(f"by_{column.key}", recursive=True)
    *given, last = first.c
    following = select(*given, _least(column, keys, given, where & (column > last)))
    return first.union_all(following.where(last.is_not(None)))


def _least(
    column: ColumnElement[object],
    keys: Sequence[ColumnElement[object]],
    values: Sequence[ColumnElement[object]],
    where: ColumnElement[bool],
) -> ColumnElement[object]:
    """The least value of a column in the rows whose first keys have these values."""
    beside = [key == value for key, value in zip(keys, values, strict=False)]
    return select(func.min(column)).where(where, *beside).scalar_subquery()
