"""The embedded analytics engine: DuckDB over the lake's parts."""

from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from etl.errors import LakeError
from etl.lake.url import Lake, LakeUrl
from etl.schema import LAKE_SCHEMA


class DuckEngine:
    """Runs queries over a view `flows` of given parts. Equal input gives equal rows, whatever the threads."""

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads

    def run(
        self, query: str, lake: Lake, parts: Sequence[str], relations: Mapping[str, pa.Table] | None = None
    ) -> pa.Table:
        """Rows of a query over the given parts (names relative to the lake); no parts mean no flows.

        `relations` are further relations of the query, by name.

        Raises:
            LakeError: a part that the ledger names is missing from the lake.
        """
        if isinstance(lake, LakeUrl):
            raise LakeError(f'{lake}: DuckDB reads a lake in a folder only; set analytics.kind = "spark"')
        paths = [lake / part for part in parts]
        for path in paths:
            if not path.is_file():
                raise LakeError(
                    f"{path}: the ledger names this part but it is gone; restore it, or ingest its file again"
                )
        with duckdb.connect(":memory:") as connection:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(f"SET threads = {int(self._threads)}")
            if paths:
                relation = connection.read_parquet([str(path) for path in paths])
                relation.create_view("flows")
            else:
                connection.register("flows", LAKE_SCHEMA.empty_table())
            for name, table in (relations or {}).items():
                connection.register(name, table)
            return connection.sql(query).to_arrow_table()

    def close(self) -> None:
        """Nothing to end: every query has a connection of its own."""
