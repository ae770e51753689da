"""A day of a table like Akvorado's is fetched from ClickHouse itself; needs chDB 4.4.0 (PyPI), 180 MB."""

import importlib.util
import ipaddress
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pyarrow as pa
import pytest

from hntes.etl.fetch.clickhouse import Table, fetch
from hntes.etl.fetch.errors import FetchError
from hntes.etl.sources.registry import discover
from hntes.settings.fetch import ClickHouse
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
from tests.conftest import ROOT
from tests.support.row_files import NOON_MS, MadeFlow
from tests.support.settings_file import MINIMAL

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(importlib.util.find_spec("chdb") is None, reason="chdb is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("clickhouse_connect") is None, reason="needs the extra clickhouse"),
]
NOON_S, SLOT_S = NOON_MS // 1000, 300
DAY = (NOON_S // 86_400 * 86_400, NOON_S // 86_400 * 86_400 + 86_400)
# As Akvorado creates it, of the columns that are read, one that is not, and one that is off by default.
CREATE = """
CREATE TABLE default.flows (
  TimeReceived DateTime('UTC') CODEC(DoubleDelta, LZ4), SamplingRate UInt64, ExporterAddress LowCardinality(IPv6),
  ExporterName LowCardinality(String), SrcAddr IPv6 CODEC(ZSTD(1)), DstAddr IPv6 CODEC(ZSTD(1)),
  InIfName LowCardinality(String), EType UInt32, Proto UInt32, SrcPort UInt16, DstPort UInt16,
  Bytes UInt64 CODEC(T64, LZ4), Packets UInt64 CODEC(T64, LZ4), ForwardingStatus UInt32, IPTos UInt8
) ENGINE = MergeTree PARTITION BY toYYYYMMDDhhmmss(toStartOfInterval(TimeReceived, INTERVAL 25920 second))
ORDER BY (toStartOfFiveMinutes(TimeReceived), ExporterAddress, EType, Proto)
"""


class Server:
    """ClickHouse, and the client that fills it."""

    def __init__(self, port: int) -> None:
        import clickhouse_connect

        self.url = f"http://127.0.0.1:{port}"
        self._client: Any = clickhouse_connect.get_client(host="127.0.0.1", port=port, autogenerate_session_id=False)

    def run(self, command: str) -> None:
        self._client.command(command)

    def insert(self, flows: list[MadeFlow]) -> None:
        rows = ", ".join(
            f"({one.received_ms // 1000}, {one.factor}, '{_mapped(one.exporter)}', 'r', '{_mapped(one.source)}', "
            f"'{_mapped(one.destination)}', 'et-0/0/1', 2048, {one.protocol}, {one.source_port}, "
            f"{one.destination_port}, {one.bytes}, {one.packets}, 64, 0)"
            for one in flows
        )
        self.run(f"INSERT INTO default.flows VALUES {rows}")


def _mapped(address: str) -> str:
    return address if ":" in address else f"::ffff:{address}"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "tests.support.clickhouse_server", str(tmp_path / "clickhouse")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            made = Server(int(process.stdout.readline()))
            made.run("SET allow_suspicious_low_cardinality_types = 1")  # as Akvorado does
            made.run(CREATE)
            yield made
        finally:
            process.kill()


def _flows(chance: Random, count: int) -> list[MadeFlow]:
    sources = ["198.18.0.1", "198.18.7.200", "2001:db8::1"]
    return [
        replace(
            MadeFlow(),
            last_ms=NOON_MS + 1000 * chance.randrange(-3000, 3000),
            source=chance.choice(sources),
            destination=chance.choice(["203.0.113.9", "2001:db8:9::2"]),
            bytes=chance.randrange(1, 1 << 40),
            packets=chance.randrange(1, 1 << 30),
            factor=chance.choice([1, 1000]),
            source_port=number,
            exporter=chance.choice(["192.0.2.1", "2001:db8::99"]),
        )
        for number in range(count)
    ]


def _expected(flows: list[MadeFlow]) -> Counter[tuple[Any, ...]]:
    return Counter(
        (one.received_ms // 1000 * 1000, one.bytes * one.factor, one.packets * one.factor,
         int(ipaddress.ip_address(one.source)), int(ipaddress.ip_address(one.destination)),
         int(ipaddress.ip_address(one.exporter)), one.source_port)
        for one in flows
    )  # fmt: skip


def _read(folder: Path) -> Counter[tuple[Any, ...]]:
    """What the source parquet reads of the files."""
    source = discover(folder)[0].configured(Ingest(folders=(FlowFolder(folder=folder, active_timeout_s=60),)))
    assert source.name == "parquet"
    found: Counter[tuple[Any, ...]] = Counter()
    for file in discover(folder)[1].files:
        path = folder / file.path
        for block in source.open(path, source.identify(path)).blocks():
            for row in cast("pa.RecordBatch", block).to_pylist():
                assert file.start_ms <= row["received_ms"] < file.start_ms + SLOT_S * 1000
                whole = [_address(row, f"{end}6", row[f"{end}4"]) for end in ("src", "dst")]
                whole.append(_address(row, "exporter", row["exporter_lo"]))
                found[row["received_ms"], row["in_bytes"], row["in_packets"], *whole, row["src_port"]] += 1
    return found


def _address(row: dict[str, int], of: str, ipv4: int) -> int:
    if row[f"{of}_version"] != 6:
        return ipv4
    return ((row[f"{of}_hi"] % (1 << 64)) << 64) + row[f"{of}_lo"] % (1 << 64)


def test_all_rows_of_a_day_are_fetched_once_and_what_came_late_by_the_next_run(
    tmp_path: Path, server: Server, chance: Random
) -> None:
    options = ClickHouse(url=server.url, folder=tmp_path / "flows")
    flows = _flows(chance, 3000)
    server.insert(flows)
    server.insert([replace(flows[0], last_ms=NOON_MS + 86_400_000)])
    table = Table(options)
    first = fetch(table, options, DAY, SLOT_S, DAY[1])
    assert first.rows == len(flows)
    assert _read(options.folder) == _expected(flows)
    times = {path: path.stat().st_mtime_ns for path in options.folder.iterdir()}
    again = fetch(table, options, DAY, SLOT_S, DAY[1])
    assert (again.written, again.kept) == ((), len(first.written))
    assert {path: path.stat().st_mtime_ns for path in options.folder.iterdir()} == times
    late = [replace(one, source_port=50_000 + place) for place, one in enumerate(flows[:2])]
    server.insert(late)
    assert 1 <= len(fetch(table, options, DAY, SLOT_S, DAY[1]).written) <= 2
    assert _read(options.folder) == _expected(flows + late)
    # what the table has deleted stays in the files, a damaged one is fetched anew
    server.run(f"DELETE FROM default.flows WHERE TimeReceived >= {NOON_S}")
    damaged = min(options.folder.iterdir())
    damaged.write_bytes(damaged.read_bytes()[:-50])
    assert fetch(table, options, DAY, SLOT_S, DAY[1]).written == (damaged.name,)
    assert _read(options.folder) == _expected(flows + late)


def test_slots_that_have_not_ended_or_are_too_large_are_not_fetched(tmp_path: Path, server: Server) -> None:
    options = ClickHouse(url=server.url, folder=tmp_path / "flows", max_rows_per_slot=10)
    server.insert([replace(MadeFlow(), last_ms=NOON_MS, source_port=number) for number in range(11)])
    server.insert([replace(MadeFlow(), last_ms=NOON_MS + 300_000)])
    table = Table(options)
    found = fetch(table, options, DAY, SLOT_S, NOON_S + 600 + 59)
    assert not found.written
    assert [(one.name, one.rows) for one in found.too_large] == [("flows-20261120T120000Z.parquet", 11)]
    assert len(fetch(table, options, DAY, SLOT_S, NOON_S + 600 + 60).written) == 1


def test_what_cannot_be_fetched_is_said(tmp_path: Path, server: Server) -> None:
    options = ClickHouse(url=server.url, folder=tmp_path / "flows")
    with pytest.raises(FetchError, match=r"table default\.nothing does not exist"):
        Table(options.model_copy(update={"table": "nothing"})).columns()
    server.run("CREATE TABLE default.flows_1m0s (TimeReceived DateTime, Bytes UInt64) ENGINE = Memory")
    with pytest.raises(FetchError, match=r"table default\.flows_1m0s has no column SrcAddr"):
        Table(options.model_copy(update={"table": "flows_1m0s"})).columns()
    with pytest.raises(FetchError, match="clickhouse: "):
        Table(options.model_copy(update={"url": "http://127.0.0.1:1"}))
    # names are parameters, and none that needs quotes passes the settings
    with pytest.raises(FetchError, match="does not exist"):
        Table(options.model_copy(update={"table": "flows; DROP TABLE flows"})).columns()
    server.run("SELECT count() FROM default.flows")


def test_the_command_fetches_a_day(tmp_path: Path, server: Server, chance: Random) -> None:
    flows = _flows(chance, 100)
    server.insert(flows)
    settings = tmp_path / "hntes.toml"
    where = f'[clickhouse]\nurl = "{server.url}"\nfolder = "{tmp_path / "flows"}"\n'
    settings.write_text(where + MINIMAL, encoding="utf-8")
    command = [sys.executable, "-m", "hntes", "--settings", str(settings), "data", "fetch-flows", "--day", "2026-11-20"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("2026-11-20: 100 rows in ")
    assert _read(tmp_path / "flows") == _expected(flows)
    assert not done.stderr
