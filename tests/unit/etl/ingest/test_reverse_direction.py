"""The reverse direction of biflows (RFC 5103) and of firewalls' events (NSEL): a flow of its own."""

from pathlib import Path

import pytest

from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.router_exporters import RouterExporters
from tests.support.decoded_file import DecodedFile
from tests.support.raw_records import judged
from tests.support.row_tables import RowTables
from tests.support.written_flow_files import FlowRecord, flow_file, flow_file_3

NOON = 1_795_176_000_000
CLIENT, SERVER = 0x0A00_0001, 0x0A00_0002
EVENT = 1


def download(biflow_direction: int = 1, flags: int = 0, in_bytes: int = 60_000_000, direction: int = 0) -> FlowRecord:
    return FlowRecord(
        NOON, NOON + 60_000, NOON + 61_000, 40_000, in_bytes, CLIENT, SERVER, input_interface=3, output_interface=4,
        out=(2_000_000, 3_000_000_000), biflow_direction=biflow_direction, flags=flags, direction=direction,
    )  # fmt: skip


def judge(path: Path, *records: FlowRecord, layout: int = 2) -> tuple[Outcome, list[dict[str, int]]]:
    path.write_bytes((flow_file if layout == 2 else flow_file_3)([records]))
    rows = RowTables()
    outcome = judge_file(DecodedFile(path), [RouterExporters("r1")], 300_000, NOTHING_KNOWN, rows)
    return outcome, rows.of.get(0, [])


@pytest.mark.parametrize("layout", [2, 3])
@pytest.mark.parametrize("record", [download(), download(2), download(3), download(0, EVENT), download(1, direction=1)])
def test_a_record_that_says_so_is_two_flows(tmp_path: Path, record: FlowRecord, layout: int) -> None:
    usual = FlowRecord(NOON, NOON + 9, NOON + 99, 1, 40)
    outcome, rows = judge(tmp_path / "file", usual, record, usual, layout=layout)
    told = [(row["src_lo"], row["dst_lo"], row["src_port"], row["bytes"], row["packets"]) for row in rows]
    forward, back = told[1:3]
    assert forward == (CLIENT, SERVER, 40_000, 60_000_000, 40_000)
    assert back == (SERVER, CLIENT, 443, 3_000_000_000, 2_000_000)
    assert [row["input_interface"] for row in rows[1:3]] == [3, 4]
    assert told == [told[0], forward, back, told[0]]
    assert {(row["first_ms"], row["last_ms"]) for row in rows[1:3]} == {(NOON, NOON + 60_000)}
    assert (outcome.records, outcome.reversed_records) == (3, 1)
    assert outcome.counts["r1", "kept"] == (4, 3_060_000_080)
    assert outcome.counts["r1", "noted:reverse_direction"] == (1, 3_000_000_000)
    assert ("r1", "noted:out_bytes_not_used") not in outcome.counts


def test_a_record_that_does_not_say_so_is_one_flow_and_noted(tmp_path: Path) -> None:
    outcome, rows = judge(tmp_path / "file", download(0))
    assert [row["bytes"] for row in rows] == [60_000_000]
    assert outcome.counts["r1", "noted:out_bytes_not_used"] == (1, 3_000_000_000)


def test_an_event_that_counts_the_reverse_direction_alone_is_that_flow(tmp_path: Path) -> None:
    outcome, rows = judge(tmp_path / "file", download(0, EVENT, in_bytes=0))
    assert [(row["src_lo"], row["bytes"]) for row in rows] == [(SERVER, 3_000_000_000)]
    assert outcome.counts["r1", "set_aside:not_a_flow"] == (1, 0)


def test_a_firewalls_event_is_the_same_through_nfdump() -> None:
    event = {"type": "EVENT", "in_bytes": 1000, "in_packets": 2, "out_bytes": 9000, "out_packets": 8}
    result = judged({}, event)
    assert result.rows["bytes"].to_pylist() == [15_000, 1000, 9000]
    assert result.rows["src_port"].to_pylist() == [40_000, 40_000, 443]
