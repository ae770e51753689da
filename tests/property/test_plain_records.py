"""Records that the decoder calls plain are those that the rules would keep as they are: the judgement is the same."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, ExporterBaseline
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.lake.parts import LakeRows, PartWriter
from hntes.etl.schema import LAKE_SCHEMA
from hntes.etl.sources.nfcapd import native
from hntes.etl.sources.nfcapd.native import NativeBatch, NativeFile
from hntes.etl.sources.source import Exporter
from tests.support.examples import examples
from tests.support.native_reader import columns_of
from tests.support.row_order import row_order
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file

NOON = 1_795_176_000_000
OLDEST = 946_684_800_000
AHEAD_MS = 300_000
ONE, TWO, THREE = 0xC000_0201, 0xC000_0202, 0xC000_0203
MAPPED_ONE, SIX = (0xFFFF << 32) | ONE, 0x2001_0DB8 << 96 | 5
PORTS = PortRates({1: 10**9}, 10**10)
CLAIMS = [
    [RouterExporters("all")],
    [RouterExporters("all", ports=PORTS, sampling={"192.0.2.2": 100})],
    [RouterExporters("all", ports=PORTS, clock="collector")],
    [
        RouterExporters("r1", frozenset({"192.0.2.1"}), ports=PORTS),
        RouterExporters("r2", frozenset({"192.0.2.2"}), clock="collector"),
        RouterExporters("r3", frozenset({"192.0.2.3", "2001:db8::5"}), sampling={"192.0.2.3": 4096}),
    ],
]
USUAL = [
    NOTHING_KNOWN,
    ExporterBaseline({"192.0.2.1": frozenset({100})}, frozenset({"192.0.2.2"})),
    ExporterBaseline({}, frozenset({"192.0.2.1", "192.0.2.2"}), {"192.0.2.1": frozenset({7, 1000})}),
]


def near(*values: int) -> st.SearchStrategy[int]:
    """These values, the first one mostly, and their neighbours."""
    first = st.just(values[0])
    return st.one_of(first, first, st.builds(int.__add__, st.sampled_from(values), st.sampled_from([0, 0, -1, 1])))


@st.composite
def flow_records(draw: st.DrawFn) -> FlowRecord:
    first = max(draw(near(NOON, NOON + 6, OLDEST, 0)), 0)
    last = first + draw(near(30_000, 0, -3_600_000, 2**31 - 1, 86_400_000, 2**32 - 1000))
    packets = draw(near(10, 0, 1_000_000, 2**52 // 20, 2**52, 2**63, 2**64 - 2))
    byte_count = draw(near(15_000, 0, packets * 65_576, 2**52, 2**52 // 100, 3_750_000, 4_139_000_000, 2**64 - 2))
    return FlowRecord(
        first_ms=first,
        last_ms=max(last, 0),
        received_ms=max(draw(near(NOON + 31_000, last - AHEAD_MS, last + 86_400_000, last + 7_200_000, 0)), 0),
        packets=max(min(packets, 2**64 - 1), 0),
        byte_count=max(min(byte_count, 2**64 - 1), 0),
        source=draw(st.sampled_from([0x0A00_0001] * 5 + [0, None])),
        destination=draw(st.sampled_from([0x0A00_0002] * 5 + [0])),
        six=draw(st.sampled_from([None] * 5 + [(SIX, SIX + 1), (0x0A00_0001, 0x0A00_0002), (0xFFFF_0A00_0001, SIX)])),
        input_interface=draw(st.sampled_from([1, 3])),
        direction=draw(st.sampled_from([0, 0, 1, 255])),
        out=draw(st.sampled_from([None] * 5 + [(0, 0), (10, 15_000)])),
        exporter=draw(st.sampled_from([ONE, ONE, TWO, THREE, MAPPED_ONE, SIX, 0])),
        sysid=draw(st.sampled_from([1, 1, 2, 3, 9])),
        flags=draw(st.sampled_from([0, 0, 2, 1])),
        tos=draw(st.sampled_from([0, 184, 255])),
        destination_port=draw(st.sampled_from([443, 65_535])),
        protocol=draw(st.sampled_from([6, 255])),
    )


EXPORTERS = [ExporterRecord(1, ONE, 99), ExporterRecord(2, TWO), ExporterRecord(3, THREE, 999, is_general=False)]


@st.composite
def files(draw: st.DrawFn) -> list[list[FlowRecord | ExporterRecord]]:
    blocks: list[list[FlowRecord | ExporterRecord]] = [
        list(draw(st.lists(flow_records(), min_size=1, max_size=8))) for _ in range(draw(st.integers(1, 4)))
    ]
    for exporter in EXPORTERS:
        draw(st.sampled_from(blocks)).insert(0, exporter)
    return blocks


@dataclass
class Decoded:
    """A file whose plain records the decoder tells."""

    path: Path
    marks_are_lost: bool = False
    plain: int = 0
    _file: NativeFile = field(init=False)

    def __post_init__(self) -> None:
        self._file = NativeFile(self.path)

    def blocks(self) -> Iterator[NativeBatch]:
        self._file = NativeFile(self.path)
        batch = None
        for batch in self._file.batches():
            yield batch
        if batch:
            self.plain = sum(counts.records for counts in batch.groups.counted)

    def exporters(self) -> list[Exporter]:
        return self._file.exporters


class Shown(Decoded):
    """The same file, all of whose records are shown to the rules."""

    def blocks(self) -> Iterator[pa.RecordBatch]:
        self._file = NativeFile(self.path)
        yield from (batch.batch() for batch in self._file.batches())


class Rows:
    """Rows by claim, with the kind of each column."""

    def begin(self) -> None:
        self.of: dict[int, list[tuple[int, ...]]] = {}
        self.kinds: set[tuple[object, ...]] = set()

    def take(self, number: int, taken: LakeRows) -> None:
        rows = taken if isinstance(taken, dict) else columns_of(taken)
        assert list(rows) == LAKE_SCHEMA.names
        self.kinds.add(tuple(values.dtype for values in rows.values()))
        self.of.setdefault(number, []).extend(zip(*(values.tolist() for values in rows.values()), strict=True))


def parts_of(outcome: Outcome) -> tuple[object, ...]:
    return outcome.set_aside.to_pylist(), outcome.counts, outcome.exporters, outcome.evidence, outcome.warnings


@examples(0.5)
@given(files(), st.sampled_from(CLAIMS), st.sampled_from(USUAL), st.sampled_from([1, 5, 1000]))
def test_the_judgement_is_the_same_whether_plain_records_are_shown_to_the_rules_or_not(
    tmp_path_factory: pytest.TempPathFactory,
    blocks: list[list[FlowRecord | ExporterRecord]],
    claims: list[RouterExporters],
    baseline: ExporterBaseline,
    max_parallel: int,
) -> None:
    path = tmp_path_factory.mktemp("file") / "nfcapd.202611201200"
    path.write_bytes(flow_file(blocks))
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_LEAST_RECORDS", max_parallel)
        for file in (Shown(path), Decoded(path)):
            rows = Rows()
            found.append((parts_of(judge_file(file, claims, AHEAD_MS, baseline, rows)), rows.of, rows.kinds))
    assert found[0] == found[1]


def test_usual_records_are_plain(tmp_path: Path) -> None:
    baseline = FlowRecord(NOON, NOON + 30_006, NOON + 31_000, 10, 15_000, flags=2)
    path = tmp_path / "nfcapd.202611201200"
    six = FlowRecord(NOON, NOON, 0, 1, 1500, None, None, (SIX, SIX + 1), flags=2)
    backwards = FlowRecord(NOON + 1, NOON, NOON, 1, 40, flags=2)
    path.write_bytes(flow_file([[*EXPORTERS, baseline, six, backwards, baseline]]))
    file = Decoded(path)
    rows = Rows()
    outcome = judge_file(file, CLAIMS[1], AHEAD_MS, NOTHING_KNOWN, rows)
    assert file.plain == 3
    assert outcome.counts["all", "kept"] == (4, 31_540)
    assert [row[LAKE_SCHEMA.names.index("packets")] for row in rows.of[0]] == [10, 1, 1, 10]


@pytest.mark.parametrize(
    ("lag_ms", "clock", "outcome"),
    [
        (31_000, "collector", None),
        (7_200_123, "collector", "repaired:clock_shift"),
        (-200_000, "collector", "repaired:clock_shift"),
        (8 * 86_400_000, "exporter", "noted:days_old"),
        (8 * 86_400_000, "collector", "repaired:clock_shift"),
    ],
)
def test_records_of_a_wrong_clock_are_plain_and_counted(
    tmp_path: Path, lag_ms: int, clock: Literal["exporter", "collector"], outcome: str | None
) -> None:
    path = tmp_path / "nfcapd.202611201200"
    records = [
        FlowRecord(NOON + number, NOON + 30_006 + number, NOON + 30_006 + lag_ms + 2 * number, 10, 15_000, flags=2)
        for number in range(50)
    ]
    path.write_bytes(flow_file([[*EXPORTERS, *records[:20]], [*records[20:]]]))
    file, rows, shown = Decoded(path), Rows(), Rows()
    claims = [RouterExporters("all", ports=PORTS, clock=clock)]
    found = judge_file(file, claims, AHEAD_MS, NOTHING_KNOWN, rows)
    assert file.plain == 50
    assert found.counts["all", "kept"] == (50, 750_000)
    assert [name for _, name in found.counts if name != "kept"] == ([outcome] if outcome else [])
    if outcome:
        assert found.counts["all", outcome] == (50, 750_000)
    # records are sent 1 ms later each, and 1 in 20 may end after it was received
    moved_ms = lag_ms + 2 if outcome == "repaired:clock_shift" else 0
    ends = [row[LAKE_SCHEMA.names.index("last_ms")] for row in rows.of[0]]
    assert ends == [NOON + 30_006 + number + moved_ms for number in range(50)]
    assert parts_of(judge_file(Shown(path), claims, AHEAD_MS, NOTHING_KNOWN, shown)) == parts_of(found)
    assert shown.of == rows.of


@pytest.mark.parametrize("span_ms", [1, 3, 1000, 1 << 24, 1 << 40, 1 << 62])
@pytest.mark.parametrize("values", [1, 2, 100])
def test_rows_are_sorted_as_compiled_as_they_are_without(tmp_path: Path, span_ms: int, values: int) -> None:
    chance = np.random.default_rng(span_ms % 1000 + values)
    kinds = {one.name: one.type.to_pandas_dtype() for one in LAKE_SCHEMA}
    rows = {name: chance.integers(-values, values, 3000).astype(kind) for name, kind in kinds.items()}
    rows |= {name: chance.integers(0, span_ms, 3000) - 5 for name in ("first_ms",)} | {"last_ms": np.full(3000, 7)}
    order = row_order(rows)
    with PartWriter(tmp_path, "stem", ["r"]) as parts:
        for begin, end in ((0, 1000), (1000, 1001), (1001, 3000)):
            parts.take(0, {name: column[begin:end] for name, column in rows.items()})
        (part,) = parts.finish()
    found = pq.ParquetFile(tmp_path / part.name).read()
    assert found.schema == LAKE_SCHEMA
    for name, column in rows.items():
        assert np.array_equal(found[name].to_numpy(), column[order]), name
