"""Tables of flows: columns by name and type, times by what the settings say."""

import dataclasses
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.parquet import SOURCE
from hntes.etl.sources.parquet import file as module
from hntes.etl.sources.schema import ASSUMED, FLOW, MALFORMED, RECORD_SCHEMA, SUMMED
from hntes.etl.sources.source import FlowRecords
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
from tests.support.row_files import NOON_MS, MadeFlow, clickhouse_columns, write_table

ONE = MadeFlow(NOON_MS, NOON_MS + 58_000)
TWO = dataclasses.replace(ONE, source="2001:db8::1", destination="2001:db8::2", factor=1000)


def read(folder: Path, table: dict[str, pa.Array], **described: Any) -> tuple[FlowRecords, list[dict[str, Any]]]:
    path = write_table(folder / "flows-202611201200.parquet", table)
    source = SOURCE.configured(Ingest(folders=(FlowFolder(folder=folder, **described),)))
    file = source.open(path, source.identify(path))
    return file, pa.Table.from_batches(list(file.blocks()), RECORD_SCHEMA).to_pylist()


def rows_of(folder: Path, table: dict[str, pa.Array], **described: Any) -> list[dict[str, Any]]:
    return read(folder, table, **described)[1]


def test_akvorados_columns_are_known_by_name(tmp_path: Path) -> None:
    file, (one, two) = read(tmp_path, clickhouse_columns([ONE, TWO]), active_timeout_s=60)
    assert (one["kind"], one["first_ms"], one["last_ms"]) == (ASSUMED, NOON_MS, NOON_MS + 60_000)
    assert (one["in_bytes"], one["sampled"], two["in_bytes"], two["sampled"]) == (15_000, 0, 15_000_000, 1)
    assert (one["src4"], one["src4_version"], one["src6_version"]) == (0xC612_0001, 4, 0)
    assert (two["src6_hi"], two["src6_lo"], two["src6_version"]) == (0x2001_0DB8_0000_0000, 1, 6)
    assert {(one.address, one.factor) for one in file.exporters()} == {("192.0.2.1", 1), ("192.0.2.1", 1000)}
    assert (one["exporter_lo"], one["exporter_version"]) == (0xC000_0201, 4)


@pytest.mark.parametrize(
    ("described", "kind", "first_ms", "last_ms"),
    [
        ({"active_timeout_s": 1800}, ASSUMED, NOON_MS + 60_000 - 1_800_000, NOON_MS + 60_000),
        ({"active_timeout_s": 0}, FLOW, NOON_MS + 60_000, NOON_MS + 60_000),
        ({"period_s": 300}, SUMMED, NOON_MS + 60_000, NOON_MS + 360_000),
    ],
)
def test_the_settings_say_what_a_row_covers(
    tmp_path: Path, described: dict[str, int], kind: int, first_ms: int, last_ms: int
) -> None:
    (one,) = rows_of(tmp_path, clickhouse_columns([ONE]), **described)
    assert (one["kind"], one["first_ms"], one["last_ms"]) == (kind, first_ms, last_ms)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("is_number", [True, False])
def test_flow_times_are_taken_where_they_are_named(tmp_path: Path, unit: str, is_number: bool) -> None:
    scale = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    columns = clickhouse_columns([ONE])
    for name, moment_s in (("Start", NOON_MS // 1000), ("End", NOON_MS // 1000 + 58)):
        kind = pa.int64() if is_number else pa.timestamp(unit, "UTC")
        columns[name] = pa.array([moment_s * scale], pa.int64()).cast(kind)
    (one,) = rows_of(tmp_path, columns, columns={"first": "Start", "last": "End"})
    assert (one["kind"], one["first_ms"], one["last_ms"]) == (FLOW, NOON_MS, NOON_MS + 58_000)


def test_times_without_a_zone_are_of_the_folders(tmp_path: Path) -> None:
    columns = clickhouse_columns([ONE])
    columns["TimeReceived"] = pa.array([NOON_MS + 9 * 3_600_000], pa.int64()).cast(pa.timestamp("ms"))
    (one,) = rows_of(tmp_path, columns, active_timeout_s=0, times_zone="Asia/Tokyo")
    assert one["last_ms"] == NOON_MS


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["198.18.0.1"]), pa.array(["::ffff:198.18.0.1"]), pa.array(["198.18.0.1"]).dictionary_encode(),
        pa.array([0xC612_0001], pa.uint32()), pa.array([bytes([198, 18, 0, 1])], pa.binary(4)),
    ],
)  # fmt: skip
def test_addresses_are_read_in_every_form(tmp_path: Path, column: pa.Array) -> None:
    (one,) = rows_of(tmp_path, clickhouse_columns([ONE]) | {"SrcAddr": column}, active_timeout_s=60)
    assert (one["src4"], one["src4_version"]) == (0xC612_0001, 4)


def test_a_value_that_cannot_be_costs_its_row_alone(tmp_path: Path) -> None:
    columns = clickhouse_columns([ONE] * 4)
    columns["Bytes"] = pa.array([5, None, -1, 7], pa.int64())
    columns["SrcPort"] = pa.array([1, 2, 3, 65_536], pa.int32())
    file, found = read(tmp_path, columns, active_timeout_s=60)
    assert [one["kind"] for one in found] == [ASSUMED, MALFORMED, MALFORMED, MALFORMED]
    assert [one["in_bytes"] for one in found] == [5, 0, 0, 0]
    (warning,) = file.warnings()
    assert warning.startswith("3 rows set aside alone as malformed: ")
    for number, name in ((2, "Bytes"), (3, "Bytes"), (4, "SrcPort")):
        assert f"row {number}: column {name} is " in warning


def test_products_beyond_64_bits_are_cut(tmp_path: Path) -> None:
    columns = clickhouse_columns([TWO]) | {"Bytes": pa.array([1 << 62], pa.uint64())}
    assert rows_of(tmp_path, columns, active_timeout_s=60)[0]["in_bytes"] == (1 << 64) - 1


@pytest.mark.parametrize(
    ("change", "described", "reason"),
    [
        ({}, {}, "set `active_timeout_s` of their folder"),
        ({"Bytes": None}, {"active_timeout_s": 60}, "no column is known to hold bytes"),
        ({"TimeReceived": None}, {"active_timeout_s": 60}, "no column is known to hold times"),
        ({}, {"active_timeout_s": 60, "columns": {"bytes": "Octets"}}, "it has no column 'Octets'"),
        ({"Bytes": pa.array([1.5])}, {"active_timeout_s": 60}, "column Bytes holds double, not whole numbers"),
        ({"SrcAddr": pa.array([1.5])}, {"active_timeout_s": 60}, "column SrcAddr holds double, not addresses"),
    ],
)
def test_what_a_file_lacks_is_named_with_the_setting(
    tmp_path: Path, change: dict[str, Any], described: dict[str, Any], reason: str
) -> None:
    columns = clickhouse_columns([ONE]) | change
    with pytest.raises(UnreadableFileError, match=reason):
        rows_of(tmp_path, {name: column for name, column in columns.items() if column is not None}, **described)


def test_a_table_is_read_in_pieces_with_row_numbers_of_the_whole(tmp_path: Path) -> None:
    columns = clickhouse_columns([ONE] * 45_000)
    ports = [1] * 45_000
    ports[44_999] = 70_000
    columns["SrcPort"] = pa.array(ports, pa.int32())
    file, found = read(tmp_path, columns, active_timeout_s=60)
    assert len(found) == 45_000
    assert "row 45000: column SrcPort" in file.warnings()[0]


def test_a_row_group_that_needs_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(rows_of(tmp_path, clickhouse_columns([ONE] * 5000), active_timeout_s=60)) == 5000
    monkeypatch.setattr(module, "MOST_GROUP_BYTES", 10_000)
    columns = clickhouse_columns([dataclasses.replace(ONE, bytes=number) for number in range(5000)])
    with pytest.raises(UnreadableFileError, match=r"row group 1 has .* have it written in smaller row groups"):
        rows_of(tmp_path, columns, active_timeout_s=60)
