"""Rows of goflow2 and pmacct: what they mean, and that a bad one costs no other."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.goflow2 import SOURCE as GOFLOW2
from hntes.etl.sources.pmacct import SOURCE as PMACCT
from hntes.etl.sources.rows import exporters
from hntes.etl.sources.schema import FLOW, MALFORMED, NEITHER, RECORD_SCHEMA, SUMMED
from hntes.etl.sources.source import FlowRecords, FlowSource
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
from tests.support.row_files import NOON_MS, MadeFlow, goflow2_row, goflow2_row_of_version_1, pmacct_row, write_lines

ONE = MadeFlow()
# What no row may hold, by the field of goflow2.
WRONG: list[tuple[str, Any]] = [
    ("bytes", -1), ("bytes", 1.5), ("bytes", "many"), ("bytes", None), ("bytes", True), ("packets", []),
    ("src_port", 65_536), ("proto", 256), ("proto", "256"), ("in_if", 1 << 32), ("sampling_rate", -1),
    ("time_received_ns", 1 << 63), ("src_addr", 7), ("sampler_address", None), ("sampler_address", {}),
]  # fmt: skip
TEXTS = [
    "NaN", '{"bytes": NaN}', "{", "}", "[]", "7", '"text"', "null", '{"a":' + "[" * 60_000, "\xed\xa0\x80",
    '{"bytes":1}{"bytes":2}', '{"sampler_address":"\\ud800","bytes":1,"time_received_ns":1}',
]  # fmt: skip


def read(source: FlowSource, path: Path) -> tuple[FlowRecords, list[dict[str, Any]]]:
    file = source.open(path, source.identify(path))
    return file, pa.Table.from_batches(list(file.blocks()), RECORD_SCHEMA).to_pylist()


def rows_of(source: FlowSource, folder: Path, rows: list[Any]) -> list[dict[str, Any]]:
    return read(source, write_lines(folder / "202611271425.json", rows))[1]


@pytest.mark.parametrize("row", [goflow2_row, goflow2_row_of_version_1])
def test_goflow2_multiplies_by_the_rate_of_each_row(tmp_path: Path, row: Any) -> None:
    sampled, plain, unknown = (dataclasses.replace(ONE, factor=factor) for factor in (512, 1, 0))
    file, found = read(GOFLOW2, write_lines(tmp_path / "202611271425.json", map(row, (sampled, plain, unknown))))
    assert [one["in_bytes"] for one in found] == [15_000 * 512, 15_000, 15_000]
    assert [one["in_packets"] for one in found] == [5120, 10, 10]
    assert [one["sampled"] for one in found] == [1, 0, 0]
    named = {one.sysid: one.factor for one in file.exporters()}
    assert [named[one["sysid"]] for one in found] == [512, 1, None]
    assert [(one["first_ms"], one["last_ms"]) for one in found] == [(ONE.first_ms, ONE.last_ms)] * 3
    assert {(one["src4"], one["dst4"], one["protocol"], one["input_interface"]) for one in found} == {
        (0xC612_0001, 0xCB00_7101, 6, 1)
    }


def test_a_row_of_sflow_is_one_frame_at_the_time_of_its_reception(tmp_path: Path) -> None:
    frame = dataclasses.replace(ONE, packets=1, bytes=1518, factor=1000)
    arp = goflow2_row(frame, "SFLOW_5") | {"src_addr": "", "dst_addr": "", "etype": "ARP"}
    one, other = rows_of(GOFLOW2, tmp_path, [goflow2_row(frame, "SFLOW_5"), arp])
    assert (one["kind"], one["first_ms"], one["last_ms"]) == (FLOW, frame.received_ms, frame.received_ms)
    assert (one["in_packets"], one["in_bytes"]) == (1000, 1_518_000)
    # no flow is missed with a frame that is not IP
    assert (other["kind"], other["in_bytes"]) == (NEITHER, 0)


def test_protocols_are_read_as_numbers_and_as_names(tmp_path: Path) -> None:
    written = ["TCP", "", "ICMPv6", 50, "47", "no-such"]
    found = rows_of(GOFLOW2, tmp_path, [goflow2_row(ONE) | {"proto": name} for name in written])
    assert [one["protocol"] for one in found] == [6, 255, 58, 50, 47, 255]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_costs_its_row_alone(tmp_path: Path, name: str, value: object) -> None:
    path = write_lines(
        tmp_path / "202611271425.json", [goflow2_row(ONE), goflow2_row(ONE) | {name: value}, goflow2_row(ONE)]
    )
    file, found = read(GOFLOW2, path)
    assert [one["kind"] for one in found] == [FLOW, MALFORMED, FLOW]
    assert sum(one["in_bytes"] for one in found) == 30_000
    assert file.promise.records == 3
    (warning,) = file.warnings()
    assert warning.startswith("1 row set aside alone as malformed: row 2: ")


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_row_costs_no_other(tmp_path: Path, text: str) -> None:
    for source, row in ((GOFLOW2, goflow2_row(ONE)), (PMACCT, pmacct_row(ONE))):
        found = rows_of(source, tmp_path, [row, text, row])
        kinds = [one["kind"] for one in found]
        assert kinds[0] == kinds[-1] == FLOW
        assert sum(one["in_bytes"] for one in found if one["kind"] == FLOW) == 30_000


@given(st.lists(st.one_of(st.text(max_size=60), st.just(json.dumps(goflow2_row(ONE)))), max_size=20))
def test_good_rows_survive_any_others(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    good = json.dumps(goflow2_row(ONE))
    lines = [good, *(text.replace("\n", " ") for text in texts)]
    found = rows_of(GOFLOW2, tmp_path_factory.mktemp("rows"), lines)
    assert sum(one["in_bytes"] == 15_000 for one in found) == lines.count(good)


def test_huge_counters_are_cut_to_an_absurd_number(tmp_path: Path) -> None:
    rows = [goflow2_row(dataclasses.replace(ONE, factor=1000)) | {"bytes": huge} for huge in (1 << 63, 10**30)]
    assert [one["in_bytes"] for one in rows_of(GOFLOW2, tmp_path, rows)] == [(1 << 64) - 1] * 2


def test_numbers_may_be_written_as_texts(tmp_path: Path) -> None:
    (one,) = rows_of(
        GOFLOW2, tmp_path, [goflow2_row(ONE) | {"bytes": "15000", "time_received_ns": "1795176000000000000"}]
    )
    assert (one["in_bytes"], one["received_ms"]) == (15_000, NOON_MS)


def test_exporters_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporters, "MOST_EXPORTERS", 2)
    rows = [goflow2_row(dataclasses.replace(ONE, exporter=f"192.0.2.{number}")) for number in (1, 2, 3, 1)]
    assert [one["kind"] for one in rows_of(GOFLOW2, tmp_path, rows)] == [FLOW, FLOW, MALFORMED, FLOW]


def pmacct(folder: Path, **described: Any) -> FlowSource:
    return PMACCT.configured(Ingest(folders=(FlowFolder(folder=folder, **described),)))


def binned(stamp: str = "2026-11-20 12:00:00", **values: Any) -> dict[str, Any]:
    """A row without flow times, of the bin that begins at noon and was written two minutes after its end."""
    row = pmacct_row(ONE)
    for name in ("timestamp_start", "timestamp_end", "timestamp_arrival"):
        del row[name]
    return row | {"stamp_inserted": stamp, "stamp_updated": "2026-11-20 12:07:00"} | values


def test_a_bin_covers_its_period_and_not_the_time_of_writing(tmp_path: Path) -> None:
    (one,) = rows_of(pmacct(tmp_path, period_s=300), tmp_path, [binned()])
    assert (one["kind"], one["first_ms"], one["last_ms"]) == (SUMMED, NOON_MS, NOON_MS + 300_000)


def test_a_bin_of_unknown_length_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"set `period_s` of the folder in \[\[ingest.folders\]\]"):
        rows_of(PMACCT, tmp_path, [binned()])


@pytest.mark.parametrize(
    ("stamp", "zone"),
    [
        ("2026-11-20 12:00:00", "UTC"), ("1795176000", "UTC"), ("1795176000", "Asia/Tokyo"),
        ("2026-11-20 21:00:00", "Asia/Tokyo"), ("2026-11-20T12:00:00Z", "Asia/Tokyo"),
        ("2026-11-20T13:00:00+01:00", "UTC"), ("2026-11-20T12:00:00.000000+00:00", "UTC"),
    ],
)  # fmt: skip
def test_every_form_of_times_is_read(tmp_path: Path, stamp: str, zone: str) -> None:
    (one,) = rows_of(pmacct(tmp_path, period_s=60, times_zone=zone), tmp_path, [binned(stamp)])
    assert one["first_ms"] == NOON_MS


@pytest.mark.parametrize("stamp", ["noon", "2026-13-20 12:00:00", "-5", "9" * 20, "1900-01-01 00:00:00"])
def test_what_is_no_time_is_malformed(tmp_path: Path, stamp: str) -> None:
    (one, _) = rows_of(pmacct(tmp_path, period_s=60), tmp_path, [binned(stamp), binned()])
    assert one["kind"] == MALFORMED


def test_a_missing_time_is_written_as_zeros(tmp_path: Path) -> None:
    row = pmacct_row(ONE) | {"timestamp_start": "0000-00-00 00:00:00.000000", "timestamp_end": "0"}
    (one,) = rows_of(PMACCT, tmp_path, [row])
    assert (one["kind"], one["first_ms"], one["last_ms"]) == (FLOW, 0, 0)
    (sample,) = rows_of(PMACCT, tmp_path, [pmacct_row(ONE) | {"timestamp_end": "0000-00-00 00:00:00.000000"}])
    assert (sample["first_ms"], sample["last_ms"]) == (NOON_MS, NOON_MS)


def test_pmacct_multiplies_by_the_rate_unless_the_daemon_did(tmp_path: Path) -> None:
    sampled = pmacct_row(dataclasses.replace(ONE, factor=100))
    (one,) = rows_of(PMACCT, tmp_path, [sampled])
    assert (one["in_bytes"], one["sampled"]) == (1_500_000, 1)
    source = pmacct(tmp_path, renormalized=True)
    file, (other,) = read(source, write_lines(tmp_path / "202611271430.json", [pmacct_row(ONE)]))
    assert (other["in_bytes"], other["sampled"]) == (15_000, 1)
    assert [one.factor for one in file.exporters()] == [None]


def test_markers_are_no_rows_and_events_no_flows(tmp_path: Path) -> None:
    event = pmacct_row(ONE)
    del event["bytes"], event["packets"]
    rows = [{"event_type": "purge_init", "writer_id": "x/1"}, pmacct_row(ONE), event, {"event_type": "purge_close"}]
    assert [one["kind"] for one in rows_of(PMACCT, tmp_path, rows)] == [FLOW, NEITHER]
