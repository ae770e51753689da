"""Loads from the sums that parts keep: those of the definition, and of the query over all records, to the byte."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake import minute_sums, parts
from hntes.etl.lake.minute_sums import ADDED, SUMS_SCHEMA, MinuteSums, PartSums, footer_entries, sums_in
from hntes.etl.lake.parts import PartWriter
from hntes.etl.measure import alpha_rows, interface_load
from hntes.etl.measure.interface_load import measure_day, minute_loads
from hntes.etl.schema import LAKE_SCHEMA
from tests.property.test_detection_properties import BEGIN, END, record
from tests.property.test_load_properties import check, metered, minutes_around, pairs
from tests.support.alpha_definition import Record
from tests.support.examples import examples
from tests.support.load_definition import loads
from tests.support.plain_minute_sums import PlainMinuteSums

T = TypeVar("T")

DAY = date(2026, 11, 20)
TYPES = {field.name: field.type.to_pandas_dtype() for field in LAKE_SCHEMA}


class BySums(DuckEngine):
    """Refuses to read parts."""

    def run(self, query: str, lake: Any, parts: Sequence[str], *more: Any, **named: Any) -> pa.Table:
        assert not parts
        return super().run(query, lake, parts, *more, **named)


def by_query(work: Callable[..., T], *args: Any, **named: Any) -> T:
    """What the work gives where nothing is added up beside the query."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interface_load, "loads_by_sums", lambda *_: None)
        return work(DuckEngine(threads=2), *args, **named)


BY_SUMS = BySums(threads=2)


def columns(records: Sequence[Record]) -> dict[str, np.ndarray]:
    return {name: np.array([one[name] for one in records], kind) for name, kind in TYPES.items()}


@contextmanager
def lake_of(*files: Sequence[Record]) -> Iterator[tuple[Path, list[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, records in enumerate(files):
            with PartWriter(Path(folder), f"{number}", ["r1"]) as writer:
                for one in records:
                    writer.take(0, columns([one]))
                names += [part.name for part in writer.finish()]
        yield Path(folder), names


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of three rows, of which few are looked at or handed over at a time."""
    monkeypatch.setattr(parts, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(alpha_rows, "BATCH_ROWS", 4)
    monkeypatch.setattr(alpha_rows, "MOST_ROWS", 2)


def cut(records: list[Record], numbers: list[int]) -> list[list[Record]]:
    files = [[one for one, number in zip(records, numbers, strict=False) if number == file] for file in range(3)]
    return [file for file in files if file]


moments = st.sampled_from([BEGIN, BEGIN + 43_200_000, END]).flatmap(minutes_around)
file_numbers = st.lists(st.integers(0, 2), min_size=8, max_size=8)
ALLOWED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.usefixtures("small_pieces")
@settings(examples(0.4), suppress_health_check=ALLOWED)
@given(moments, pairs(), file_numbers, st.booleans())
def test_the_load_by_sums_is_its_definition_and_what_the_query_gives(
    records: list[Record],
    rules: list[tuple[Network, Network]],
    numbers: list[int],
    disjoint: bool,
) -> None:
    expected = loads(records, rules, BEGIN, END, disjoint)
    with lake_of(*cut(records, numbers)) as (lake, names):
        found = minute_loads(BY_SUMS, lake, names, DAY, rules, in_force=rules[1:], sum_exporters=disjoint)
        in_full = by_query(minute_loads, lake, names, DAY, rules, in_force=rules[1:], sum_exporters=disjoint)
        assert found == in_full
    event(f"alpha: {any(key[2] for key in expected.bytes)}, repeats: {expected.repeated_bytes > 0}")
    check(found, expected)


@pytest.mark.usefixtures("small_pieces")
@settings(examples(0.2), suppress_health_check=ALLOWED)
@given(moments, pairs(), file_numbers, st.lists(st.sampled_from([0, 1, 100]), min_size=8, max_size=8))
def test_the_stored_load_is_the_same_with_samples_several_points_and_parts_without_sums(
    records: list[Record],
    rules: list[tuple[Network, Network]],
    numbers: list[int],
    factors: list[int],
) -> None:
    sampled = [{**one, "sampling_factor": factor} for one, factor in zip(records, factors, strict=False)]
    files = cut(sampled, numbers)
    with lake_of(*files) as (lake, names):
        queried = by_query(measure_day, lake, names, "r1", DAY, rules)
        assert measure_day(DuckEngine(threads=2), lake, names, "r1", DAY, rules) == queried
        pq.write_table(pq.read_table(lake / names[0]).replace_schema_metadata(None), lake / names[0])
        assert sums_in(pq.read_metadata(lake / names[0]).metadata) is None
        assert measure_day(DuckEngine(threads=2), lake, names, "r1", DAY, rules) == queried


def added(*blocks: Mapping[str, np.ndarray]) -> PartSums | None:
    sums = MinuteSums()
    for block in blocks:
        sums.add(block)
    return sums.finish()


Plain = tuple[list[tuple[int, ...]], list[tuple[int, int, int]]]


def added_plainly(*blocks: Mapping[str, np.ndarray], pieces: int = 1 << 18) -> Plain | None:
    sums = PlainMinuteSums(minute_sums.MOST_GROUPS, minute_sums.MOST_POINTS, pieces)
    for block in blocks:
        sums.add([np.ascontiguousarray(block[name], np.int64) for name in ADDED])
    return sums.finish()


def as_plain(sums: PartSums | None) -> Plain | None:
    if sums is None:
        return None
    columns = (sums.groups[name].to_pylist() for name in SUMS_SCHEMA.names)
    return [tuple(map(int, row)) for row in zip(*columns, strict=True)], sorted(sums.points)


long_ones = st.builds(
    lambda first, lasts, byte_count, packets, flow, way: {
        **record(BEGIN + first, lasts, byte_count, flow), "packets": packets, "output_interface": way[0],
        "sampling_factor": way[1],
    },
    st.integers(-86_400_000, 86_400_000), st.one_of(st.integers(0, 200_000), st.integers(0, 25 * 3_600_000)),
    st.integers(0, 1 << 52), st.integers(0, 1 << 52), metered(), st.tuples(st.sampled_from([0, 5]), st.integers(0, 1)),
)  # fmt: skip


@settings(examples(2), suppress_health_check=ALLOWED)
@given(st.lists(long_ones, min_size=1, max_size=6), st.integers(0, 6), st.integers(1, 50))
def test_sums_are_those_of_numpy_however_rows_are_cut_and_stored(
    records: list[Record], place: int, pieces: int
) -> None:
    block = columns(records)
    compiled = added(block)
    assert added_plainly(block, pieces=pieces) == as_plain(compiled)
    assert added(*({name: values[at] for name, values in block.items()} for at in (slice(place), slice(place, None))))\
        == compiled  # fmt: skip
    assert compiled is not None
    assert sums_in({key.encode(): value.encode() for key, value in footer_entries(compiled).items()}) == compiled
    for name in ("bytes", "packets"):
        assert sum(compiled.groups[name].to_pylist()) == sum(one[name] for one in records)


ONE = record(BEGIN, 10, 5, (4, 0, 1, 1000, 6, 1, 0, 1, 1))


@pytest.mark.parametrize(
    "odd",
    [
        {"last_ms": BEGIN - 1}, {"last_ms": BEGIN + 25 * 3_600_000 + 1}, {"bytes": (1 << 52) + 1},
        {"packets": (1 << 52) + 1}, {"first_ms": -(1 << 63), "last_ms": (1 << 63) - 1},
    ],
)  # fmt: skip
def test_rows_that_no_sum_should_hold_leave_none(odd: dict[str, int]) -> None:
    assert added(columns([ONE])) is not None
    assert added(columns([ONE, {**ONE, **odd}])) is None
    assert added_plainly(columns([ONE, {**ONE, **odd}])) is None
    assert footer_entries(None) == {}


def test_very_many_groups_or_points_leave_no_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minute_sums, "MOST_GROUPS", 3)
    monkeypatch.setattr(minute_sums, "MOST_POINTS", 2)
    for name, most in (("output_interface", 3), ("exporter_lo", 2)):
        for sums in (added, added_plainly):
            assert sums(columns([{**ONE, name: number} for number in range(most)])) is not None
            assert sums(columns([{**ONE, name: number} for number in range(most + 1)])) is None


def test_starts_that_are_too_scattered_are_left_to_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alpha_rows, "BATCH_ROWS", 1)
    monkeypatch.setattr(alpha_rows, "MOST_WAITING_ROWS", 2)
    files = [[{**ONE, "first_ms": BEGIN + 5}, {**ONE, "first_ms": BEGIN + 6 + number}] for number in range(4)]
    with lake_of(*files) as (lake, names):
        expected = by_query(minute_loads, lake, names, DAY, [])
        with pytest.raises(AssertionError):
            minute_loads(BY_SUMS, lake, names, DAY, [])
        assert minute_loads(DuckEngine(threads=2), lake, names, DAY, []) == expected
