"""Exporters by number and address: a collector that was restarted within a file gives its numbers again."""

from collections import Counter
from pathlib import Path

from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN
from hntes.etl.ingest.judge import judge_file
from hntes.etl.ingest.named_exporters import NamedExporters
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import NamedExporter, Sampler, exporters_of
from hntes.etl.sources.source import Exporter
from tests.support.decoded_file import DecodedFile
from tests.support.row_tables import RowTables
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file

SAMPLED, UNSAMPLED = 0xC000_0201, 0xC000_0202
NOON = 1_795_176_000_000


def flow(exporter: int, sysid: int, flags: int = 0) -> FlowRecord:
    return FlowRecord(NOON, NOON + 60_000, NOON + 61_000, 3000, 3_000_000, exporter=exporter, sysid=sysid, flags=flags)


def factors(tmp_path: Path, *blocks: list[FlowRecord | ExporterRecord]) -> dict[tuple[str, int, str], int]:
    path = tmp_path / "nfcapd.202611201200"
    path.write_bytes(flow_file(blocks))
    outcome = judge_file(DecodedFile(path), [RouterExporters("r1")], 300_000, NOTHING_KNOWN, RowTables())
    found: Counter[tuple[str, int, str]] = Counter()
    for one in outcome.evidence:
        found[one.exporter, one.factor, one.source] += one.records
    return dict(found)


def test_an_exporter_does_not_get_the_rate_of_another_that_had_its_number(tmp_path: Path) -> None:
    first = [ExporterRecord(1, SAMPLED, 999), ExporterRecord(2, UNSAMPLED), flow(SAMPLED, 1, 2), flow(UNSAMPLED, 2)]
    second = [ExporterRecord(1, UNSAMPLED), ExporterRecord(2, SAMPLED, 999), flow(UNSAMPLED, 1), flow(SAMPLED, 2, 2)]
    found = factors(tmp_path, first, second)
    assert found == {("192.0.2.1", 1000, "collector"): 2, ("192.0.2.2", 1, "assumed_unsampled"): 2}


def test_a_record_of_another_address_than_its_numbers_exporter_has_no_named_rate(tmp_path: Path) -> None:
    found = factors(tmp_path, [ExporterRecord(1, SAMPLED, 999), flow(UNSAMPLED, 1)])
    assert found == {("192.0.2.2", 1, "assumed_unsampled"): 1}


def test_a_record_without_an_address_gets_the_only_exporter_of_its_number(tmp_path: Path) -> None:
    assert factors(tmp_path, [flow(0, 1, 2)], [ExporterRecord(1, SAMPLED, 999)]) == {
        ("192.0.2.1", 1000, "collector"): 1
    }
    both = [ExporterRecord(1, SAMPLED, 999), ExporterRecord(1, UNSAMPLED, 99), flow(0, 1, 2)]
    assert factors(tmp_path, both) == {("0.0.0.0", 0, "collector_rate_unknown"): 1}  # noqa: S104 - not an address to bind


def test_domains_of_one_number_and_address_with_different_rates_leave_the_rate_unknown() -> None:
    rate = Sampler("Generic", 1, 999)
    named = [
        NamedExporter(1, "192.0.2.1", (rate,)),
        NamedExporter(1, "192.0.2.1", ()),
        NamedExporter(2, "192.0.2.1", (rate,)),
    ]
    assert exporters_of(named) == [Exporter(1, "192.0.2.1", None, False), Exporter(2, "192.0.2.1", 1000, True)]
    assert NamedExporters(exporters_of(named)).get((2, 0, SAMPLED)) == Exporter(2, "192.0.2.1", 1000, True)
