"""Files that hold other than flows with counters: what is part of their promise, and what they are named."""

import subprocess
from pathlib import Path

import pytest

from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.etl.sources.nfcapd.source import NfcapdSource
from tests.support.native_reader import natively
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file, flow_file_3

NOON = 1_795_176_000_000
FRAME = FlowRecord(0, 0, 0, 0, 0, None, None, has_counters=False, exporter=0xC000_0263, sysid=2)
SIX = (0x2001_0DB8 << 96 | 1, 0x2001_0DB8 << 96 | 2)


@pytest.fixture(scope="module")
def nfdump() -> Nfdump:
    return probe("nfdump")


def flow(second: int = 0, **changes: object) -> FlowRecord:
    usual = {"first_ms": NOON + second * 1000, "last_ms": NOON + second * 1000 + 900, "received_ms": NOON + 61_000}
    return FlowRecord(**{**usual, "packets": 0, "byte_count": 0, **changes})


def read(folder: Path, nfdump: Nfdump, content: bytes, is_native: bool = True) -> ReadFile:
    path = folder / "nfcapd.202611201200"
    path.write_bytes(content)
    claims = [RouterExporters("r1")]
    return read_file(path, NfcapdSource(nfdump, is_native), folder / f"lake-{is_native}", "stem", claims, 300_000)


@pytest.mark.parametrize("writer", [flow_file, flow_file_3])
def test_a_record_without_counters_is_set_aside_alone(tmp_path: Path, nfdump: Nfdump, writer: type) -> None:
    content = writer([[ExporterRecord(1, 0xC000_0201), flow(), FRAME], [FRAME, flow(1), flow(2)]])
    found = read(tmp_path, nfdump, content)
    assert (found.reason, found.warnings, found.promised_records, found.read_records) == ("", (), 3, 5)
    assert found.counts == (("r1", "kept", 3, 0), ("r1", "set_aside:not_a_flow", 2, 0))


def test_it_is_set_aside_alone_through_nfdump(tmp_path: Path, nfdump: Nfdump) -> None:
    content = flow_file([[ExporterRecord(1, 0xC000_0201), flow(), FRAME], [FRAME, flow(1), flow(2)]])
    found, native = (read(tmp_path, nfdump, content, is_native) for is_native in (False, True))
    assert (found.reason, found.counts) == ("", native.counts)


@pytest.mark.parametrize(("promised", "is_read"), [(2, True), (3, True), (1, False), (4, False)])
def test_a_promise_may_count_records_without_counters_and_nothing_else(
    tmp_path: Path, nfdump: Nfdump, promised: int, is_read: bool
) -> None:
    found = read(tmp_path, nfdump, flow_file([[flow(), FRAME, flow(1)]], promised))
    assert (found.reason == "") == is_read


@pytest.mark.parametrize("options", [["-a"], ["-b"], ["-A", "srcip,dstip"]])
def test_a_file_that_nfdump_aggregated_is_named_so(tmp_path: Path, nfdump: Nfdump, options: list[str]) -> None:
    plain, path = tmp_path / "plain", tmp_path / "aggregated"
    plain.write_bytes(flow_file([[flow(second, packets=2, byte_count=90) for second in range(45)]]))
    command = ["nfdump", "-q", "-r", plain, *options, "-w", path]
    subprocess.run(command, check=True, capture_output=True)
    found = read(tmp_path, nfdump, path.read_bytes())
    assert found.reason.startswith("it was aggregated by nfdump (-a, -b or -A, with -w): its ")
    assert "its 1 records stand for 45 flows" in found.reason


def test_a_file_that_nfdump_filtered_is_read(tmp_path: Path, nfdump: Nfdump) -> None:
    path = tmp_path / "filtered"
    command = ["nfdump", "-q", "-r", REFERENCE_FILE, "-w", path, "proto tcp"]
    subprocess.run(command, check=True, capture_output=True)
    assert read(tmp_path, nfdump, path.read_bytes()).reason == ""


@pytest.mark.parametrize("is_six_first", [True, False])
def test_the_unused_family_of_a_template_yields(tmp_path: Path, nfdump: Nfdump, is_six_first: bool) -> None:
    four = flow(six=(0, 0), is_six_first=is_six_first)
    six = flow(1, source=0, destination=0, six=SIX, is_six_first=is_six_first)
    for writer in (flow_file, flow_file_3):
        found = read(tmp_path, nfdump, writer([[four, six, four]]))
        assert found.counts == (("r1", "kept", 3, 0),)
        assert natively(tmp_path / "nfcapd.202611201200").columns["src_version"].tolist() == [4, 6, 4]


def test_exporters_of_nfdump_1_7_8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    exporters = [ExporterRecord(1, 0xC000_0201, 99, has_family=False), ExporterRecord(2, 0xC000_0202, has_family=False)]
    path.write_bytes(flow_file([[*exporters, flow()]]))
    found = [(one.sysid, one.address, one.factor) for one in natively(path).exporters]
    assert found == [(1, "192.0.2.1", 100), (2, "192.0.2.2", None)]


def test_a_damaged_file_of_1_8_says_who_cannot_read_it(tmp_path: Path, nfdump: Nfdump) -> None:
    content = bytearray(flow_file_3([[flow()]]))
    content[48 + 24 + 32 + 6] = 8  # flags of its record
    found = read(tmp_path, nfdump, bytes(content))
    assert found.reason == (
        "the native reader refuses it (byte 48: byte 0 of this block's records: record flags 0x8 are not known), and "
        f"nfdump {nfdump.version_text} does not read files of nfdump 1.8"
    )


def test_another_file_after_one_of_1_8_is_reported(tmp_path: Path, nfdump: Nfdump) -> None:
    content = flow_file_3([[flow()]])
    found = read(tmp_path, nfdump, content + content)
    (warning,) = found.warnings
    assert warning.startswith(f"another flow file was appended to it, whose {len(content)} bytes are not read")
