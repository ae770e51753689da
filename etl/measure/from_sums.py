"""The rows of sql/queries/interface_load.sql from the sums that a day's parts keep, without reading most records.

Sums are of all records, each from its own start. Those of the records that may lie in another queue, or start where
another of their flow ended, are taken off again; the query says what these records come to. So the figures are the
query's to the byte.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from etl.days import MINUTE_MS
from etl.lake.minute_sums import GROUP, SUMS, SUMS_SCHEMA, MinuteSums, PartSums, Point, sums_in
from etl.measure.measured_pairs import Pairs
from etl.measure.rows_apart import PartFile, TooManyWaitingError, rows_apart


def loads_by_sums(
    paths: Sequence[Path],
    pairs: Pairs,
    bounds: tuple[int, int],
    queried: Callable[[pa.Table], pa.Table],
    by_exporter: bool,
) -> list[pa.Table] | None:
    """Tables that together have the query's rows of the day [bounds[0], bounds[1]), epoch ms.

    `queried` gives the query's rows over a table of records. A group may be in several of the tables; its sums add up.
    None where only the query over all records can say it: a part has no sums or is gone, the router has several
    metering points (exporters, if `by_exporter`, and directions), of which the fullest counts for each flow, or the
    starts of records are too scattered.
    """
    if not paths or not all(path.is_file() for path in paths):
        return None
    parts = [PartFile(path, pq.read_metadata(path)) for path in paths]
    stored = _all_sums(parts, bounds)
    if stored is None or len(stored.points if by_exporter else {point[2] for point in stored.points}) > 1:
        return None
    left, others = stored.groups, []
    try:
        for rows in rows_apart(parts, pairs):
            sums = MinuteSums()
            sums.add({name: rows[name].to_numpy() for name in rows.column_names})
            apart = sums.finish()
            if apart is None:
                return None
            left = _added([left, _negative(_of_the_day(apart.groups, bounds))])
            others.append(queried(rows))
    except TooManyWaitingError:
        return None
    return [_as_queried(left.filter(pc.greater(left["pieces"], 0))), *others]


def _all_sums(parts: Sequence[PartFile], bounds: tuple[int, int]) -> PartSums | None:
    """Of all parts; None if one has none."""
    groups, points = SUMS_SCHEMA.empty_table(), frozenset[Point]()
    for part in parts:
        found = sums_in(part.footer.metadata)
        if found is None:
            return None
        groups, points = _added([groups, _of_the_day(found.groups, bounds)]), points | found.points
    return PartSums(groups, points)


def _of_the_day(groups: pa.Table, bounds: tuple[int, int]) -> pa.Table:
    minute = groups["minute"]
    from_minute, to_minute = (edge_ms // MINUTE_MS for edge_ms in bounds)
    return groups.filter(pc.and_(pc.greater_equal(minute, from_minute), pc.less(minute, to_minute)))


def _negative(groups: pa.Table) -> pa.Table:
    columns = [pc.negate(groups[name]) if name in SUMS else groups[name] for name in SUMS_SCHEMA.names]
    return pa.Table.from_arrays(columns, schema=SUMS_SCHEMA)


def _added(tables: Sequence[pa.Table]) -> pa.Table:
    """One row a group."""
    grouped = pa.concat_tables(tables).group_by(list(GROUP), use_threads=False)
    summed = grouped.aggregate([(name, "sum") for name in SUMS])
    return pa.Table.from_arrays(summed.columns, schema=SUMS_SCHEMA)


def _as_queried(groups: pa.Table) -> pa.Table:
    """In the columns of the query: of no pair's queue, and nothing that another point counted."""
    none = pa.array([0] * groups.num_rows, pa.int32())
    return groups.drop_columns("pieces").append_column("in_alpha_queue", none).append_column("repeated", none)
