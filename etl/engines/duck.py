"""The embedded analytics engine: DuckDB over the lake's parts, within limits of memory, disk and time."""

import functools
import secrets
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pyarrow as pa

from hntes.etl.errors import GonePartError, QueryLimitError
from hntes.etl.schema import LAKE_SCHEMA

# DuckDB makes such a folder when a query outgrows its memory and removes it at the end; no query takes two days.
_SPILL = ".query-"
_SPILL_AGE_S = 2 * 86_400


class DuckEngine:
    """Runs queries over a view `flows` of given parts. Equal input gives equal rows, whatever the threads."""

    def __init__(
        self, threads: int = 2, memory_mib: int = 2048, temporary_mib: int = 20_480, limit_s: float = 3600.0
    ) -> None:
        """Each query takes at most this much memory and, below the lake, disk; and this long."""
        self._threads = threads
        self._memory_mib, self._temporary_mib, self._limit_s = memory_mib, temporary_mib, limit_s

    def run(
        self,
        query: str,
        lake: Path,
        parts: Sequence[str],
        relations: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Rows of a query over the given parts (names relative to the lake); no parts mean no flows.

        `relations` are further relations of the query, by name; one named `flows` takes the place of the parts.

        Raises:
            GonePartError: a part that the ledger names is missing from the lake.
            QueryLimitError: the query needs more memory and disk, or time, than it may take.
        """
        paths = [lake / part for part in parts]
        for path in paths:
            if not path.is_file():
                raise GonePartError.of(path)
        # a table that is handed over has few rows: with several threads it takes more CPU time and memory
        threads = 1 if "flows" in (relations or {}) else self._threads
        with self._connected(lake, threads) as connection:
            if paths:
                _flows(connection, [str(path) for path in paths]).create_view("flows")
            elif "flows" not in (relations or {}):
                connection.register("flows", LAKE_SCHEMA.empty_table())
            for name, table in (relations or {}).items():
                connection.register(name, table)
            return connection.sql(query).to_arrow_table()

    @contextmanager
    def _connected(self, lake: Path, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
        """A database of its own in memory; what does not fit goes to a folder beside the lake's own."""
        _remove_abandoned(lake)
        spill = lake / f"{_SPILL}{secrets.token_hex(8)}"
        with duckdb.connect(":memory:") as connection:
            for name, value in self._options(spill, threads).items():
                connection.execute(f"SET {name} = '{value}'")
            expired = threading.Event()

            def expire() -> None:
                expired.set()
                connection.interrupt()

            clock = threading.Timer(self._limit_s, expire)
            clock.daemon = True
            clock.start()
            try:
                yield connection
            except duckdb.InterruptException as cause:
                if not expired.is_set():
                    raise
                raise QueryLimitError(
                    f"a query over the lake {lake} took more than {self._limit_s:.0f} s and was cancelled; raise "
                    "analytics.query_limit_s, or detection.threshold_bytes"
                ) from cause
            except duckdb.OutOfMemoryException as cause:
                raise QueryLimitError(
                    f"a query over the lake {lake} needs more than {self._memory_mib} MiB of memory and "
                    f"{self._temporary_mib} MiB of disk; raise memory_mib or temporary_mib of [analytics.duckdb]"
                ) from cause
            finally:
                clock.cancel()
                clock.join()

    def _options(self, spill: Path, threads: int) -> dict[str, str]:
        quoted = str(spill).replace("'", "''")
        return {
            "enable_progress_bar": "false",
            "TimeZone": "UTC",
            "threads": str(int(threads)),
            "memory_limit": f"{int(self._memory_mib)}MiB",
            "temp_directory": quoted,
            "max_temp_directory_size": f"{int(self._temporary_mib)}MiB",
        }


def _flows(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> duckdb.DuckDBPyRelation:
    """The rows of these parts; those of before there was a `tos` have null there.

    Each kind is read by itself, as DuckDB's own union by name would take any other missing column for null, too.
    """
    query = "select distinct file_name from parquet_schema($1) where name = 'tos'"
    with_tos = {name for (name,) in connection.execute(query, [paths]).fetchall()}
    kinds = []
    if now := [path for path in paths if path in with_tos]:
        kinds.append(connection.read_parquet(now))
    if before := [path for path in paths if path not in with_tos]:
        kinds.append(connection.read_parquet(before).project("*, cast(null as smallint) as tos"))
    return functools.reduce(duckdb.DuckDBPyRelation.union, kinds)


def _remove_abandoned(lake: Path) -> None:
    """Removes leftovers of the queries of killed processes."""
    for folder in lake.glob(f"{_SPILL}*"):
        with suppress(FileNotFoundError):  # of a query that has just ended
            if time.time() - folder.stat().st_mtime > _SPILL_AGE_S:
                shutil.rmtree(folder, ignore_errors=True)
