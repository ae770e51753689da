"""What is detected is the same whether rows that cannot count are left out before the query or not."""

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from etl.detect.alpha import DetectionRule, alpha_flows
from etl.engines import suspects
from etl.engines.duck import DuckEngine
from etl.engines.suspects import HeavyKeys, suspect_rows
from etl.schema import LAKE_SCHEMA
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


def written(lake: Path, parts: list[list[dict[str, int]]]) -> list[str]:
    """Parts of row groups of three rows; the last part is of before there was a `tos`."""
    names = []
    for number, part in enumerate(parts):
        table = pa.Table.from_pylist(part, LAKE_SCHEMA)
        names.append(f"{number}.parquet")
        is_old = number and number == len(parts) - 1
        pq.write_table(table.drop_columns("tos") if is_old else table, lake / names[-1], row_group_size=3)
    return names


RULES = st.builds(
    DetectionRule,
    threshold_bytes=st.just(THRESHOLD),
    flow_key=st.sampled_from(["five_tuple", "host_pair"]),
    rule=st.sampled_from(["window", "window", "report"]),
    disjoint_exporters=st.booleans(),
)


@examples(1)
@given(st.lists(st.lists(rows(), min_size=1, max_size=8), min_size=1, max_size=3), RULES)
def test_the_same_flows_are_found(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[dict[str, int]]], rule: DetectionRule
) -> None:
    lake = tmp_path_factory.mktemp("lake")
    names = written(lake, parts)
    found = [alpha_flows(engine, lake, names, "r1", DAY, rule) for engine in (ENGINE, WholeDay(threads=2))]
    assert found[0] == found[1]


@pytest.mark.parametrize("kept_rows", [0, 4, 1 << 24])
def test_rows_of_light_keys_are_left_out_and_all_of_heavy_ones_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_rows: int
) -> None:
    monkeypatch.setattr(suspects, "KEPT_ROWS", kept_rows)  # keys of later rows are read again
    light = [BASE | {"src_lo": number, "bytes": 1000, "last_ms": 5} for number in range(2000)]
    heavy = [BASE | {"src_lo": 5000, "bytes": 400_000, "dst_port": port} for port in (1, 1, 1, 2)]
    names = written(tmp_path, [light[:1000] + heavy[:2], light[1000:] + heavy[2:]])
    paths = [tmp_path / name for name in names]
    by_port = suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=True))
    by_hosts = suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=False))
    assert by_port is not None
    assert by_hosts is not None
    assert by_port.schema == LAKE_SCHEMA
    assert by_port["dst_port"].to_pylist() == [1, 1, 1]
    assert by_hosts["dst_port"].to_pylist() == [1, 1, 1, 2]
    assert by_hosts["tos"].to_pylist() == [0, 0, None, None]


def test_a_light_key_in_the_cell_of_a_heavy_one_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspects, "_CELL_BITS", 1)
    rows = [BASE | {"src_lo": number, "bytes": THRESHOLD // 10} for number in range(100)]
    heavy = [BASE | {"src_lo": 7, "bytes": THRESHOLD}] * 2
    paths = [tmp_path / name for name in written(tmp_path, [rows[:50], heavy, rows[50:]])]
    found = suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=True))
    assert found is not None
    assert found["bytes"].to_pylist() == [THRESHOLD // 10, THRESHOLD, THRESHOLD]


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
    monkeypatch.setattr(suspects, "MOST_ROWS", 2)
    assert suspect_rows(paths, HeavyKeys(THRESHOLD, with_ports=True)) is None
