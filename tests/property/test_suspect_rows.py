"""All records of flows that carried more than a threshold are suspects, as they are, and few others."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.detect import suspects
from hntes.etl.detect.suspects import suspect_rows
from hntes.etl.lake import parts as lake_parts
from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.examples import examples

THRESHOLD = 1_000_000
BASE = dict.fromkeys(LAKE_SCHEMA.names, 0) | {"ip_version": 6, "protocol": 6, "sampling_factor": 1, "packets": 1000}


def written(lake: Path, parts: list[list[dict[str, int]]]) -> list[Path]:
    """Parts of row groups of three rows; the last is of before there was a `tos`."""
    paths = []
    for number, part in enumerate(parts):
        table = pa.Table.from_pylist(part, LAKE_SCHEMA)
        paths.append(lake / f"{number}.parquet")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lake_parts, "ROW_GROUP_ROWS", 3)
            write_table(paths[-1], table.drop_columns("tos") if number and number == len(parts) - 1 else table)
    return paths


@pytest.mark.parametrize("kept_rows", [0, 4, 1 << 24])
def test_rows_of_light_flows_are_left_out_and_all_of_heavy_ones_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_rows: int
) -> None:
    monkeypatch.setattr(suspects, "KEPT_ROWS", kept_rows)  # later row groups are read again
    light = [BASE | {"src_lo": number, "bytes": 1000, "last_ms": 5} for number in range(2000)]
    heavy = [BASE | {"src_lo": 5000, "bytes": 400_000, "dst_port": port} for port in (1, 1, 1, 2)]
    paths = written(tmp_path, [light[:1000] + heavy[:2], light[1000:] + heavy[2:]])
    by_port = suspect_rows(paths, THRESHOLD, with_ports=True)
    by_hosts = suspect_rows(paths, THRESHOLD, with_ports=False)
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
@given(
    st.lists(any_rows(), min_size=1, max_size=40), st.integers(1, 40), st.booleans(), st.booleans(),
    st.sampled_from([20, 2]),
)  # fmt: skip
def test_rows_are_taken_out_as_they_are(
    tmp_path_factory: pytest.TempPathFactory,
    all_rows: list[dict[str, int]],
    group_rows: int,
    by_port: bool,
    few: bool,
    cell_bits: int,
) -> None:
    """All rows of heavy flows, with all columns, whatever these hold, in any encoding, whichever share a cell."""
    path = tmp_path_factory.mktemp("lake") / "part.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake_parts, "ROW_GROUP_ROWS", group_rows)
        patch.setattr(lake_parts, "_DICTIONARY", ["src_hi", "dst_hi", *(["bytes", "src_lo", "tos", "protocol"] * few)])
        patch.setattr(suspects, "_CELL_BITS", cell_bits)
        write_table(path, pa.Table.from_pylist(all_rows, LAKE_SCHEMA))
        found = suspect_rows([path], THRESHOLD, with_ports=by_port)
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


def test_a_sum_of_exactly_the_threshold_is_not_more(tmp_path: Path) -> None:
    threshold = 2**50
    rows = [BASE | {"src_lo": 1, "bytes": threshold // 2}] * 2 + [BASE | {"src_lo": 2, "bytes": threshold + 1}]
    found = suspect_rows(written(tmp_path, [rows]), threshold, with_ports=True)
    assert found is not None
    assert found["src_lo"].to_pylist() == [2]


def test_the_largest_counter_neither_hides_its_own_flow_nor_makes_others_suspect(tmp_path: Path) -> None:
    forged = [BASE | {"src_lo": 1, "bytes": 2**63 - 1}] * 3
    true = [BASE | {"src_lo": 1, "bytes": THRESHOLD + 1}, BASE | {"src_lo": 2, "bytes": THRESHOLD // 2}]
    found = suspect_rows(written(tmp_path, [forged, true]), THRESHOLD, with_ports=True)
    assert found is not None
    assert found["bytes"].to_pylist() == [2**63 - 1] * 3 + [THRESHOLD + 1]


def test_what_is_better_left_to_the_engine_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = written(tmp_path, [[BASE | {"bytes": 2**50}] * 3])
    assert suspect_rows([*paths, tmp_path / "gone.parquet"], THRESHOLD, with_ports=True) is None
    others, short = tmp_path / "others.parquet", tmp_path / "short.parquet"
    pq.write_table(pa.Table.from_pylist([BASE], LAKE_SCHEMA), others)
    write_table(short, pa.Table.from_pylist([BASE | {"bytes": 2**50}], LAKE_SCHEMA).drop_columns("packets"))
    for path in (others, short):
        assert suspect_rows([*paths, path], THRESHOLD, with_ports=True) is None
    monkeypatch.setattr(suspects, "MOST_ROWS", 2)
    assert suspect_rows(paths, THRESHOLD, with_ports=True) is None
