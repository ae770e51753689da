"""What is detected is the same whatever cells are summed over, by the query or before it."""

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.detect import alpha
from hntes.etl.detect.alpha import AlphaFlows, DetectionRule, alpha_flows
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake import parts as lake_parts
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.examples import examples

DAY = date(2026, 11, 20)
BEGIN, DAY_MS = 1_795_132_800_000, 86_400_000
THRESHOLD = 1_000_000
ENGINE = DuckEngine(threads=2)
BASE = dict.fromkeys(LAKE_SCHEMA.names, 0) | {"ip_version": 6, "protocol": 6, "sampling_factor": 1, "packets": 1000}


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
    sum_exporters=st.booleans(),
)


def queried(cells: int, seed: int, lake: Path, names: list[str], rule: DetectionRule) -> AlphaFlows:
    """By the query over all records; with one cell all of them go through its exact steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alpha, "suspect_rows", lambda *_, **__: None)
        patch.setattr(alpha, "_CELLS", cells)
        patch.setattr(alpha, "randbits", lambda _: seed)
        return alpha_flows(ENGINE, lake, names, "r1", DAY, rule)


@examples(0.4)
@given(
    st.lists(st.lists(rows(), min_size=1, max_size=8), min_size=1, max_size=3), RULES, st.booleans(),
    st.sampled_from([2, 4, 4096, 1 << 20]), st.integers(0, 2**62 - 1),
)  # fmt: skip
def test_the_same_flows_are_found(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[list[dict[str, int]]],
    rule: DetectionRule,
    as_ingest: bool,
    cells: int,
    seed: int,
) -> None:
    lake = tmp_path_factory.mktemp("lake")
    names = written(lake, parts, as_ingest=as_ingest)
    wanted = queried(1, 0, lake, names, rule)
    assert queried(cells, seed, lake, names, rule) == wanted
    assert alpha_flows(ENGINE, lake, names, "r1", DAY, rule) == wanted


@pytest.mark.parametrize("is_queried", [False, True])
def test_the_largest_counter_neither_hides_its_own_flow_nor_another(tmp_path: Path, is_queried: bool) -> None:
    times = {"first_ms": BEGIN, "last_ms": BEGIN + 1000}
    forged = [BASE | times | {"src_lo": 1, "bytes": 2**63 - 1}] * 3
    true = [BASE | times | {"src_lo": 1, "bytes": THRESHOLD + 1}, BASE | times | {"src_lo": 2, "bytes": THRESHOLD + 1}]
    names = written(tmp_path, [forged, true], as_ingest=True)
    rule = DetectionRule(THRESHOLD)
    if is_queried:
        found = queried(4096, 1, tmp_path, names, rule)
    else:
        found = alpha_flows(ENGINE, tmp_path, names, "r1", DAY, rule)
    assert [one.source for one in found.observations] == ["::1", "::2"]
