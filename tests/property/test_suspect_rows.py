"""What is detected is the same whether rows that cannot count are left out before the query or not."""

from collections import Counter
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.detect.alpha import DetectionRule, alpha_flows
from hntes.etl.engines import prefilter
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.prefilter import HeavyKeys, suspect_rows
from hntes.etl.lake import parts as lake_parts
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.examples import examples

DAY = date(2026, 11, 20)
BEGIN, DAY_MS = 1_795_132_800_000, 86_400_000
THRESHOLD = 1_000_000
ENGINE = DuckEngine(threads=2)
BASE = dict.fromkeys(LAKE_SCHEMA.names, 0) | {"ip_version": 6, "protocol": 6, "sampling_factor": 1, "packets": 1000}


class WholeDay(DuckEngine):
    """Reads all rows."""

    def run(self, query, lake, parts, relations=None, heavy=None):  # type: ignore[no-untyped-def]
        assert heavy is not None or "bytes > " in query
        return super().run(query, lake, parts, relations)


@st.composite
def rows(draw: st.DrawFn) -> dict[str, int]:
    first = BEGIN + draw(st.sampled_from([-120_000, -30_000, 0, 40_000, 59_999, DAY_MS - 60_000, DAY_MS - 1]))
    return BASE | {
        "first_ms": first,
        "last_ms": first + draw(st.sampled_from([0, 1, 30_000, 60_000, 600_000, 2**31 - 1])),
        "src_lo": draw(st.sampled_from([1, 1, 2, -(2**63)])),
        "src_hi": draw(st.sampled_from([0, 0, 0, -1])),
        "dst_lo": draw(st.sampled_from([7, 7, 8])),
        "src_port": draw(st.sampled_from([1000, 1000, 65_535])),
        "bytes": draw(
            st.sampled_from(
                [1, 333_333, 499_999, 500_000, 500_001, 999_999, THRESHOLD, THRESHOLD + 1, 2**50, 2**63 - 1]
            )
        ),
        "exporter_lo": draw(st.integers(1, 2)),
        "direction": draw(st.integers(0, 1)),
        "output_interface": draw(st.integers(1, 2)),
    }


def written(lake: Path, parts: list[list[dict[str, int]]], *, as_ingest: bool = False) -> list[str]:
    """Parts of row groups of three rows, in ingest's encodings or others; the last is of before there was a `tos`."""
    names = []
    for number, part in enumerate(parts):
        table = pa.Table.from_pylist(part, LAKE_SCHEMA)
        names.append(f"{number}.parquet")
        if number and number == len(parts) - 1:
            table = table.drop_columns("tos")
        if as_ingest:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(lake_parts, "ROW_GROUP_ROWS", 3)
                lake_parts.write_table(lake / names[-1], table)
        else:
            pq.write_table(table, lake / names[-1], row_group_size=3)
    return names


RULES = st.builds(
    DetectionRule,
    threshold_bytes=st.just(THRESHOLD),
    flow_key=st.sampled_from(["five_tuple", "host_pair"]),
    rule=st.sampled_from(["window", "window", "report"]),
    disjoint_exporters=st.booleans(),
)


@examples(0.4)
@given(st.lists(st.lists(rows(), min_size=1, max_size=8), min_size=1, max_size=3), RULES, st.booleans())
def test_the_same_flows_are_found(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[list[dict[str, int]]],
    rule: DetectionRule,
    as_ingest: bool,
) -> None:
    lake = tmp_path_factory.mktemp("lake")
    names = written(lake, parts, as_ingest=as_ingest)
    found = [alpha_flows(engine, lake, names, "r1", DAY, rule) for engine in (ENGINE, WholeDay(threads=2))]
    assert found[0] == found[1]


@pytest.mark.parametrize("kept_rows", [0, 4, 1 << 24])
@pytest.mark.parametrize("as_ingest", [False, True])
def test_rows_of_light_keys_are_left_out_and_all_of_heavy_ones_are_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kept_rows: int,
    as_ingest: bool,
) -> None:
    monkeypatch.setattr(prefilter, "KEPT_ROWS", kept_rows)  # keys of later rows are read again
    light = [BASE | {"src_lo": number, "bytes": 1000, "last_ms": 5} for number in range(2000)]
    heavy = [BASE | {"src_lo": 5000, "bytes": 400_000, "dst_port": port} for port in (1, 1, 1, 2)]
    names = written(tmp_path, [light[:1000] + heavy[:2], light[1000:] + heavy[2:]], as_ingest=as_ingest)
    paths = [tmp_path / name for name in names]
    by_port = suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=True))
    by_hosts = suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=False))
    assert by_port is not None
    assert by_hosts is not None
    assert by_port.schema == LAKE_SCHEMA
    assert by_port["dst_port"].to_pylist() == [1, 1, 1]
    assert by_hosts["dst_port"].to_pylist() == [1, 1, 1, 2]
    assert by_hosts["tos"].to_pylist() == [0, 0, None, None]


@st.composite
def any_rows(draw: st.DrawFn) -> dict[str, int]:
    """Any values that the columns may have, some of them often the same."""
    found = {}
    for field in LAKE_SCHEMA:
        bits = field.type.bit_width
        few = st.sampled_from([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))])
        found[field.name] = draw(few | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    return found | {"bytes": draw(st.sampled_from([0, 1, THRESHOLD - 1, THRESHOLD + 1, 2**63 - 1]))}


@examples(1)
@given(st.lists(any_rows(), min_size=1, max_size=40), st.integers(1, 40), st.booleans(), st.booleans())
def test_rows_are_taken_out_as_they_are(
    tmp_path_factory: pytest.TempPathFactory, all_rows: list[dict[str, int]], group: int, by_port: bool, few: bool
) -> None:
    """All rows of heavy keys, with all columns, whatever these hold and however they are encoded."""
    path = tmp_path_factory.mktemp("lake") / "part.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake_parts, "ROW_GROUP_ROWS", group)
        patch.setattr(lake_parts, "_DICTIONARY", ["src_hi", "dst_hi", *(["bytes", "src_lo", "tos", "protocol"] * few)])
        lake_parts.write_table(path, pa.Table.from_pylist(all_rows, LAKE_SCHEMA))
    found = suspect_rows([path], HeavyKeys(THRESHOLD, with_ports=by_port))
    assert found is not None
    key = ("src_hi", "src_lo", "dst_hi", "dst_lo", *(("src_port", "dst_port", "protocol") if by_port else ()))
    sums: Counter[tuple[int, ...]] = Counter()
    for row in all_rows:
        sums[tuple(row[name] for name in key)] += row["bytes"]
    heavy = [row for row in all_rows if sums[tuple(row[name] for name in key)] > THRESHOLD]
    taken = found.to_pylist()
    assert [row for row in taken if row in heavy] == heavy
    rest = iter(all_rows)
    assert all(row in rest for row in taken)  # in their order, and none that was not there


@pytest.mark.usefixtures("without_compiled")
def test_without_the_compiled_search_all_rows_are_left_to_the_engine(tmp_path: Path) -> None:
    names = written(tmp_path, [[BASE | {"bytes": THRESHOLD + 1}]])
    assert suspect_rows([tmp_path / name for name in names], HeavyKeys(THRESHOLD, with_ports=True)) is None


@pytest.fixture
def without_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefilter, "_native", None)


def test_the_largest_counter_neither_hides_its_own_key_nor_a_true_flow_of_it(tmp_path: Path) -> None:
    forged = [BASE | {"src_lo": 1, "bytes": 2**63 - 1}] * 3
    true = [BASE | {"src_lo": 1, "bytes": THRESHOLD + 1}, BASE | {"src_lo": 2, "bytes": THRESHOLD // 2}]
    names = written(tmp_path, [forged, true])
    found = suspect_rows([tmp_path / name for name in names], HeavyKeys(THRESHOLD, with_ports=True))
    assert found is not None
    assert found["bytes"].to_pylist() == [2**63 - 1] * 3 + [THRESHOLD + 1]


def test_what_is_better_left_to_the_engine_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = written(tmp_path, [[BASE | {"bytes": 2**50}] * 3])
    paths = [tmp_path / name for name in names]
    assert suspect_rows(paths, HeavyKeys(2**40, with_ports=True)) is None
    odd = tmp_path / "odd.parquet"
    pq.write_table(pa.table({"src_lo": [1]}), odd)
    assert suspect_rows([*paths, odd], HeavyKeys(THRESHOLD, with_ports=True)) is None
    monkeypatch.setattr(prefilter, "MOST_ROWS", 2)
    assert suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=True)) is None
