"""Files that are certainly new are hashed by the workers that read them, with the same outcome."""

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hntes.etl.ingest import readers
from hntes.etl.ingest.content import Content, content_of
from hntes.etl.ingest.early_hashes import EarlyHashes
from hntes.etl.ingest.readers import LocalReader, ReadTask, run_task
from hntes.etl.ingest.result import ReadFile
from tests.support.flow_folder import Site, make_folder, write_flow_file

A, B, C, D = (f"nfcapd.2026112018{minute}" for minute in ("15", "20", "25", "30"))
SIZES = {A: 10, B: 20, C: 30, D: 40}


@pytest.fixture
def site(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr("hntes.etl.ingest.readers._SMALL_BYTES", 0)
    made = Site(tmp_path, make_folder(tmp_path / "flows", SIZES), database_url)
    yield made
    made.database.dispose()


def by_one_process(site: Site, tmp_path: Path) -> Site:
    """The same folder, since lake and ledger know their flow files by its path."""
    other = Site(tmp_path / "other", site.flows, f"sqlite:///{tmp_path / 'other.db'}")
    other.ingest()
    return other


class Noting(LocalReader):
    """Notes which files come without a hash, and reads in this process."""

    def read(self, tasks: Sequence[ReadTask]) -> Iterator[ReadFile]:
        NOTED.extend(task.path.name for task in tasks if not task.content.sha256)
        return map(run_task, tasks)


NOTED: list[str] = []


@pytest.fixture(autouse=True)
def nothing_noted() -> None:
    NOTED.clear()


def test_workers_and_one_process_leave_the_same_lake_and_ledger(site: Site, tmp_path: Path) -> None:
    assert site.ingest(workers=2).ingested == len(SIZES)
    assert site.state() == by_one_process(site, tmp_path).state()
    assert site.ingest(workers=2).unchanged == len(SIZES)
    assert site.stray_files() == set()


@pytest.mark.parametrize("changed", [False, True])
def test_hashes_that_workers_took_before_leave_the_same(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    monkeypatch.setattr("hntes.etl.ingest.content._SETTLED_NS", -1)
    early = EarlyHashes()
    early.start()
    monkeypatch.setattr(readers, "_early", early)
    with ThreadPoolExecutor(1) as pool:
        early.take(pool, [(site.flows / name, 0) for name in (A, B)])
    if changed:
        write_flow_file(site.flows / B, 25)
    given: list[bool] = []

    def noting(tasks: Sequence[ReadTask], _workers: int, _native: bool) -> Iterator[ReadFile]:
        given.extend(bool(task.content.sha256) for task in tasks)
        return map(run_task, tasks)

    monkeypatch.setattr(readers, "_side_by_side", noting)
    assert site.ingest(workers=2).ingested == len(SIZES)
    assert given == [True, not changed, False, False]
    assert site.state() == by_one_process(site, tmp_path).state()


def test_only_files_that_can_be_no_copy_come_without_a_hash(site: Site, tmp_path: Path) -> None:
    shutil.copy(site.flows / A, site.flows / "nfcapd.202611201900")
    report = site.ingest(reader=Noting(2))
    assert (report.ingested, report.duplicates) == (len(SIZES), 1)
    assert NOTED == [B, C, D]
    assert site.state() == by_one_process(site, tmp_path).state()
    NOTED.clear()
    shutil.copy(site.flows / C, site.flows / "nfcapd.202611201905")
    write_flow_file(site.flows / D, 41)
    write_flow_file(site.flows / "nfcapd.202611201910", 7)
    report = site.ingest(reader=Noting(2))
    assert (report.ingested, report.duplicates, report.unchanged) == (2, 2, 3)
    assert NOTED == ["nfcapd.202611201910"]
    assert site.records() == 10 + 20 + 30 + 41 + 7


@pytest.mark.parametrize("harm", ["grows", "goes"])
def test_a_file_that_changes_before_it_is_hashed_is_left_to_the_next_run(
    site: Site, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    def disturbed(path: Path) -> Content:
        if path.name == B and harm == "grows":
            shutil.copy(site.flows / C, path)  # as long as a file that is read without a hash, too
        elif path.name == B:
            path.unlink()
        return content_of(path)

    with monkeypatch.context() as patch:
        patch.setattr(readers, "content_of", disturbed)
        report = site.ingest(reader=Noting(2))
    assert report.warnings == [f"{B}: it changed or disappeared while it was read; run again"]
    assert site.states() == {A: "ingested", C: "ingested", D: "ingested"}
    assert site.records() == 80
    assert site.stray_files() == set()
    after = site.ingest(workers=2)
    assert (after.duplicates, after.ingested) == (1 if harm == "grows" else 0, 0)
    assert site.records() == 80
