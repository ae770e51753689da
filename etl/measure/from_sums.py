"""The rows of sql/queries/interface_load.sql from the sums that a day's parts keep, without reading most records.

Sums are of all records, each from its own start. Those of records that repeat what another metering point counts are
taken off, and so are those of records that lie in another queue, or start where another of their flow ended; what these
come to is added up beside them. So the figures are the query's to the byte.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hntes.addresses import Network
from hntes.etl.days import MINUTE_MS
from hntes.etl.errors import EtlError
from hntes.etl.lake.minute_sums import ADDED, SUMS, SUMS_SCHEMA, Column, MinuteSums, PartSums, Point, sums_in
from hntes.etl.lake.row_groups import PartFile, RowGroup, row_groups
from hntes.etl.measure.alpha_rows import AlphaRows, TooManyWaitingError, alpha_rows
from hntes.etl.measure.repeated_rows import NotComparableError, RepeatedRows, repeated_rows

# Bits of a prefix pair's mark.
IN_RULES, IN_FORCE = 1, 2
# Records by the marks of their pairs, and those that repeat others, which lie in no queue.
_MARKS, _REPEATED = range(4), 4

# Columns of interface_load.sql: the group, and sums in the types in which they are added up.
_BY = ("output_interface", "minute", "in_alpha_queue", "in_force", "repeated", "sampling_factor")
_QUERIED = pa.schema(
    [pa.field(name, pa.int64()) for name in _BY] + [SUMS_SCHEMA.field(name) for name in SUMS if name != "pieces"]
)
# Of a day; there are no sums of more, and rows of sums that wait to be added up.
_MOST_GROUPS, _MOST_WAITING = 1 << 20, 1 << 18


class NoSumsError(EtlError):
    """Records cannot be added up here."""


def loads_by_sums(
    lake: Path,
    names: Sequence[str],
    marks: Mapping[tuple[Network, Network], int],
    bounds: tuple[int, int],
    by_exporter: bool,
) -> pa.Table | None:
    """The query's rows of the day [bounds[0], bounds[1]), epoch ms; of repeated records one row a minute.

    `marks` are IN_RULES, IN_FORCE or both of each pair. Of several metering points (exporters, if `by_exporter`, and
    directions) the fullest counts for each flow. None where only the query over all records can say it: a part has no
    sums or is gone, its rows cannot be compared, or the starts of records are too scattered.
    """
    paths = [lake / name for name in names]
    if not paths or not all(path.is_file() for path in paths):
        return None
    parts = [PartFile(path, pq.read_metadata(path)) for path in paths]
    stored = _all_sums(parts, bounds)
    if stored is None:
        return None
    groups, repeated = list(row_groups(parts)), None
    sums = {kind: [SUMS_SCHEMA.empty_table()] for kind in (*_MARKS, _REPEATED)}
    sums[0].append(stored.groups)
    try:
        if len(stored.points if by_exporter else {point[2] for point in stored.points}) > 1:
            repeated = repeated_rows(lake, groups, stored.points, bounds, by_exporter)
            again = _added_up(_repeated_columns(groups, repeated))
            sums[0].append(_negative(again))
            sums[_REPEATED].append(again)
        for kind, of_kind in _sums_apart(alpha_rows(groups, marks, repeated)):
            sums[kind].append(of_kind)
    except (NotComparableError, NoSumsError, TooManyWaitingError):
        return None
    return _added([_as_queried(_left(_of_the_day(_added(tables), bounds)), kind) for kind, tables in sums.items()])


def _sums_apart(found: Iterable[AlphaRows]) -> list[tuple[int, pa.Table]]:
    """What such records come to, by their kind, less what the parts' sums have of them."""
    kinds = (*_MARKS, _REPEATED)
    counted, stored = ({kind: MinuteSums(_MOST_GROUPS) for kind in kinds} for _ in range(2))
    for rows in found:
        kind_of = np.where(rows.is_repeated, _REPEATED, rows.marks)
        for kind in np.unique(kind_of).tolist():
            which = kind_of == kind
            columns = {name: values[which] for name, values in rows.columns.items()}
            stored[_REPEATED if kind == _REPEATED else 0].add(columns)
            counted[kind].add({**columns, "first_ms": rows.start_ms[which]})
    return [(kind, _groups(sums)) for kind, sums in counted.items()] + [
        (kind, _negative(_groups(sums))) for kind, sums in stored.items()
    ]


def _repeated_columns(groups: Iterable[RowGroup], repeated: RepeatedRows) -> Iterable[Mapping[str, Column]]:
    found = ((group, repeated.of(group)) for group in groups)
    chosen = ((group.columns(ADDED), which) for group, which in found if which.any())
    return ({name: values[which] for name, values in columns.items()} for columns, which in chosen)


def _added_up(blocks: Iterable[Mapping[str, Column]]) -> pa.Table:
    sums = MinuteSums(_MOST_GROUPS)
    for block in blocks:
        sums.add(block)
    return _groups(sums)


def _groups(sums: MinuteSums) -> pa.Table:
    """The sums of some rows.

    Raises:
        NoSumsError: they are of too many interfaces and minutes.
    """
    found = sums.finish()
    if found is None:
        raise NoSumsError("the records of a day have too many interfaces and minutes to be summed in memory")
    return found.groups


def _all_sums(parts: Sequence[PartFile], bounds: tuple[int, int]) -> PartSums | None:
    """Of all parts; None if one has none."""
    groups, points = [SUMS_SCHEMA.empty_table()], frozenset[Point]()
    for part in parts:
        found = sums_in(part.footer.metadata)
        if found is None:
            return None
        groups, points = _few([*groups, _of_the_day(found.groups, bounds)]), points | found.points
    return PartSums(_added(groups), points)


def _of_the_day(groups: pa.Table, bounds: tuple[int, int]) -> pa.Table:
    minute = groups["minute"]
    from_minute, to_minute = (start_ms // MINUTE_MS for start_ms in bounds)
    return groups.filter(pc.and_(pc.greater_equal(minute, from_minute), pc.less(minute, to_minute)))


def _negative(groups: pa.Table) -> pa.Table:
    columns = [pc.negate(groups[name]) if name in SUMS else groups[name] for name in SUMS_SCHEMA.names]
    return pa.Table.from_arrays(columns, schema=SUMS_SCHEMA)


def _few(tables: list[pa.Table]) -> list[pa.Table]:
    """The same sums, in one table where they have many rows."""
    return [_added(tables)] if sum(table.num_rows for table in tables) > _MOST_WAITING else tables


def _added(tables: Sequence[pa.Table]) -> pa.Table:
    """One row a group."""
    schema = tables[0].schema
    group = [name for name in schema.names if name not in SUMS]
    grouped = pa.concat_tables(tables).group_by(group, use_threads=False)
    summed = grouped.aggregate([(name, "sum") for name in schema.names if name in SUMS])
    return pa.Table.from_arrays(summed.columns, schema=schema)


def _left(groups: pa.Table) -> pa.Table:
    """Without the groups of which nothing is left."""
    return groups.filter(pc.greater(groups["pieces"], 0)).drop_columns("pieces")


def _as_queried(rows: pa.Table, kind: int) -> pa.Table:
    """Rows of the query in its columns. Repeats are per minute, as nobody asks for more of them."""
    if kind == _REPEATED:
        values = {"output_interface": 0, "in_alpha_queue": 0, "in_force": 0, "repeated": 1, "sampling_factor": 0}
    else:
        values = {"in_alpha_queue": int(kind & IN_RULES > 0), "in_force": int(kind & IN_FORCE > 0), "repeated": 0}
    return _filled(rows, values).select(_QUERIED.names).cast(_QUERIED)


def _filled(rows: pa.Table, values: Mapping[str, int]) -> pa.Table:
    """With these values in all rows."""
    kept = rows.drop_columns([name for name in values if name in rows.column_names])
    for name, value in values.items():
        kept = kept.append_column(name, pa.array(np.full(rows.num_rows, value)))
    return kept
