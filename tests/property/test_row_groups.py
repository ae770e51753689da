"""Columns of a part are read as they are, whatever they hold; what is not written as ingest writes it is refused."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.days import DAY_MS
from hntes.etl.errors import LakeError
from hntes.etl.lake import parts as lake_parts
from hntes.etl.lake.parts import PartWriter
from hntes.etl.lake.row_groups import PartFile, row_groups
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.examples import examples

NEVER_MISSING = [name for name in LAKE_SCHEMA.names if name != "tos"]


@st.composite
def any_rows(draw: st.DrawFn) -> dict[str, int]:
    """Any values that the columns may have, some of them often the same."""
    found = {}
    for field in LAKE_SCHEMA:
        bits = field.type.bit_width
        few = st.sampled_from([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))])
        found[field.name] = draw(few | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    return found


def written(path: Path, rows: list[dict[str, int]], group_rows: int, dictionary: list[str]) -> PartFile:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake_parts, "ROW_GROUP_ROWS", group_rows)
        patch.setattr(lake_parts, "_DICTIONARY", ["src_hi", "dst_hi", *dictionary])
        lake_parts.write_table(path, pa.Table.from_pylist(rows, LAKE_SCHEMA))
    return PartFile(path, pq.read_metadata(path))


@examples(1)
@given(st.lists(any_rows(), min_size=1, max_size=40), st.integers(1, 40), st.booleans(), st.data())
def test_columns_and_rows_are_read_as_they_are(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, int]],
    group_rows: int,
    few: bool,
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("lake") / "part.parquet"
    part = written(path, rows, group_rows, ["bytes", "src_lo", "tos", "protocol"] if few else [])
    begin = 0
    for group in row_groups([part]):
        mine = rows[begin : begin + group.size]
        begin += group.size
        columns = group.columns(NEVER_MISSING)
        assert {name: columns[name].tolist() for name in NEVER_MISSING} == {
            name: [row[name] for row in mine] for name in NEVER_MISSING
        }
        places = sorted(data.draw(st.sets(st.integers(0, group.size - 1))))
        taken = group.rows(np.array(places, np.intp), LAKE_SCHEMA.names)
        assert taken.schema == LAKE_SCHEMA
        assert taken.to_pylist() == [mine[place] for place in places]
        assert group.least_ms == min(row["first_ms"] for row in mine)
    assert begin == len(rows)


@examples(1)
@given(st.lists(any_rows(), min_size=1, max_size=40), st.integers(1, 40))
def test_whatever_ingest_writes_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, int]], group_rows: int
) -> None:
    lake = tmp_path_factory.mktemp("lake")
    one_day = [row | {"last_ms": row["last_ms"] % DAY_MS} for row in rows]
    table = pa.Table.from_pylist(one_day, LAKE_SCHEMA)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake_parts, "ROW_GROUP_ROWS", group_rows)
        with PartWriter(lake, "stem", ["r1"]) as writer:
            writer.take(0, {name: table[name].to_numpy() for name in LAKE_SCHEMA.names})
            (part,) = writer.finish()
    path = lake / part.name
    found: list[dict[str, int]] = []
    for group in row_groups([PartFile(path, pq.read_metadata(path))]):
        found += group.rows(np.arange(group.size), LAKE_SCHEMA.names).to_pylist()
        columns = group.columns(NEVER_MISSING)
        assert {name: columns[name].tolist() for name in NEVER_MISSING} == {
            name: [row[name] for row in found[-group.size :]] for name in NEVER_MISSING
        }
    assert sorted(found, key=repr) == sorted(one_day, key=repr)


ONE = dict.fromkeys(LAKE_SCHEMA.names, 1)


@pytest.mark.parametrize("compression", ["snappy", "zstd"])
def test_a_part_that_others_wrote_is_refused_by_name(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "part.parquet"
    pq.write_table(pa.Table.from_pylist([ONE] * 3, LAKE_SCHEMA), path, compression=compression, data_page_version="2.0")
    (group,) = row_groups([PartFile(path, pq.read_metadata(path))])
    refusal = f"{path}: row group 0 is not written as ingest writes it; remove this part and ingest its file again"
    with pytest.raises(LakeError) as told:
        group.columns(["bytes"])
    assert str(told.value) == refusal
    with pytest.raises(LakeError):
        group.rows(np.array([0]), ["bytes"])
