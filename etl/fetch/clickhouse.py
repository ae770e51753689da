"""Fetches a day's flows from a table of ClickHouse, such as Akvorado's `flows`, into a Parquet file per time slot.

A slot is fetched if the table has more rows of it than its file: so a run that is repeated fetches what came late, a
run that was killed is simply run again, and what the table has since deleted stays in the files.

Source: the table by common/schema/definition.go of Akvorado; parameters of queries by "HTTP Interface" of ClickHouse.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl.fetch.errors import FetchError
from hntes.files import replacing

if TYPE_CHECKING:
    from hntes.settings.fetch import ClickHouse

PASSWORD_VARIABLE = "HNTES_CLICKHOUSE_PASSWORD"  # noqa: S105
# Rows are inserted some seconds after they were received; later ones are fetched by a later run.
_SETTLED_S = 60
_CHUNK_BYTES = 1 << 20
_PORTS = {"http": 8123, "https": 8443}
_ROW_GROUP = 200_000
# Those that the source parquet knows, in its order; a table lacks what its operator has not enabled.
_COLUMNS = (
    "TimeReceived", "SamplingRate", "Bytes", "Packets", "SrcAddr", "DstAddr", "ExporterAddress", "Proto", "SrcPort",
    "DstPort", "IPTos",
)  # fmt: skip
_NEEDED = ("TimeReceived", "Bytes", "SrcAddr", "DstAddr")
_WHERE = (
    "FROM {database:Identifier}.{table:Identifier} "
    "WHERE TimeReceived >= fromUnixTimestamp({from_s:UInt32}) AND TimeReceived < fromUnixTimestamp({to_s:UInt32})"
)


@dataclass(frozen=True)
class TooLarge:
    """A slot that was not fetched: the file that it would be, and the rows that the table has of it."""

    name: str
    rows: int


@dataclass(frozen=True)
class Fetched:
    """What became of the slots: names of files that were written, with their rows; files that had all rows before."""

    written: tuple[str, ...]
    rows: int
    kept: int
    too_large: tuple[TooLarge, ...]


class Table:
    """A table and the connection to its server.

    Raises:
        FetchError: the library is not installed, or the server cannot be reached.
    """

    def __init__(self, options: ClickHouse) -> None:
        try:
            library: Any = import_module("clickhouse_connect")
        except ImportError:
            raise FetchError("fetching needs clickhouse-connect: install the extra `clickhouse` of hntes") from None
        self._options = options
        where = urlsplit(options.url)
        with _told():
            self._client = library.get_client(
                interface=where.scheme, host=where.hostname, port=where.port or _PORTS[where.scheme],
                username=options.user, password=os.environ.get(PASSWORD_VARIABLE, ""), connect_timeout=10,
                send_receive_timeout=options.timeout_s, autogenerate_session_id=False,
                ca_cert=str(options.ca_file) if options.ca_file else None,
            )  # fmt: skip

    def columns(self) -> tuple[str, ...]:
        """The columns that are read, of those that the table has.

        Raises:
            FetchError: there is no such table, or it lacks a column that is needed.
        """
        found = self._rows(
            "SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}"
        )
        there = {name for (name,) in found}
        if lacking := [name for name in _NEEDED if name not in there]:
            what = f"has no column {lacking[0]}" if there else "does not exist, or may not be read"
            raise FetchError(f"clickhouse: table {self._options.database}.{self._options.table} {what}")
        return tuple(name for name in _COLUMNS if name in there)

    def rows_by_slot(self, from_s: int, to_s: int, slot_s: int) -> dict[int, int]:
        """How many rows there are by the slot's begin, of a time (epoch s)."""
        slot = "intDiv(toUnixTimestamp(TimeReceived), {slot_s:UInt32})"
        query = f"SELECT {slot} AS slot, count() {_WHERE} GROUP BY slot ORDER BY slot"
        found = self._rows(query, from_s=from_s, to_s=to_s, slot_s=slot_s)
        return {int(slot) * slot_s: int(rows) for slot, rows in found}

    def parquet(self, columns: Sequence[str], from_s: int, to_s: int) -> Iterator[bytes]:
        """A Parquet file of the rows of a time, in pieces."""
        # names of the table's own columns, from _COLUMNS
        wanted = ", ".join("CAST(ExporterAddress, 'IPv6') AS ExporterAddress" if name == "ExporterAddress" else name
                           for name in columns)  # fmt: skip
        settings = {
            "max_execution_time": self._options.timeout_s,
            "max_result_rows": self._options.max_rows_per_slot,
            "result_overflow_mode": "throw",
            "output_format_parquet_row_group_size": _ROW_GROUP,
        }
        with _told():
            stream = self._client.raw_stream(
                f"SELECT {wanted} {_WHERE}", self._named(from_s=from_s, to_s=to_s), settings, fmt="Parquet"
            )
            with stream:
                while piece := stream.read(_CHUNK_BYTES):
                    yield piece

    def close(self) -> None:
        """Ends the connection."""
        self._client.close()

    def _rows(self, query: str, **parameters: int) -> Sequence[Sequence[Any]]:
        with _told():
            settings = {"max_execution_time": self._options.timeout_s}
            found: Sequence[Sequence[Any]] = self._client.query(query, self._named(**parameters), settings).result_rows
        return found

    def _named(self, **parameters: int) -> dict[str, Any]:
        return {"database": self._options.database, "table": self._options.table, **parameters}


def fetch(table: Table, options: ClickHouse, times_s: tuple[int, int], slot_s: int, now_s: int) -> Fetched:
    """Fetches the slots of a time [from, to) (epoch s) that have ended and of which the table has more than the folder.

    Raises:
        FetchError: the table cannot be read, or a file not be written.
    """
    from_s, to_s = times_s[0] // slot_s * slot_s, -(-times_s[1] // slot_s) * slot_s
    columns = table.columns()
    written: list[str] = []
    too_large: list[TooLarge] = []
    kept = rows = 0
    for start_s, there in table.rows_by_slot(from_s, to_s, slot_s).items():
        path = options.folder / f"flows-{datetime.fromtimestamp(start_s, UTC):%Y%m%dT%H%M%SZ}.parquet"
        if start_s + slot_s + _SETTLED_S > now_s:
            continue
        if there <= _stored_rows(path):
            kept += 1
        elif there > options.max_rows_per_slot:
            too_large.append(TooLarge(path.name, there))
        else:
            rows += _write(path, table.parquet(columns, start_s, start_s + slot_s))
            written.append(path.name)
    return Fetched(tuple(written), rows, kept, tuple(too_large))


def _stored_rows(path: Path) -> int:
    """Of a file that is there; one that is damaged is fetched anew."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except FileNotFoundError:
        return 0
    except (pa.ArrowException, OSError):
        return -1


def _write(path: Path, pieces: Iterator[bytes]) -> int:
    """Writes a file, whole or not at all; its rows."""
    try:
        with replacing(path) as temporary:
            with temporary.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
            return int(pq.read_metadata(temporary).num_rows)
    except pa.ArrowException as cause:
        raise FetchError(f"clickhouse: {path.name}: the answer is no whole Parquet file ({cause})") from cause
    except OSError as cause:
        raise FetchError(f"{path}: cannot be written ({cause.strerror or cause})") from cause


@contextmanager
def _told() -> Iterator[None]:
    """Errors of the library as ours."""
    from clickhouse_connect.driver.exceptions import ClickHouseError
    from urllib3.exceptions import HTTPError

    try:
        yield
    except (ClickHouseError, HTTPError) as cause:
        words = " ".join(str(cause).split())[:400]
        raise FetchError(f"clickhouse: {words}") from cause
