"""Workers and one process leave the same lake and ledger."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.flow_folder import Site, make_folder

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


def test_workers_and_one_process_leave_the_same_lake_and_ledger(site: Site, tmp_path: Path) -> None:
    assert site.ingest(workers=2).ingested == len(SIZES)
    assert site.state() == by_one_process(site, tmp_path).state()
    assert site.ingest(workers=2).unchanged == len(SIZES)
    assert site.stray_files() == set()
