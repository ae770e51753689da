"""Exports of other people's routers, good, odd and bad: each is ingested or set aside with its reason, none misread."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.run import FolderPlan, IngestReport, ingest_folder
from hntes.etl.sources.nfcapd.probe import probe
from hntes.sql.entries import ObservationEntry, OutcomeCount
from hntes.sql.ledger import StoredFile, get_stored_file
from hntes.sql.session import reading
from tests.support.addresses import texts_of
from tests.support.databases import opened
from tests.support.exports import ExportFile, export_files, listed_octets_of_tos, listed_records
from tests.support.nfcapd import by_nfdump

# What must be set aside as a whole, and a word of the reason.
UNREADABLE = {
    "bad/corrupt_nfcapd": "Corrupt data file",
    "bad/truncated_nfcapd": "appendix offset",
    "bad/zero_bytes": "empty (0 bytes)",
    "bad/not_nfcapd": "not an nfcapd file",
    "bad/header_only": "appendix offset",
}
SETTLED = ("kept", "set_aside:", "unclaimed:")
Exports = dict[str, "Ingested"]


class Ingested:
    """One file of the table, ingested by itself."""

    def __init__(self, file: ExportFile, report: IngestReport, stored: StoredFile, lake: Path) -> None:
        self.file, self.report, self.stored, self.lake = file, report, stored, lake

    @property
    def parts(self) -> list[str]:
        return [part.part for part in self.stored.parts]

    def rows(self) -> list[dict[str, Any]]:
        return DuckEngine().run("select * from flows", self.lake, self.parts).to_pylist()

    def outcomes(self, beginning: str = "") -> dict[str, int]:
        return {c.outcome: c.records for c in self.stored.counts if c.outcome.startswith(beginning)}

    def settled(self) -> list[OutcomeCount]:
        return [count for count in self.stored.counts if count.outcome.startswith(SETTLED)]

    def evidence(self) -> set[tuple[int, str, int]]:
        return {(one.factor, one.source, one.records) for one in self.stored.evidence}

    def alpha(self, day: date) -> list[ObservationEntry]:
        return detect_day(DuckEngine(), self.lake, self.parts, "r1", day, DetectionRule())


@pytest.fixture(scope="module")
def exports(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exports]:
    assert (shared_data / "exports").is_dir()
    folder = tmp_path_factory.mktemp("exports")
    nfdump, database = probe("nfdump"), opened(f"sqlite:///{folder / 'hntes.db'}")
    found = {}
    for file in export_files():
        report = ingest_folder(
            database, by_nfdump(nfdump), folder / "lake", FolderPlan(file.folder, (RouterExporters("r1"),))
        )
        with reading(database) as session:
            stored = get_stored_file(session, str(file.folder), file.name)
        assert stored is not None
        found[file.case] = Ingested(file, report, stored, folder / "lake")
    yield found
    database.dispose()


every_file = pytest.mark.parametrize("case", [file.case for file in export_files()])


@every_file
def test_each_file_is_ingested_or_set_aside_with_its_reason(exports: Exports, case: str) -> None:
    one = exports[case]
    if case in UNREADABLE:
        assert one.stored.entry.state == "quarantined"
        assert UNREADABLE[case] in one.stored.entry.reason
        assert one.report.set_aside == {one.file.name: one.stored.entry.reason}
        assert (one.stored.counts, one.stored.parts) == ((), ())
    else:
        assert one.stored.entry.state == "ingested"
        assert one.report.set_aside == {}
        assert one.stored.entry.reason == ""


@every_file
def test_promised_read_and_settled_records_are_the_tables(exports: Exports, case: str) -> None:
    one = exports[case]
    if case in UNREADABLE:
        assert one.stored.entry.promised_records in (None, one.file.records)
        return
    assert one.stored.entry.promised_records == one.stored.entry.read_records == one.file.records
    assert sum(count.records for count in one.settled()) == one.file.records
    # the table's bytes include the second counter of records that have two
    unused = sum(count.bytes for count in one.stored.counts if count.outcome == "noted:out_bytes_not_used")
    assert sum(count.bytes for count in one.settled()) + unused == one.file.bytes
    assert len(one.rows()) == one.outcomes().get("kept", 0)
    assert sum(entry.records for entry in one.stored.evidence) == len(one.rows())


@every_file
def test_only_the_collectors_files_are_taken(exports: Exports, case: str) -> None:
    one = exports[case]
    others = {path.name for path in one.file.folder.iterdir()} - {one.file.name}
    assert set(one.report.ignored) == others


@every_file
def test_times_of_untouched_records_are_the_tables(exports: Exports, case: str) -> None:
    one = exports[case]
    if one.outcomes("repaired") or one.outcomes("set_aside") or not (rows := one.rows()):
        return
    assert shown(min(row["first_ms"] for row in rows)) == one.file.first
    assert shown(max(row["last_ms"] for row in rows)) == one.file.last


def shown(moment_ms: int) -> str:
    whole = datetime.fromtimestamp(moment_ms // 1000, UTC)
    return f"{whole:%Y-%m-%d %H:%M:%S}.{moment_ms % 1000:03d}"


@every_file
def test_the_kept_rows_are_in_order_and_within_their_day(exports: Exports, case: str) -> None:
    for row in exports[case].rows():
        assert 946_684_800_000 <= row["first_ms"] <= row["last_ms"]
        assert 0 <= row["bytes"] <= 2**52
        assert row["last_ms"] - row["first_ms"] < 2**31


@every_file
def test_addresses_are_those_that_nfdump_lists(exports: Exports, case: str) -> None:
    """Records with both forms of an address are IPv4 where the IPv6 form only repeats it (`::192.0.2.1`)."""
    one = exports[case]
    if case in UNREADABLE or one.file.records > 10_000:  # none, or too many to parse by the slow way
        return
    listed = set()
    for record in listed_records(one.file.path):
        four, six = ((record.get(f"src{n}_addr"), record.get(f"dst{n}_addr")) for n in (4, 6))
        listed.add(four if four[0] and six[0] in (None, "::", f"::{four[0]}") else six)
    rows = one.rows()
    columns = {name: [row[name] for row in rows] for name in ("ip_version", "src_hi", "src_lo", "dst_hi", "dst_lo")}
    sources = texts_of(columns["ip_version"], columns["src_hi"], columns["src_lo"])
    destinations = texts_of(columns["ip_version"], columns["dst_hi"], columns["dst_lo"])
    assert set(zip(sources, destinations, strict=True)) <= listed
    if not any(outcome.startswith("set_aside") for outcome in one.outcomes()):
        assert set(zip(sources, destinations, strict=True)) == listed


@every_file
def test_types_of_service_are_those_that_nfdump_lists(exports: Exports, case: str) -> None:
    one = exports[case]
    if case in UNREADABLE:
        return
    kept, listed = Counter(row["tos"] for row in one.rows()), Counter(listed_octets_of_tos(one.file.path))
    assert listed.total() == one.file.records
    assert kept <= listed
    if not any(outcome.startswith("set_aside") for outcome in one.outcomes()):
        assert kept == listed


@pytest.mark.parametrize("case", ["good/mikrotik_v5", "good/backbone_10_flows_nfcapd16_lzo"])
def test_recorded_exports_have_packets_of_hosts_with_ecn(exports: Exports, case: str) -> None:
    assert any(row["tos"] == 2 for row in exports[case].rows())


@pytest.mark.parametrize(
    "case",
    ["odd/huawei_ipfix_vrf", "odd/cisco_srv6_ipfix_two_routers", "odd/cisco_srv6_ipfix_negative", "odd/cgnat_nfcapd16"],
)
def test_records_that_end_before_they_start_are_repaired_or_set_aside_by_name(exports: Exports, case: str) -> None:
    one = exports[case]
    nobody = ("0.0.0.0", "::")  # noqa: S104 - records without addresses are set aside as such
    backwards = sum(
        record["last"] < record["first"]
        for record in listed_records(one.file.path)
        if min(record["first"], record["last"]) > "2000"
        and record.get("src6_addr", record.get("src4_addr")) not in nobody
    )
    rules = ("repaired:end_before_start", "set_aside:end_before_start", "repaired:uptime_wrap")
    assert backwards > 0
    assert sum(one.outcomes().get(rule, 0) for rule in rules) == backwards


@pytest.mark.parametrize(
    "case",
    [
        "odd/cisco_1941_v9_no_times",
        "odd/cisco_ipfix_sampling_option_ipv6",
        "odd/mac_only_v9",
        "bad/v9_unknown_template",
    ],
)
def test_records_of_1970_are_set_aside_as_without_time(exports: Exports, case: str) -> None:
    assert exports[case].outcomes("set_aside") == {"set_aside:no_time": exports[case].file.records}
    assert exports[case].rows() == []


@pytest.mark.parametrize(("case", "records"), [("good/fortigate_542_v9", 17), ("good/telegraf_ipfix", 27)])
def test_second_counters_are_told(exports: Exports, case: str, records: int) -> None:
    """A firewall that counts the same bytes twice, and exporters that count both directions in one record."""
    assert exports[case].outcomes("noted:out")["noted:out_bytes_not_used"] == records


def test_egress_records_that_count_in_the_egress_counter_have_bytes(exports: Exports) -> None:
    one = exports["odd/zero_length_fields_v9"]
    assert sorted(row["bytes"] for row in one.rows() if row["direction"] == 1) == [0, 0, 0, 32, 32, 32]


@pytest.mark.parametrize("case", ["bad/empty_nfcapd16", "bad/v5_invalid01", "bad/v9_options_only"])
def test_files_without_records_are_read_and_hold_nothing(exports: Exports, case: str) -> None:
    assert (exports[case].stored.entry.state, exports[case].outcomes()) == ("ingested", {})


@pytest.mark.parametrize(
    ("case", "evidence"),
    [
        ("good/juniper_mx10_ipfix_1000", {(1000, "collector", 38), (1000, "announced", 2)}),
        ("good/v5_sampled_100", {(100, "collector", 4)}),
        ("good/cisco_asr9k_v9", {(1, "assumed_unsampled", 21)}),
        ("good/mikrotik_v5", {(1, "assumed_unsampled", 30)}),
    ],
)
def test_sampling_is_as_the_exporters_told(exports: Exports, case: str, evidence: set[tuple[int, str, int]]) -> None:
    assert exports[case].evidence() == evidence


def test_a_file_that_names_no_rate_has_estimates_and_no_error_bar(exports: Exports) -> None:
    one = exports["good/backbone_10_flows_nfcapd16_lzo"]
    assert {(factor, source) for factor, source, _ in one.evidence()} == {(0, "collector_rate_unknown")}
    assert sum(row["bytes"] for row in one.rows()) == 87_993_000


def test_the_backbones_one_alpha_flow_is_found_and_the_old_tunnel_is_not(exports: Exports) -> None:
    (found,) = exports["good/backbone_one_minute"].alpha(date(2019, 8, 12))
    assert found.flow_id == "23.208.154.8 80 > 72.247.240.146 65227 / 6"
    # 5.48 GB in 98.9 s, spread evenly
    assert found.peak_bytes == pytest.approx(5.48e9 * 60 / 98.9, rel=0.01)


def test_the_backbones_tunnel_is_in_the_lake_for_others_to_judge(exports: Exports) -> None:
    rows = exports["good/backbone_one_minute"].rows()
    tunnel = [row for row in rows if row["protocol"] == 47 and row["bytes"] > 1_300_000_000]
    assert [row["last_ms"] - row["first_ms"] for row in tunnel] == [pytest.approx(464_880_000, abs=1000)]


def test_a_start_that_never_moves_and_two_meters_make_one_flow_of_true_size(exports: Exports) -> None:
    """Really about 37 MB/s = 2.2 GB a minute, exported as ingress and as egress, each with a start days ago."""
    one = exports["good/juniper_mx10_ipfix_1000"]
    (found,) = one.alpha(date(2020, 6, 26))
    assert found.peak_bytes == pytest.approx(2.2e9, rel=0.1)
    each_way = {way: sum(row["bytes"] for row in one.rows() if row["direction"] == way) for way in (0, 1)}
    assert 0.9 < each_way[0] / each_way[1] < 1.1
    assert found.flow_bytes <= max(each_way.values())
    assert found.repaired_records == found.records - 1
    assert found.sampling_factor == 1000
