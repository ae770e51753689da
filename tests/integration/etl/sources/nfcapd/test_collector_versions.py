"""Files of all versions of nfcapd in use: read natively, row for row as that version's own nfdump lists them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hntes.etl.addresses import text_halves
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.nfcapd.probe import probe
from hntes.etl.sources.nfcapd.records import times_ms
from hntes.etl.sources.nfcapd.source import NfcapdSource
from tests.support.native_reader import natively

VERSIONS = ("1.6.25", "1.7.1", "1.7.3", "1.7.5", "1.7.6", "1.7.8", "1.8.0-devel")
# Exporters whose rate the file of a version names. 1.6.25 misreads that of the first, development versions of 1.8
# overwrite what they know of all but one.
RATES = {
    "1.6.25": {"127.0.0.11": 1, "127.0.0.13": 100},
    "1.7.1": {"127.0.0.13": 100},
    "1.8.0-devel": {},
}
USUAL_RATES = {"127.0.0.11": 1000, "127.0.0.13": 100}
FIELDS = (
    "src_port", "dst_port", "bytes", "packets", "first_ms", "last_ms", "received_ms", "protocol", "sampled",
    "input_interface", "output_interface", "src_hi", "src_lo", "dst_hi", "dst_lo", "sysid", "exporter_lo",
)  # fmt: skip
Row = tuple[int, ...]


@pytest.fixture(scope="module")
def nfdump() -> Nfdump:
    return probe("nfdump")


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest, shared_data: Path) -> Path:
    folder = shared_data / "nfcapd-versions" / str(request.param)
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


def files(version: Path) -> list[Path]:
    found = sorted(version.glob("*/nfcapd.*"))
    assert len(found) >= 4
    return found


def listed(version: Path) -> Counter[Row]:
    text = (version / "rows.json").read_text(encoding="utf-8").strip()
    # 1.7.1 and 1.7.3 put one object after another
    if not text.startswith("["):
        text = f"[{text.rstrip(',')}]"
    return Counter(map(row_of, json.loads(text)))


def row_of(record: dict[str, Any]) -> Row:
    def ms(*names: str) -> int:
        text = next(record[name] for name in names if name in record)
        return int(times_ms(pa.chunked_array([[text]]))[0].as_py())

    ends = [
        half for end in ("src", "dst") for half in text_halves(record.get(f"{end}4_addr") or record[f"{end}6_addr"])[:2]
    ]
    return (
        record["src_port"], record["dst_port"], record["in_bytes"], record["in_packets"], ms("first", "t_first"),
        ms("last", "t_last"), ms("received", "t_received"), record["proto"], record["sampled"], record["input_snmp"],
        record["output_snmp"], *ends, record["export_sysid"], text_halves(record["ip4_router"])[1],
    )  # fmt: skip


def test_each_compression_is_read_row_for_row(version: Path) -> None:
    expected = listed(version)
    assert sum(expected.values()) == 160
    # each compression was collected anew, so the times of reception differ: those of the listing are the plain file's
    received = FIELDS.index("received_ms")
    for path in files(version):
        read = natively(path)
        found = Counter(zip(*(read.columns[name].tolist() for name in FIELDS), strict=True))
        if path.parent.name == "none":
            assert found == expected
        assert without(found, received) == without(expected, received), path
        assert read.promise.sums is not None
        assert not read.sums.differences(read.promise.sums)


def without(rows: Counter[Row], place: int) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for row, count in rows.items():
        found[row[:place] + row[place + 1 :]] += count
    return found


def test_none_is_given_to_nfdump_and_rates_are_those_that_the_file_names(
    tmp_path: Path, version: Path, nfdump: Nfdump
) -> None:
    for path in files(version):
        read = ingested(path, nfdump, tmp_path / path.parent.name)
        assert (read.reason, read.read_records) == ("", 160)
        assert not [warning for warning in read.warnings if "nfdump" in warning]
        rates = {one.address: one.factor for one in natively(path).exporters if one.factor}
        assert rates == RATES.get(version.name, USUAL_RATES)
        # multiplied once, by the collector, and where the file has the rate it is known
        (fifth,) = (one for one in read.evidence if one.exporter == "127.0.0.13")
        known = "127.0.0.13" in rates
        assert (fifth.factor, fifth.source, fifth.records) == (
            (100, "collector", 10) if known else (0, "collector_rate_unknown", 10)
        )
        (ninth,) = (one for one in read.evidence if one.exporter == "127.0.0.12")
        assert (ninth.factor, ninth.source) == (1, "assumed_unsampled")
        # its sampler is one that no record names
        doubted = [warning for warning in read.warnings if "127.0.0.11" in warning and "announces 1:1000" in warning]
        assert len(doubted) == (rates.get("127.0.0.11") == 1000)


def ingested(path: Path, nfdump: Nfdump, lake: Path) -> ReadFile:
    return read_file(path, NfcapdSource(nfdump), lake, "stem", [RouterExporters("r1")], 300_000)
