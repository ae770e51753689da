"""Conversion of nfdump's JSON to records of RECORD_SCHEMA, via an Arrow table of nfdump's output."""

import re
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.json as pa_json

from hntes.etl import arrow_columns
from hntes.etl.addresses import column_halves
from hntes.etl.arrow_columns import Column
from hntes.etl.sources.schema import COUNTERS, EVENT, FLOW, NEITHER, RECORD_SCHEMA

RAW_SCHEMA = pa.schema(
    [
        ("type", pa.string()),
        ("sampled", pa.int64()),
        ("export_sysid", pa.int64()),
        ("first", pa.string()),
        ("last", pa.string()),
        ("received", pa.string()),
        ("in_packets", pa.uint64()),
        ("in_bytes", pa.uint64()),
        ("out_packets", pa.uint64()),
        ("out_bytes", pa.uint64()),
        ("aggr_flows", pa.uint64()),
        ("proto", pa.int64()),
        ("src_port", pa.int64()),
        ("dst_port", pa.int64()),
        ("icmp_type", pa.int64()),
        ("icmp_code", pa.int64()),
        ("src4_addr", pa.string()),
        ("dst4_addr", pa.string()),
        ("src6_addr", pa.string()),
        ("dst6_addr", pa.string()),
        ("input_snmp", pa.int64()),
        ("output_snmp", pa.int64()),
        ("direction", pa.int64()),
        ("ip4_router", pa.string()),
        ("ip6_router", pa.string()),
        ("src_tos", pa.int64()),
    ]
)
# Columns that are numbers in both schemas, and their names here where these differ.
_ALIKE = ("sampled", "sysid", "protocol", "src_port", "input_interface", "output_interface", "direction", "tos")
_NAMES = {"sysid": "export_sysid", "protocol": "proto", "input_interface": "input_snmp",
          "output_interface": "output_snmp", "tos": "src_tos"}  # fmt: skip
_CHUNK_BYTES = 32 << 20
# Text that nfdump writes as it came, unescaped. A firewall's user name (Cisco NSEL, field 40000, 65 bytes at most) is
# what anybody sends to the collector, and may look like the end of a record: a true one is never that near.
_USER_NAME = re.compile(rb'^\t"user_name" : "(?s:.{0,128})"(?=,\n\t"label" : )', re.MULTILINE)
_LABEL = re.compile(rb'^\t"label" : "[^\n]*"$', re.MULTILINE)
_NO_LABEL = b'\t"label" : "<none>"\n'
_TIME_LENGTH = len("2026-11-20T18:20:00.006")


def raw_tables(stream: IO[bytes], output: str) -> Iterator[pa.Table]:
    """Tables of RAW_SCHEMA, some ten thousand records each, from nfdump's `json` or `ndjson` output.

    Raises:
        pyarrow.ArrowInvalid: the text is not what that output form should be.
    """
    boundary, keep = (b"\n},\n", 3) if output == "json" else (b"\n", 0)
    rest = b""
    while chunk := stream.read(_CHUNK_BYTES):
        text = rest + chunk
        cut = text.rfind(boundary)
        if cut < 0:
            rest = text
            continue
        rest = text[cut + len(boundary) :]
        yield from _parse(text[: cut + keep], output)
    yield from _parse(rest, output)


def _parse(text: bytes, output: str) -> Iterator[pa.Table]:
    if output == "json":
        text = _without_free_text(text)
        # the pretty form is one array: drop its brackets and the commas between records
        text = text.strip(b"[]\n\t ,").replace(b"\n},\n", b"\n}\n")
    if not text.strip() or text.startswith(b"No matching flows"):
        return
    yield pa_json.read_json(
        pa.BufferReader(text + b"\n"),
        read_options=pa_json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        parse_options=pa_json.ParseOptions(
            explicit_schema=RAW_SCHEMA, unexpected_field_behavior="ignore", newlines_in_values=output == "json"
        ),
    )


def _without_free_text(text: bytes) -> bytes:
    if b'\t"user_name" : ' in text:
        text = _USER_NAME.sub(b'\t"user_name" : ""', text)
    if text.count(b'\t"label" : ') != text.count(_NO_LABEL):
        text = _LABEL.sub(b'\t"label" : ""', text)
    return text


def record_batch(raw: pa.Table) -> pa.RecordBatch:
    """A table of RAW_SCHEMA as records of RECORD_SCHEMA."""
    # the native reader does without it, and starts sooner
    import pyarrow.compute as pc

    has_icmp = pc.is_valid(raw["icmp_type"]).to_numpy()
    kinds = pc.fill_null(raw["type"], "FLOW")
    is_event = pc.equal(kinds, "EVENT").to_numpy()
    columns: dict[str, Column] = {name: _numbers(raw, _NAMES.get(name, name)) for name in _ALIKE}
    columns |= {f"{name}_ms": times_ms(raw[name]).to_numpy() for name in ("first", "last", "received")}
    columns |= {name: pc.fill_null(raw[name], 0).to_numpy() for name in COUNTERS}
    columns["flows"] = pc.fill_null(raw["aggr_flows"], 0).to_numpy()
    # nfdump does not list it
    columns["biflow_direction"] = np.zeros(raw.num_rows, np.int64)
    for end in ("src", "dst"):
        _, columns[f"{end}4"], columns[f"{end}4_version"] = column_halves(raw[f"{end}4_addr"])
        columns |= _halves(f"{end}6", raw[f"{end}6_addr"])
    columns |= _halves("exporter", pc.coalesce(raw["ip6_router"], raw["ip4_router"]).combine_chunks())
    # times and counters are one element of a record, and listed together
    is_counted = pc.or_(pc.is_valid(raw["last"]), pc.is_valid(raw["in_bytes"])).to_numpy()
    is_flow = pc.equal(kinds, "FLOW").to_numpy() & is_counted
    columns["kind"] = np.where(is_flow, FLOW, np.where(is_event & is_counted, EVENT, NEITHER))
    icmp_port = _numbers(raw, "icmp_type") * 256 + _numbers(raw, "icmp_code")
    columns["dst_port"] = np.where(has_icmp, icmp_port, _numbers(raw, "dst_port"))
    for field in RECORD_SCHEMA:
        columns[field.name] = columns[field.name].astype(field.type.to_pandas_dtype(), copy=False)
    return arrow_columns.batch(columns, RECORD_SCHEMA)


def _halves(name: str, texts: pa.Array) -> dict[str, Column]:
    hi, lo, version = column_halves(texts)
    return {f"{name}_hi": hi, f"{name}_lo": lo, f"{name}_version": version}


def _numbers(raw: pa.Table, name: str) -> npt.NDArray[np.int64]:
    column: npt.NDArray[np.int64] = raw[name].fill_null(0).to_numpy()
    return column


def times_ms(column: pa.ChunkedArray) -> pa.Array:
    """Epoch milliseconds (UTC, int64) of nfdump's time texts; 0 where it is not a time or the year has 5 digits."""
    import pyarrow.compute as pc

    column = column.combine_chunks()
    good = pc.equal(pc.fill_null(pc.utf8_length(column), 0), _TIME_LENGTH)
    text = pc.if_else(good, column, "1970-01-01T00:00:00.000")
    return pc.cast(pc.cast(text, pa.timestamp("ms")), pa.int64())
