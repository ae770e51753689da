"""The workers that read begin before the database is open where there is enough to read, and only there."""

from datetime import date
from functools import partial
from pathlib import Path

import pytest

from hntes.etl.ingest import readers
from hntes.sql import engine
from hntes.workflow import worker_prefork
from hntes.workflow.context import opened
from hntes.workflow.worker_prefork import begin_readers

SETTINGS = """
{head}
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
interfaces = [
  {{ name = "xe-0/0/0", role = "edge", rate_bps = 10_000_000_000 }},
  {{ name = "xe-0/0/1", role = "core", rate_bps = 10_000_000_000 }},
]
"""
MIB = 1 << 20


class DatabaseOpenedError(Exception):
    """Raised in place of opening the database."""


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by a number for each pool that would begin: of how many workers."""
    pools: list[int] = []
    monkeypatch.setattr(readers, "begin_pool", lambda workers, _modules, _begin: pools.append(workers))
    return pools


def written(folder: Path, head: str = "") -> Path:
    path = folder / "hntes.toml"
    path.write_text(SETTINGS.format(head=head), encoding="utf-8")
    return path


def settings_with_files(folder: Path, sizes: list[int], head: str = "") -> Path:
    for number, size in enumerate(sizes):
        file = folder / "flows" / "2026" / f"nfcapd.2026112000{number:02d}"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as made:
            made.truncate(size)
    return written(folder, head)


@pytest.mark.parametrize(
    ("sizes", "head", "begins"),
    [
        ([40 * MIB, 40 * MIB], "", True),
        ([40 * MIB, 40 * MIB], "[ingest]\nworkers = 1", False),
        ([40 * MIB, 40 * MIB], '[analytics]\nkind = "spark"', False),
        ([80 * MIB], "", False),
        ([MIB] * 10, "", False),
        ([], "", False),
    ],
)
def test_the_workers_begin_where_several_files_are_large_enough(
    tmp_path: Path, begun: list[int], sizes: list[int], head: str, begins: bool
) -> None:
    begin_readers(settings_with_files(tmp_path, sizes, head), None)
    assert begun == [2] * begins


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not TOML",
        "routers = 1",
        'routers = ["r1", {}, { flow_folder = 2 }, { flow_folder = "\\u0000" }, { flow_folder = "missing" }]',
        'routers = [{ flow_folder = "flows" }]\ningest = { workers = "two" }',
        'routers = [{ flow_folder = "flows" }]\ningest = { workers = 1_000_000 }',
        'routers = [{ flow_folder = "flows" }]\ningest = { workers = -1 }',
    ],
)
def test_settings_that_cannot_be_used_begin_nothing(tmp_path: Path, begun: list[int], text: str) -> None:
    path = settings_with_files(tmp_path, [80 * MIB, MIB])
    path.write_text(text, encoding="utf-8")
    begin_readers(path, None)
    assert begun == []


@pytest.mark.parametrize(
    ("day", "likely"), [(None, ["00", "01", "02"]), (date(2026, 11, 20), ["00", "01", "02"]), (date(2026, 11, 19), [])]
)
def test_hashes_are_taken_of_the_days_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: date | None, likely: list[str]
) -> None:
    given: list[Path] = []
    monkeypatch.setattr(readers.LocalReader, "begin", lambda _self, _sizes, likely: given.extend(likely))
    begin_readers(settings_with_files(tmp_path, [40 * MIB] * 3), day)
    assert given == [tmp_path / "flows" / "2026" / f"nfcapd.2026112000{minute}" for minute in likely]


def test_folders_in_folders_are_followed_only_so_far(
    tmp_path: Path, begun: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_prefork, "_LOOKED_AT", 10)
    deep = tmp_path / "flows" / Path(*["a"] * 20)
    path = settings_with_files(tmp_path, [])
    for number in range(2):
        file = deep / f"nfcapd.202611200{number}00"
        deep.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as made:
            made.truncate(80 * MIB)
    begin_readers(path, None)
    assert begun == []
    monkeypatch.setattr(worker_prefork, "_LOOKED_AT", 100)
    begin_readers(path, None)
    assert begun == [2]


def test_settings_that_are_missing_or_no_text_begin_nothing(tmp_path: Path, begun: list[int]) -> None:
    begin_readers(tmp_path / "missing.toml", None)
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    begin_readers(tmp_path / "latin.toml", None)
    assert begun == []


def test_they_begin_before_the_database_is_opened(
    tmp_path: Path, begun: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DatabaseOpenedError

    monkeypatch.setattr(engine, "open_database", refuse)
    settings_with_files(tmp_path, [80 * MIB, MIB])
    begin = partial(begin_readers, day=None)
    with pytest.raises(DatabaseOpenedError), opened(tmp_path / "hntes.toml", ahead=begin):
        pass
    assert begun == [2]
