"""The analytics engine for large data: the same queries on Spark, over the same parts."""

import re
import threading
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import pyarrow as pa

from hntes.etl.engines.session import SparkError, SparkHandle, SparkOptions, cancelled_after, message, spark_errors
from hntes.etl.errors import LakeError, QueryLimitError
from hntes.etl.lake.url import Lake, LakeUrl
from hntes.etl.schema import LAKE_SCHEMA, LATER_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SQL_TYPES = {pa.int8(): "TINYINT", pa.int16(): "SMALLINT", pa.int32(): "INT", pa.int64(): "BIGINT"}
# Hadoop takes these for patterns, and a colon for the end of a scheme.
_NOT_IN_PATHS = re.compile(r"[\[\]{}*?\\:,]")


def spark_schema(schema: pa.Schema, with_nulls: Set[str] = frozenset()) -> str:
    """A schema of integer columns, as Spark writes it; nulls are in those of `with_nulls` only."""
    return ", ".join(
        f"{field.name} {_SQL_TYPES[field.type]}{'' if field.name in with_nulls else ' NOT NULL'}" for field in schema
    )


# Spark gives null for a column that a part lacks.
SPARK_SCHEMA = spark_schema(LAKE_SCHEMA, LATER_COLUMNS)


class SparkEngine:
    """Runs queries over a view `flows` of given parts; the rows equal DuckDB's, in the same order."""

    reads_here = False

    def __init__(self, options: SparkOptions) -> None:
        self.handle = SparkHandle(options)
        self._max_rows = options.max_result_rows
        self._lock = threading.Lock()  # all queries of a session share the name of the view

    def run(
        self,
        query: str,
        lake: Lake,
        parts: Sequence[str],
        relations: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Rows of a query over the given parts (names relative to the lake); no parts mean no flows.

        `relations` are further relations of the query, by name; they are small.

        Raises:
            LakeError: a part that the ledger names is missing from the lake.
            QueryLimitError: the query takes longer than it may.
            SparkError: Spark failed, or the query gives more rows than one process should hold.
        """
        session = self.handle.session
        from pyspark.errors import AnalysisException

        options = self.handle.options
        with self._lock, cancelled_after(session, options.query_limit_s, options.is_connect) as expired:
            try:
                rows = self._rows(session, query, [part_path(lake, part) for part in parts], relations or {})
            except AnalysisException as cause:
                if cause.getCondition() == "PATH_NOT_FOUND":
                    raise LakeError(
                        f"{message(cause)}: the ledger names this part but it is gone; "
                        "restore it, or ingest its file again"
                    ) from cause
                raise SparkError(f"Spark refuses the query: {message(cause)}") from cause
            except spark_errors() as cause:
                if expired.is_set():
                    raise QueryLimitError(
                        f"a query over the lake {lake} took more than {options.query_limit_s:.0f} s and was cancelled; "
                        "raise analytics.query_limit_s, or detection.threshold_bytes"
                    ) from cause
                raise SparkError(f"Spark could not finish the query: {message(cause)}") from cause
        if rows.num_rows > self._max_rows:
            raise SparkError(
                f"the query gives more than {self._max_rows} rows; raise detection.threshold_bytes, "
                "or analytics.spark.max_result_rows where memory allows (about 150 bytes a row)"
            )
        return rows

    def _rows(
        self, session: "SparkSession", query: str, paths: list[str], relations: Mapping[str, pa.Table]
    ) -> pa.Table:
        """Up to one row more than the limit; what the query keeps aside goes when they are here."""
        from hntes.etl.engines.dialect import spark_steps

        if paths:
            flows = session.read.schema(SPARK_SCHEMA).parquet(*paths)
        else:
            flows = session.createDataFrame([], SPARK_SCHEMA)
        flows.createOrReplaceTempView("flows")
        for name, table in relations.items():
            session.createDataFrame(table.to_pylist(), spark_schema(table.schema)).createOrReplaceTempView(name)
        steps, last = spark_steps(query)
        kept: list[DataFrame] = []
        try:
            for step in steps:
                frame = session.sql(step.text)
                if step.is_kept:
                    kept.append(frame.persist())
                    # Spark knows the size of what it keeps once it is there, and sends what is small to every task, so
                    # that what it is joined with, which may be the whole day, stays where it is read
                    frame.count()
                frame.createOrReplaceTempView(step.name)
            return session.sql(last).limit(self._max_rows + 1).toArrow()
        finally:
            for frame in kept:
                frame.unpersist()
            for step in steps:
                session.catalog.dropTempView(step.name)

    def close(self) -> None:
        """Stops Spark, if it was started."""
        self.handle.close()


def part_path(lake: Lake, part: str) -> str:
    """A part as Spark's readers name it.

    Raises:
        SparkError: the lake's path has a character that Hadoop would not take as itself.
    """
    path = str(lake / part)
    # a plain path must not be taken for one of the cluster's default file system; a URL was checked by the settings
    if isinstance(lake, LakeUrl):
        return path
    if found := _NOT_IN_PATHS.search(path):
        raise SparkError(f"{path}: Spark cannot read a path that holds {found[0]!r}; choose another paths.lake")
    return f"file://{path}" if path.startswith("/") else path
