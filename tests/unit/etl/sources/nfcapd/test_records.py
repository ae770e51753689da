"""nfdump's JSON in pieces: wherever a read ends, every record comes out once."""

import io
import json
from typing import Any

import pyarrow as pa
import pytest

from hntes.etl.sources.nfcapd import records
from hntes.etl.sources.nfcapd.records import RAW_SCHEMA, raw_tables, times_ms

RECORDS = [
    {"type": "FLOW", "export_sysid": number, "in_bytes": 10**number, "src4_addr": f"10.0.0.{number}", "label": "},\n{"}
    for number in range(12)
]


def pretty(found: list[dict[str, Any]]) -> bytes:
    # as nfdump prints it: one field a line, records apart by a line with a brace and a comma
    return ",\n".join(json.dumps(record, indent="\t", separators=(",", " : ")) for record in found).encode() + b"\n"


def lines(found: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in found)


def read(text: bytes, output: str) -> list[int]:
    tables = list(raw_tables(io.BytesIO(text), output))
    assert all(table.schema == RAW_SCHEMA for table in tables)
    return [number for table in tables for number in table["export_sysid"].to_pylist()]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 50, 127, 1000, 1 << 20])
@pytest.mark.parametrize(("output", "text"), [("json", pretty(RECORDS)), ("ndjson", lines(RECORDS))])
def test_records_come_out_once_wherever_a_read_ends(
    monkeypatch: pytest.MonkeyPatch, chunk: int, output: str, text: bytes
) -> None:
    monkeypatch.setattr(records, "_CHUNK_BYTES", chunk)
    assert read(text, output) == list(range(12))


@pytest.mark.parametrize("text", [b"", b"\n", b"No matching flows\n"])
@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_no_records_are_no_tables(output: str, text: bytes) -> None:
    assert read(text, output) == []


def test_an_empty_array_has_no_records() -> None:
    assert read(b"[\n]\n", "json") == []


def test_an_array_with_brackets_is_read_too() -> None:
    assert read(b"[\n" + pretty(RECORDS) + b"]\n", "json") == list(range(12))


@pytest.mark.parametrize(
    "text", [pretty(RECORDS)[:-40], b"{", b"\xff\xfe", b'{"in_bytes" : "many"}', b'{"in_bytes" : -1}']
)
def test_what_is_no_json_or_no_number_is_refused(text: bytes) -> None:
    with pytest.raises(pa.ArrowInvalid):
        read(text, "json")


def test_the_largest_counter_is_read_as_it_is() -> None:
    (table,) = raw_tables(io.BytesIO(b'{"in_bytes" : 18446744073709551615}\n'), "ndjson")
    assert table["in_bytes"].to_pylist() == [2**64 - 1]


def test_fields_that_are_not_there_are_null_and_unknown_ones_are_passed_over() -> None:
    (table,) = raw_tables(io.BytesIO(b'{"proto" : 6, "news" : [1, {"a" : 2}]}\n'), "ndjson")
    assert table.to_pylist() == [{**dict.fromkeys(RAW_SCHEMA.names), "proto": 6}]


@pytest.mark.parametrize(
    ("text", "moment_ms"),
    [
        ("1970-01-01T00:00:00.000", 0),
        ("2026-11-20T18:20:00.006", 1_795_198_800_006),
        ("2024-02-29T23:59:59.999", 1_709_251_199_999),
        ("9999-12-31T23:59:59.999", 253_402_300_799_999),
        ("12026-11-20T18:20:00.006", 0),
        ("2026-11-20T18:20:00", 0),
        ("", 0),
        (None, 0),
    ],
)
def test_times_are_utc_milliseconds_and_0_where_there_is_none(text: str | None, moment_ms: int) -> None:
    assert times_ms(pa.chunked_array([[text]], pa.string())).to_pylist() == [moment_ms]


def test_a_label_is_text_that_nobody_reads() -> None:
    labelled = pretty([{"export_sysid": 0, "label": "LABEL"}, {"export_sysid": 1, "label": "<none>"}])
    for label in (b'"', b"\\", b"\xfc", b"\x01"):
        assert read(labelled.replace(b"LABEL", label), "json") == [0, 1]
