"""Rows that repeat another metering point's, wherever they are stored and however little memory there is."""

import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hntes.etl.errors import LakeError
from hntes.etl.lake.row_groups import PartFile, row_groups
from hntes.etl.measure import repeated_rows
from hntes.etl.measure.interface_load import minute_loads
from hntes.etl.measure.repeated_rows import NotComparableError
from tests.property.test_detection_properties import BEGIN, record
from tests.property.test_minute_sums import BY_SUMS, by_query, lake_of
from tests.support.alpha_definition import Record

DAY = date(2026, 11, 20)
BOUNDS = (BEGIN, BEGIN + 86_400_000)
INGRESS, EGRESS = (0, 1, 0), (0, 1, 1)


def metered(chance: random.Random, flow: int) -> list[Record]:
    """Records of a flow at up to three points, by paths of equal cost, some of which name no egress interface."""
    version, start = chance.choice([4, 6]), BEGIN + chance.randrange(86_000_000)
    return [
        {
            **record(start, 50_000, chance.choice([10, 20, chance.randrange(100)]), (version, 0, 1, flow, 17, exporter,
                                                                                     direction, 1, 1)),
            "output_interface": chance.choice([0, 5, 7]),
        }
        for exporter, direction in chance.sample([(1, 0), (1, 1), (2, 0)], chance.randint(1, 3))
        for _ in range(chance.randint(1, 2))
    ]  # fmt: skip


@pytest.fixture
def flows() -> list[Record]:
    chance = random.Random(7)
    records = [one for flow in range(400) for one in metered(chance, flow)]
    return chance.sample(records, len(records))


@pytest.mark.parametrize("held_bytes", [0, 1 << 17, 1 << 20])
@pytest.mark.parametrize("is_disjoint", [False, True])
def test_few_flows_at_a_time_give_the_same(
    monkeypatch: pytest.MonkeyPatch, flows: list[Record], held_bytes: int, is_disjoint: bool
) -> None:
    monkeypatch.setattr(repeated_rows, "HELD_BYTES", held_bytes)
    with lake_of(flows[:500], flows[500:]) as (lake, names):
        expected = by_query(minute_loads, lake, names, DAY, [], sum_exporters=is_disjoint)
        assert expected.repeated_records > 100
        assert minute_loads(BY_SUMS, lake, names, DAY, [], sum_exporters=is_disjoint) == expected


def groups_of(lake: Path, names: Sequence[str]) -> list[Any]:
    return list(row_groups([PartFile(lake / name, pq.read_metadata(lake / name)) for name in names]))


def test_the_rows_of_the_smaller_reading_are_found_in_all_groups() -> None:
    one = {**record(BEGIN, 10, 60, (4, 0, 1, 1000, 6, 1, 0, 1, 1)), "output_interface": 5}
    alone = {**one, "src_port": 7}
    with lake_of([one, alone], [{**one, "first_ms": BEGIN + 5, "bytes": 50, "direction": 1}], [one]) as (lake, names):
        groups = groups_of(lake, names)
        found = repeated_rows.repeated_rows(lake, groups, {INGRESS, EGRESS}, BOUNDS, True)
        assert [found.of(group).tolist() for group in groups] == [[False, False], [True], [False]]


def test_a_point_that_was_not_named_is_refused() -> None:
    one = record(BEGIN, 10, 60, (4, 0, 1, 1000, 6, 1, 0, 1, 1))
    with lake_of([one]) as (lake, names), pytest.raises(NotComparableError):
        repeated_rows.repeated_rows(lake, groups_of(lake, names), {EGRESS}, BOUNDS, True)


def test_a_part_that_others_wrote_is_refused_by_name(flows: list[Record]) -> None:
    with lake_of(flows) as (lake, (name,)):
        table = pq.read_table(lake / name)
        pq.write_table(table.replace_schema_metadata(pq.read_metadata(lake / name).metadata), lake / name)
        with pytest.raises(LakeError, match="is not written as ingest writes it; remove this part and ingest"):
            minute_loads(BY_SUMS, lake, [name], DAY, [])


def test_a_lake_without_room_is_named(monkeypatch: pytest.MonkeyPatch, flows: list[Record], tmp_path: Path) -> None:
    monkeypatch.setattr(repeated_rows, "HELD_BYTES", 0)
    points = {(0, exporter, direction) for exporter in (1, 2) for direction in (0, 1)}
    # as many as a piece has, so that something is put aside
    with lake_of([flows[0]] * 300) as (lake, names):
        missing = tmp_path / "missing"
        with pytest.raises(LakeError, match=f"{missing}: records of several metering points cannot be put aside"):
            repeated_rows.repeated_rows(missing, groups_of(lake, names), points, BOUNDS, True)
        repeated_rows.repeated_rows(tmp_path, groups_of(lake, names), points, BOUNDS, True)
        assert not list(tmp_path.iterdir())
