"""Raw records as nfdump lists them, and what the program makes of them."""

from typing import Any

import pyarrow as pa

from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.schema import LAKE_SCHEMA
from hntes.etl.sources.nfcapd.records import RAW_SCHEMA
from hntes.etl.sources.source import Exporter
from tests.support.addresses import texts_of
from tests.support.judged import Judged, judge

ONE = {
    "type": "FLOW",
    "sampled": 0,
    "export_sysid": 1,
    "first": "2026-11-20T18:20:00.006",
    "last": "2026-11-20T18:20:30.006",
    "received": "2026-11-20T18:20:31.000",
    "in_packets": 10,
    "in_bytes": 15_000,
    "proto": 6,
    "src_port": 40_000,
    "dst_port": 443,
    "src4_addr": "10.0.0.1",
    "dst4_addr": "10.0.1.1",
    "input_snmp": 501,
    "output_snmp": 502,
    "direction": 0,
    "ip4_router": "192.0.2.1",
}
FIRST_MS = 1_795_198_800_006
BIG = 2**52


def raw(*changes: dict[str, Any]) -> pa.Table:
    """One record a dict: ONE with what the dict changes; None takes a field away."""
    return pa.Table.from_pylist([{**ONE, **change} for change in changes], schema=RAW_SCHEMA)


def judged(
    *changes: dict[str, Any], claims: list[RouterExporters] | None = None, exporters: list[Exporter] | None = None
) -> Judged:
    result = judge([raw(*changes)], claims or [RouterExporters("r1")], exporters or [], 300_000)
    assert accounted(result) == result.records + result.reversed_records
    assert result.records == len(changes)
    assert result.rows.schema == LAKE_SCHEMA
    assert len(result.owner) == result.rows.num_rows
    return result


def accounted(result: Judged) -> int:
    settled = ("kept", "set_aside:", "unclaimed:")
    return sum(n for (_, outcome), (n, _) in result.counts.items() if outcome.startswith(settled))


def only_row(result: Judged) -> dict[str, Any]:
    (row,) = result.rows.to_pylist()
    return row


def addresses(result: Judged) -> list[tuple[int, str, str]]:
    columns = {name: result.rows[name].to_pylist() for name in result.rows.column_names}
    versions = columns["ip_version"]
    source = texts_of(versions, columns["src_hi"], columns["src_lo"])
    return list(zip(versions, source, texts_of(versions, columns["dst_hi"], columns["dst_lo"]), strict=True))


def outcomes(result: Judged) -> dict[str, int]:
    """Outcome -> records, of all routers."""
    return {outcome: records for (_, outcome), (records, _) in result.counts.items()}
