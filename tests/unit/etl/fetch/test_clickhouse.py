"""Which slots of a table are fetched; tests/long/test_clickhouse.py asks ClickHouse itself."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hntes.etl.fetch.clickhouse import Fetched, Table, TooLarge, fetch
from hntes.etl.fetch.errors import FetchError
from hntes.settings.fetch import ClickHouse

NOON_S, SLOT_S = 1_795_176_000, 300
LATER_S = NOON_S + 86_400


class FakeTable:
    """A table by the moments at which its rows were received; `cut`: so many bytes are missing of an answer."""

    def __init__(self, *received_s: int) -> None:
        self.received_s, self.cut = list(received_s), 0

    def columns(self) -> tuple[str, ...]:
        return ("TimeReceived",)

    def rows_by_slot(self, from_s: int, to_s: int, slot_s: int) -> dict[int, int]:
        found: dict[int, int] = {}
        for each in sorted(self.received_s):
            if from_s <= each < to_s:
                found[each // slot_s * slot_s] = found.get(each // slot_s * slot_s, 0) + 1
        return found

    def parquet(self, columns: Sequence[str], from_s: int, to_s: int) -> Iterator[bytes]:
        assert columns == self.columns()
        answer = BytesIO()
        pq.write_table(pa.table({"TimeReceived": [each for each in self.received_s if from_s <= each < to_s]}), answer)
        yield answer.getvalue()[: len(answer.getvalue()) - self.cut]


@pytest.fixture
def options(tmp_path: Path) -> ClickHouse:
    return ClickHouse(url="http://clickhouse.example.net:8123", folder=tmp_path / "flows", max_rows_per_slot=5)


def _fetch(table: FakeTable, options: ClickHouse, now_s: int = LATER_S) -> Fetched:
    return fetch(cast("Table", table), options, (NOON_S, NOON_S + 601), SLOT_S, now_s)


def _stored(options: ClickHouse) -> dict[str, list[int]]:
    return {
        path.name: pq.read_table(path).column("TimeReceived").to_pylist()
        for path in sorted(options.folder.iterdir())
    }  # fmt: skip


def test_whole_slots_are_fetched_once_and_again_if_rows_came_late(options: ClickHouse) -> None:
    table = FakeTable(NOON_S - 1, NOON_S, NOON_S + 299, NOON_S + 899, NOON_S + 900)
    first, second = "flows-20261120T120000Z.parquet", "flows-20261120T121000Z.parquet"
    assert _fetch(table, options) == Fetched((first, second), 3, 0, ())
    assert _stored(options) == {first: [NOON_S, NOON_S + 299], second: [NOON_S + 899]}
    assert _fetch(table, options) == Fetched((), 0, 2, ())
    table.received_s.append(NOON_S + 5)
    assert _fetch(table, options) == Fetched((first,), 3, 1, ())
    # rows that the table has deleted since stay in the file
    table.received_s.remove(NOON_S)
    assert _fetch(table, options) == Fetched((), 0, 2, ())
    assert len(_stored(options)[first]) == 3


def test_an_answer_that_is_cut_off_leaves_no_file(options: ClickHouse) -> None:
    table = FakeTable(NOON_S)
    table.cut = 3
    with pytest.raises(FetchError, match="no whole Parquet file"):
        _fetch(table, options)
    assert _stored(options) == {}
    table.cut = 0
    assert _fetch(table, options).rows == 1


def test_a_damaged_file_is_fetched_anew(options: ClickHouse) -> None:
    table = FakeTable(NOON_S)
    (name,) = _fetch(table, options).written
    (options.folder / name).write_bytes(b"PAR1")
    assert _fetch(table, options).written == (name,)


def test_a_slot_that_has_not_settled_or_is_too_large_is_not_fetched(options: ClickHouse) -> None:
    table = FakeTable(*[NOON_S] * 6, NOON_S + 300)
    assert _fetch(table, options, NOON_S + 659) == Fetched((), 0, 0, (TooLarge("flows-20261120T120000Z.parquet", 6),))
    assert _fetch(table, options, NOON_S + 660).rows == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://a"}, {"url": "http://user:secret@a"}, {"url": "http://a/?query=x"}, {"table": "a.b"},
        {"table": "a; DROP TABLE a"}, {"database": "`a`"}, {"max_rows_per_slot": 0},
    ],
)  # fmt: skip
def test_settings_that_cannot_be_meant_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        ClickHouse.model_validate({"url": "http://a:8123", "folder": Path("flows")} | wrong)
