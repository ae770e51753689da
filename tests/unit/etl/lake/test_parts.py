"""The lake's parts: whole or absent, equal for equal rows, swept only where they are this folder's."""

import hashlib
import os
import random
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.lake import parts as parts_module
from hntes.etl.lake.part import Part, folder_tag
from hntes.etl.lake.parts import PartWriter, write_table
from hntes.etl.schema import LAKE_SCHEMA
from tests.support.examples import examples

MIDNIGHT = 1_795_219_200_000  # 2026-11-21T00:00:00Z


def rows_of(*changes: dict[str, int]) -> pa.Table:
    return pa.Table.from_pylist([dict.fromkeys(LAKE_SCHEMA.names, 1) | change for change in changes], LAKE_SCHEMA)


def write_parts(
    lake: Path, routers: list[str], rows: pa.Table, owner: list[int], max_parallel: int = 1000
) -> list[Part]:
    """As a file's rows come: some at a time, those of one router together."""
    columns = {name: rows[name].to_numpy() for name in rows.column_names}
    with PartWriter(lake, "stem", routers) as writer:
        for begin in range(0, rows.num_rows, max_parallel):
            for number in range(len(routers)):
                mine = np.flatnonzero(np.array(owner[begin : begin + max_parallel]) == number) + begin
                if mine.size:
                    writer.take(number, {name: values[mine] for name, values in columns.items()})
        return writer.finish()


def files(lake: Path) -> dict[str, str]:
    found = (path for path in lake.rglob("*") if path.is_file())
    return {str(path.relative_to(lake)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def random_rows(seed: int, count: int) -> list[dict[str, int]]:
    chance = random.Random(seed)
    return [
        {
            "first_ms": MIDNIGHT + chance.randrange(-3, 3),
            "last_ms": MIDNIGHT + chance.randrange(-3, 3),
            "src_lo": chance.choice([-(2**63), 0, 5]),
            "bytes": chance.randrange(3),
            "input_interface": chance.randrange(3),
            "record_flags": chance.randrange(8),
        }
        for _ in range(count)
    ]


@examples(0.25)
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 30), st.randoms(use_true_random=False))
def test_the_same_rows_in_any_order_are_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, max_parallel: int, shuffler: random.Random
) -> None:
    rows = [(row, number % 2) for number, row in enumerate(random_rows(seed, count))]
    lakes = [tmp_path_factory.mktemp("lake") for _ in range(2)]
    parts = []
    for lake in lakes:
        owner = [router for _, router in rows]
        parts.append(write_parts(lake, ["r1", "r2"], rows_of(*(row for row, _ in rows)), owner, max_parallel))
        shuffler.shuffle(rows)
    assert parts[0] == parts[1]
    assert files(lakes[0]) == files(lakes[1]) == {part.name: part.sha256 for part in parts[0]}


@pytest.mark.parametrize("max_parallel", [1, 3, 7, 20, 1000])
def test_row_groups_are_cut_by_rows_and_not_by_how_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_parallel: int
) -> None:
    monkeypatch.setattr(parts_module, "ROW_GROUP_ROWS", 7)
    rows = random_rows(3, 40)
    owner = [number % 3 // 2 for number in range(40)]
    whole = write_parts(tmp_path / "whole", ["r1", "r2"], rows_of(*rows), owner)
    assert write_parts(tmp_path / "pieces", ["r1", "r2"], rows_of(*rows), owner, max_parallel) == whole
    assert files(tmp_path / "pieces") == files(tmp_path / "whole") == {part.name: part.sha256 for part in whole}
    for part in whole:
        read = pq.ParquetFile(tmp_path / "whole" / part.name)
        groups = [read.read_row_group(number) for number in range(read.num_row_groups)]
        sizes = [group.num_rows for group in groups]
        assert sizes[:-1] == [7] * (len(sizes) - 1)
        key = ("input_interface", "first_ms", "last_ms")
        keys = [list(zip(*(group[name].to_pylist() for name in key), strict=True)) for group in groups]
        assert keys == [sorted(group) for group in keys]
    assert sum(part.records for part in whole) == 40


def test_parts_that_are_not_finished_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_module, "ROW_GROUP_ROWS", 7)
    columns = {
        name: column.to_numpy() for name, column in zip(LAKE_SCHEMA.names, rows_of(*random_rows(3, 40)), strict=True)
    }
    with PartWriter(tmp_path, "stem", ["r1"]) as writer:
        writer.take(0, columns)
        assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".tmp"] * 2
    assert files(tmp_path) == {}
    with PartWriter(tmp_path, "stem", ["r1"]) as writer:
        writer.take(0, columns)
        writer.begin()
        assert writer.finish() == []
    assert files(tmp_path) == {}


def test_rows_go_to_their_router_and_the_day_of_their_end(tmp_path: Path) -> None:
    ends = [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 86_399_999, MIDNIGHT + 86_400_000, MIDNIGHT]
    rows = rows_of(*({"first_ms": 0, "last_ms": end, "bytes": 10**number} for number, end in enumerate(ends)))
    parts = write_parts(tmp_path, ["r1", "r2", "r3"], rows, [0, 0, 0, 0, 2])
    names = {(part.router, part.day): (part.records, part.bytes) for part in parts}
    assert names == {
        ("r1", date(2026, 11, 20)): (1, 1),
        ("r1", date(2026, 11, 21)): (2, 110),
        ("r1", date(2026, 11, 22)): (1, 1000),
        ("r3", date(2026, 11, 21)): (1, 10_000),
    }
    assert parts[0].name == "flows/router=r1/day=2026-11-20/stem.parquet"
    assert set(files(tmp_path)) == {part.name for part in parts}


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    rows = rows_of(*random_rows(7, 40))
    parts = write_parts(tmp_path, ["r1"], rows, [0] * 40)
    # one file at a time: reading a folder would add its name as columns
    read = pa.concat_tables([pq.ParquetFile(tmp_path / part.name).read() for part in parts])
    assert read.schema == LAKE_SCHEMA
    order = [(name, "ascending") for name in LAKE_SCHEMA.names]
    assert read.sort_by(order) == rows.sort_by(order)


def test_no_rows_are_no_parts(tmp_path: Path) -> None:
    assert write_parts(tmp_path, ["r1"], rows_of(), []) == []
    assert files(tmp_path) == {}


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "flows" / "x.parquet"
    write_table(path, rows_of({}))
    before = path.read_bytes()

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="No space left"):
        write_table(path, rows_of({}, {}))
    assert path.read_bytes() == before


def test_folders_have_tags_of_their_own() -> None:
    assert len({folder_tag(Path(f"/flows/r{number}")) for number in range(1000)}) == 1000
