"""A file judged in blocks of any size is the file judged at once: rows, counts, evidence, what is set aside."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.ingest.columns import Columns
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, ExporterBaseline
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.records import record_batch
from hntes.etl.sources.source import Exporter
from tests.support.examples import examples
from tests.support.judged import Judged, judge
from tests.support.raw_records import BIG, raw

EXPORTERS = ("192.0.2.1", "192.0.2.2", "192.0.2.3")
PORTS = PortRates({501: 10**9}, 10**10)
CLAIMS = [
    RouterExporters("r1", frozenset(EXPORTERS[:1]), ports=PORTS),
    RouterExporters("r2", frozenset(EXPORTERS[1:2]), clock="collector", ports=PORTS),
]
NAMED = [
    Exporter(1, EXPORTERS[0], 1000, True),
    Exporter(2, EXPORTERS[1], 100, False),
    Exporter(3, EXPORTERS[1], None, True),
]
USUAL = [
    NOTHING_KNOWN,
    ExporterBaseline({EXPORTERS[0]: frozenset({100})}, frozenset(EXPORTERS[1:2])),
    ExporterBaseline({}, frozenset(EXPORTERS[:2]), dict.fromkeys(EXPORTERS, frozenset({7, 1000}))),
    # records without an announcement get the factor of another domain, or the former one
    ExporterBaseline({EXPORTERS[0]: frozenset({1000, 50}), EXPORTERS[1]: frozenset({100})}),
]
# what only the whole file says is common here: a coarse clock, one that is ahead, counters that are multiples
SECONDS = [f"2026-11-20T18:20:{second:02d}.000" for second in (0, 1, 30)]
RECORD = st.fixed_dictionaries(
    {
        "first": st.sampled_from([*SECONDS, *SECONDS, "2026-11-20T18:20:00.006", "1970-01-01T00:00:00.000"]),
        "last": st.sampled_from([*SECONDS, *SECONDS, "2026-11-20T18:20:30.006", "2026-11-20T20:20:30.000"]),
        "received": st.sampled_from(["2026-11-20T18:20:31.000", "2026-11-20T18:00:00.000", None]),
        "in_bytes": st.sampled_from([15_000, 7_000_000, 1_500_000_000, 2_000_000_000, BIG + 1]),
        "in_packets": st.sampled_from([10, 7000, 1_000_000, 70_000, 70_001]),
        "sampled": st.sampled_from([0, 1]),
        "export_sysid": st.integers(1, 4),
        "ip4_router": st.sampled_from([None, *EXPORTERS]),
        "input_snmp": st.sampled_from([501, 502]),
        "src4_addr": st.sampled_from(["10.0.0.1", "10.0.0.1", "0.0.0.0"]),  # noqa: S104
    }
)


@dataclass
class File:
    """Records of a file in blocks; it names its first exporter at its beginning and one more with each block."""

    records: list[dict[str, Any]]
    block: int
    readings: int = 0
    marks_are_lost: bool = False

    def blocks(self) -> Any:
        self.readings += 1
        for begin in range(0, len(self.records), self.block):
            self._done = begin // self.block
            yield record_batch(raw(*self.records[begin : begin + self.block]))

    def exporters(self) -> list[Exporter]:
        last = (len(self.records) - 1) // self.block
        return NAMED if self._done == last else NAMED[: self._done + 1]


class Rows:
    """Rows by claim."""

    def begin(self) -> None:
        self.of: dict[int, list[tuple[int, ...]]] = {}

    def take(self, number: int, rows: Columns) -> None:
        self.of.setdefault(number, []).extend(zip(*(values.tolist() for values in rows.values()), strict=True))


def by_claim(whole: Judged) -> dict[int, list[tuple[int, ...]]]:
    found: dict[int, list[tuple[int, ...]]] = {}
    for number, row in zip(whole.owner.tolist(), whole.rows.to_pylist(), strict=True):
        found.setdefault(number, []).append(tuple(row.values()))
    return found


def parts_of(outcome: Outcome) -> tuple[object, ...]:
    return outcome.set_aside.to_pylist(), outcome.counts, outcome.exporters, outcome.evidence, outcome.warnings


@examples(0.5)
@given(st.lists(RECORD, min_size=1, max_size=16), st.integers(1, 16), st.sampled_from(USUAL))
def test_blocks_of_any_size_give_what_one_block_gives(
    records: list[dict[str, Any]], block: int, baseline: ExporterBaseline
) -> None:
    whole = judge([raw(*records)], CLAIMS, NAMED, 300_000, baseline=baseline)
    rows = Rows()
    outcome = judge_file(File(records, block), CLAIMS, 300_000, baseline, rows)
    assert parts_of(outcome) == parts_of(whole)
    assert rows.of == by_claim(whole)


PLAIN = {"in_bytes": 15_000, "in_packets": 10}
FAST = {"in_bytes": 1_300_000_000, "in_packets": 1_000_000, "first": SECONDS[0], "last": SECONDS[0]}
# of a port of 10 Gb/s, by an exporter that samples nothing
BURST = FAST | {"input_snmp": 502, "export_sysid": 4}
SECOND = PLAIN | {"export_sysid": 2, "ip4_router": EXPORTERS[1]}
LATE = {"ip4_router": EXPORTERS[1], "received": "2026-11-20T18:00:00.000"}
DIVISIBLE = {"sampled": 1, "in_bytes": 15_000_000, "in_packets": 10_000}
ODD = {"sampled": 1, "in_bytes": 15_000_001, "in_packets": 10_001}


@pytest.mark.parametrize(
    ("records", "readings"),
    [
        ([PLAIN, PLAIN], 1),
        ([BURST, BURST], 1),
        ([BURST, PLAIN | {"export_sysid": 4}], 2),  # its clock knows milliseconds after all
        ([{"ip4_router": EXPORTERS[1]}] * 2, 1),
        ([LATE, {"ip4_router": EXPORTERS[1]}], 2),  # its clock is ahead, which the whole file says
        ([{"ip4_router": EXPORTERS[1]}, LATE], 2),
        ([PLAIN, SECOND], 1),  # named in time
        ([SECOND, PLAIN], 2),  # named too late
        ([ODD, ODD], 1),
        ([DIVISIBLE, ODD], 2),  # the doubted factor cannot be taken back after all
        ([FAST | {"sampled": 1, "export_sysid": 4}] * 2, 1),
        # of a rate that nobody names: several packets were sampled after all
        ([FAST | {"sampled": 1, "export_sysid": 4}, FAST | {"sampled": 1, "export_sysid": 4, "in_packets": 70_001}], 2),
    ],
)
def test_a_file_is_read_again_only_where_its_end_contradicts_its_beginning(
    records: list[dict[str, Any]], readings: int
) -> None:
    unnamed = any(record.get("export_sysid") == 4 for record in records)
    baseline = NOTHING_KNOWN if unnamed else USUAL[1]
    file, rows = File(records, 1), Rows()
    outcome = judge_file(file, CLAIMS, 300_000, baseline, rows)
    assert file.readings == readings
    whole = judge([raw(*records)], CLAIMS, NAMED, 300_000, baseline=baseline)
    assert (parts_of(outcome), rows.of) == (parts_of(whole), by_claim(whole))
