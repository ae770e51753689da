"""DuckDB keeps to the memory, the disk and the time that the settings give it, and says what to raise."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.etl.engines.duck import DuckEngine
from hntes.etl.errors import QueryLimitError

# some 800 MB of distinct numbers have to be held at once
LARGE = "select count(*) as n from (select distinct i * 7919 % 100000007 as k from range(50000000) as t(i))"
ENDLESS = "select count(*) as n from range(4000000) as a(i) cross join range(4000000) as b(j) where (i * j) % 7 = 3"


def test_a_query_that_outgrows_memory_and_disk_is_refused_with_the_keys_to_raise(tmp_path: Path) -> None:
    engine = DuckEngine(threads=1, memory_mib=100, temporary_mib=10)
    with pytest.raises(QueryLimitError, match=r"100 MiB of memory and 10 MiB of disk.*analytics\.duckdb"):
        engine.run(LARGE, tmp_path, [])
    assert list(tmp_path.iterdir()) == []


def test_a_query_that_outgrows_its_memory_alone_works_on_the_disk(tmp_path: Path) -> None:
    small = LARGE.replace("50000000", "8000000")
    found = DuckEngine(threads=1, memory_mib=100, temporary_mib=4000).run(small, tmp_path, [])
    assert found.to_pylist() == [{"n": 8_000_000}]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timeout(60)
def test_a_query_without_end_is_ended(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(QueryLimitError, match=r"more than 1 s and was cancelled.*analytics\.query_limit_s"):
        DuckEngine(threads=1, limit_s=1.0).run(ENDLESS, tmp_path, [])
    assert time.monotonic() - begun < 30


def test_what_a_killed_query_left_goes_after_two_days(tmp_path: Path) -> None:
    young, old = tmp_path / ".query-0123", tmp_path / ".query-4567"
    for folder, days in ((young, 1), (old, 3)):
        folder.mkdir()
        os.utime(folder, (time.time() - days * 86_400,) * 2)
    DuckEngine().run("select 1 as one", tmp_path, [])
    assert list(tmp_path.iterdir()) == [young]


def test_a_query_of_another_process_may_end_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, listed = tmp_path / ".query-0123", Path.glob

    def ends_once_seen(path: Path, pattern: str) -> Iterator[Path]:
        for found in listed(path, pattern):
            found.rmdir()
            yield found

    folder.mkdir()
    monkeypatch.setattr(Path, "glob", ends_once_seen)
    assert DuckEngine().run("select 1 as one", tmp_path, []).to_pylist() == [{"one": 1}]
    assert not folder.exists()


def test_a_lake_whose_path_has_a_quote_is_read(tmp_path: Path) -> None:
    lake = tmp_path / "o'lake"
    lake.mkdir()
    assert DuckEngine().run("select 1 as one", lake, []).to_pylist() == [{"one": 1}]
