"""A part of the lake that is not what was written makes no rule: it is refused by name until its file is read again."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hntes.workflow.errors import FAILED
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights


def with_a_row(path: Path) -> None:
    table = pq.read_table(path)
    forged = table.slice(0, 1).to_pylist()[0] | {"src_lo": 0x6440_0707, "bytes": 5_000_000_000, "packets": 4_000_000}
    more = pa.Table.from_pylist([forged], schema=table.schema)
    pq.write_table(pa.concat_tables([table, more]), path)


def with_other_bytes(path: Path) -> None:
    table = pq.read_table(path)
    column = table.schema.get_field_index("bytes")
    other = pa.array([9_000_000_000, *table["bytes"].to_pylist()[1:]], pa.int64())
    pq.write_table(table.set_column(column, table.schema.field(column), other), path)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize("edit", [with_a_row, with_other_bytes, cut_off])
def test_an_edited_part_is_refused_until_its_file_is_read_again(
    tmp_path: Path, prepared_nights: PreparedNights, edit: Callable[[Path], None]
) -> None:
    site: Installation = prepared_nights.site(tmp_path / "site", router="r1")
    found = site.json("flows", "--day", NIGHT)
    part = min(site.lake.glob(f"flows/**/day={NIGHT}/*.parquet"))
    edit(part)
    for stage in ("detect", "measure"):
        refused = site.run("stage", stage, "--day", NIGHT, "--router", "r1", expect=FAILED)
        assert part.name in refused.stderr
        assert "was damaged or edited" in refused.stderr
        assert f"hntes stage ingest --day {NIGHT}" in refused.stderr
    assert site.json("flows", "--day", NIGHT) == found
    part.unlink()
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    for stage in ("detect", "measure"):
        site.run("stage", stage, "--day", NIGHT, "--router", "r1")
    assert site.json("flows", "--day", NIGHT) == found
