"""Forged records of a known exporter, beside true ones in one file: what the true ones become does not change.

Both readers judge each file: the compiled one, which does not show plain records to the rules, and the other.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import pytest

from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from tests.support.decoded_file import DecodedFile, ShownFile
from tests.support.row_tables import RowTables
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file

NOON = 1_795_176_000_000
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
TRUE, FORGED = 443, 9
RATE_BPS = 10_000_000_000
PORTS = PortRates({1: RATE_BPS}, RATE_BPS)
EXPORTER = 0xC000_0201
Row = dict[str, int]


def judged(
    folder: Path, *blocks: Iterable[FlowRecord], factor: int = 1, clock: Literal["exporter", "collector"] = "exporter"
) -> tuple[Outcome, list[Row]]:
    path = folder / "nfcapd.202611201200"
    head = [ExporterRecord(1, EXPORTER, factor - 1)] if factor > 1 else []
    path.write_bytes(flow_file([[*head, *blocks[0]], *map(list, blocks[1:])]))
    claim, found = RouterExporters("r1", ports=PORTS, clock=clock), []
    for file in (DecodedFile(path), ShownFile(path)):
        rows = RowTables()
        outcome = judge_file(file, [claim], 5 * MINUTE, NOTHING_KNOWN, rows)
        found.append((outcome.counts, outcome.evidence, outcome.warnings, rows.of.get(0, [])))
    assert found[0] == found[1]
    return outcome, rows.of.get(0, [])


def record(
    end_ms: int, received_ms: int, port: int = TRUE, lasts_ms: int = 5 * SECOND, packets: int = 10, size: int = 1500,
    flags: int = 0,
) -> FlowRecord:  # fmt: skip
    return FlowRecord(
        end_ms - lasts_ms, end_ms, received_ms, packets, packets * size, input_interface=1, exporter=EXPORTER,
        destination_port=port, flags=flags,
    )  # fmt: skip


def ends(rows: list[Row], port: int = TRUE) -> list[int]:
    return [row["last_ms"] for row in rows if row["dst_port"] == port]


@pytest.mark.parametrize("forged", [1, 90])
@pytest.mark.parametrize("off_ms", [-3 * DAY, -2 * HOUR, 2 * HOUR, 30 * DAY])
@pytest.mark.parametrize("skew_ms", [0, -2 * DAY, 10 * MINUTE])
def test_forged_ends_do_not_move_true_records(tmp_path: Path, skew_ms: int, off_ms: int, forged: int) -> None:
    moments = [NOON + SECOND * number for number in range(100)]
    true = [record(moment + skew_ms, moment + 40 * (number % 50)) for number, moment in enumerate(moments)]
    others = [record(NOON + off_ms, NOON, FORGED)] * forged
    for blocks in ((others, true), (true, others)):
        _, rows = judged(tmp_path, *blocks, clock="collector")
        assert all(abs(end - moment) <= 2 * SECOND for end, moment in zip(ends(rows), moments, strict=True))


def test_a_forged_end_in_the_future_is_set_aside(tmp_path: Path) -> None:
    true = [record(NOON + number, NOON + number) for number in range(100)]
    outcome, rows = judged(tmp_path, [record(NOON + DAY, NOON, FORGED), *true], clock="collector")
    assert outcome.counts["r1", "set_aside:in_future"][0] == 1
    assert ends(rows) == [NOON + number for number in range(100)]


@pytest.mark.parametrize("off_ms", [-DAY, DAY, 3 * HOUR])
def test_a_clock_that_is_set_while_a_file_is_written_leaves_all_records_in_their_place(
    tmp_path: Path, off_ms: int
) -> None:
    before = [record(NOON + off_ms + SECOND * number, NOON + SECOND * number) for number in range(60)]
    after = [record(NOON + SECOND * number, NOON + SECOND * number) for number in range(60, 100)]
    outcome, rows = judged(tmp_path, before, after, clock="collector")
    assert ends(rows) == [NOON + SECOND * number for number in range(100)]
    assert outcome.counts["r1", "repaired:clock_shift"][0] == 60


def instants(number: int, packets: int, factor: int) -> list[FlowRecord]:
    return [record(NOON + SECOND * n + 1, NOON + MINUTE, TRUE, 0, packets * factor, flags=2) for n in range(number)]


@pytest.mark.parametrize(("lasting", "outcome_name"), [(3, "repaired:no_duration"), (4, "set_aside:faster_than_port")])
def test_few_records_with_a_duration_do_not_take_it_from_all_others(
    tmp_path: Path, lasting: int, outcome_name: str
) -> None:
    """An exporter without durations (Juniper PTX), 30 of whose records no port carries at once."""
    factor = 32_767
    forged = [record(NOON, NOON + MINUTE, FORGED, 5 * SECOND, factor, flags=2)] * lasting
    for blocks in ((instants(30, 40, factor), forged), (forged, instants(30, 40, factor))):
        outcome, _ = judged(tmp_path, *blocks, factor=factor)
        assert outcome.counts["r1", outcome_name][0] == 30


def test_single_sampled_packets_do_not_make_an_exporter_one_without_durations(tmp_path: Path) -> None:
    factor = 32_767
    lasting = [record(NOON, NOON + MINUTE, TRUE, 5 * SECOND, 2 * factor, flags=2)] * 2
    impossible = record(NOON, NOON + MINUTE, FORGED, 0, 40 * factor, flags=2)
    outcome, rows = judged(tmp_path, instants(300, 1, factor), [*lasting, impossible], factor=factor)
    assert outcome.counts["r1", "set_aside:faster_than_port"][0] == 1
    assert ends(rows, FORGED) == []


@pytest.mark.parametrize(("fine", "kept"), [(0, 20), (19, 20), (20, 0)])
def test_few_times_with_milliseconds_do_not_make_a_coarse_clock_a_fine_one(
    tmp_path: Path, fine: int, kept: int
) -> None:
    """Bursts that a port carries in a second, by an exporter that knows seconds only."""
    true = [record(NOON + SECOND * number, NOON + MINUTE, TRUE, 0, 1_000_000, 1300) for number in range(20)]
    forged = [record(NOON + 7, NOON + MINUTE, FORGED)] * fine
    for blocks in ((true, forged), (forged, true)) if fine else ((true,),):
        _, rows = judged(tmp_path, *blocks)
        assert len(ends(rows)) == kept


@pytest.mark.parametrize("skew_ms", [0, -2 * DAY, 10 * MINUTE])
def test_a_moved_clock_of_whole_seconds_stays_one(tmp_path: Path, skew_ms: int) -> None:
    """The offset has milliseconds, as the collector's times have."""
    moments = [NOON + SECOND * number for number in range(20)]
    lasting = [record(at + skew_ms, at + 37) for at in moments]
    bursts = [record(at + skew_ms, at + 37, TRUE, 0, 1_000_000, 1300) for at in moments]
    _, rows = judged(tmp_path, lasting + bursts, clock="collector")
    assert len(ends(rows)) == 40
