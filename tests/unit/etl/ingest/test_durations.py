"""Records of exporters that never give a duration, as Juniper PTX: spread over the time that their port needs."""

from pathlib import Path

import pytest

from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.schema import TIME_REPAIRED
from tests.support.decoded_file import DecodedFile
from tests.support.row_tables import RowTables
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file

NOON = 1_795_176_000_000
RATE_BPS, FACTOR = 100_000_000_000, 32_767
PORTS = PortRates({1: RATE_BPS}, RATE_BPS)
SAMPLED = 2


def instant(samples: int, second: int = 0, lasts_ms: int = 0, exporter: int = 0xC000_0201) -> FlowRecord:
    end = NOON + second * 1000 + 1
    packets = samples * FACTOR
    return FlowRecord(
        end - lasts_ms, end, NOON + 61_000, packets, packets * 1500, input_interface=1, exporter=exporter, flags=SAMPLED
    )


def judge(
    path: Path, *blocks: list[FlowRecord], ports: PortRates = PORTS, rotation_s: int = 300
) -> tuple[Outcome, list[dict[str, int]]]:
    head = [ExporterRecord(1, 0xC000_0201, FACTOR - 1), ExporterRecord(1, 0xC000_0202, FACTOR - 1)]
    path.write_bytes(flow_file([[*head, *blocks[0]], *blocks[1:]]))
    rows, claim = RowTables(), RouterExporters("r1", ports=ports, rotation_s=rotation_s)
    outcome = judge_file(DecodedFile(path), [claim], 300_000, NOTHING_KNOWN, rows)
    return outcome, rows.of.get(0, [])


def test_they_are_spread_and_told(tmp_path: Path) -> None:
    elephants = [instant(254, second) for second in (10, 20, 30)]
    outcome, rows = judge(tmp_path / "file", [instant(1), *elephants])
    stored = 254 * FACTOR * 1500
    assert outcome.counts["r1", "repaired:no_duration"] == (3, 3 * stored)
    assert "set_aside:faster_than_port" not in {name for _, name in outcome.counts}
    spans = [row["last_ms"] - row["first_ms"] for row in rows]
    needed_ms = -(-stored * 8000 // RATE_BPS)
    assert spans == [0, needed_ms, needed_ms, needed_ms]
    assert [row["last_ms"] - NOON for row in rows[1:]] == [10_001, 20_001, 30_001]
    assert [bool(row["record_flags"] & TIME_REPAIRED) for row in rows] == [False, True, True, True]
    (warning,) = outcome.warnings
    assert "exporter 192.0.2.1" in warning
    assert "3 records with 37.5 GB without a duration" in warning


@pytest.mark.parametrize(
    "blocks", [[[instant(1, lasts_ms=5)], [instant(254)]], [[instant(254)], [instant(1, lasts_ms=5)]]]
)
def test_an_exporter_that_gives_durations_has_none_made_up(tmp_path: Path, blocks: list[list[FlowRecord]]) -> None:
    outcome, rows = judge(tmp_path / "file", *blocks)
    assert outcome.counts["r1", "set_aside:faster_than_port"][0] == 1
    assert (len(rows), outcome.warnings) == (1, [])


def test_another_exporters_durations_do_not_count(tmp_path: Path) -> None:
    outcome, _ = judge(tmp_path / "file", [instant(254), instant(9, lasts_ms=9000, exporter=0xC000_0202)])
    assert outcome.counts["r1", "repaired:no_duration"][0] == 1


def test_what_the_port_does_not_carry_in_the_time_of_a_file_is_set_aside(tmp_path: Path) -> None:
    slow = PortRates({1: 1_000_000_000}, RATE_BPS)
    needed_s = 254 * FACTOR * 1500 * 8 / 1_000_000_000
    for rotation_s, outcome_name in (
        (int(needed_s) + 1, "repaired:no_duration"),
        (int(needed_s), "set_aside:faster_than_port"),
    ):
        outcome, _ = judge(tmp_path / "file", [instant(254)], ports=slow, rotation_s=rotation_s)
        assert outcome.counts["r1", outcome_name][0] == 1
