"""A lake on a shared file system: the bytes of a folder, whole or absent, with its locks on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.etl.errors import LakeError
from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.parts import write_part
from hntes.etl.lake.store import store_of
from hntes.etl.lake.url import LakeUrl
from tests.support.flow_folder import Site, make_folder, write_flow_file
from tests.support.lake_parts import as_written, named
from tests.support.synthetic_flows import part

A, B = "nfcapd.202611201815", "nfcapd.202611201820"


class UrlSite(Site):
    """A site whose lake is named by URL, though it lies in a folder, where the tests can look."""

    @property
    def by_url(self) -> LakeUrl:
        return LakeUrl(f"file://{self.lake}", self.lake.parent / "state")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[UrlSite]:
    flows = make_folder(tmp_path / "flows", {A: 10, B: 20})
    made = UrlSite(tmp_path / "url", flows, f"sqlite:///{tmp_path}/url.db")
    yield made
    made.database.dispose()


def ingest(site: UrlSite) -> None:
    """As Site.ingest does, into the lake by URL."""
    folder, site.lake = site.lake, site.by_url  # type: ignore[assignment]
    try:
        site.ingest()
    finally:
        site.lake = folder


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.parquet")}


def test_a_table_is_written_as_into_a_folder(tmp_path: Path) -> None:
    table = part(seed=1, number=0, rows=1000)
    write_part(tmp_path / "a", "flows/x.parquet", table)
    lake = LakeUrl(f"file://{tmp_path}/b", tmp_path)
    write_part(lake, "flows/x.parquet", table)
    assert store_of(lake).missing(["flows/x.parquet", "flows/y.parquet"]) == {"flows/y.parquet"}
    assert files(tmp_path / "a") == files(tmp_path / "b")
    write_part(lake, "flows/x.parquet", table)
    assert [path.name for path in (tmp_path / "b" / "flows").iterdir()] == ["x.parquet"]


def test_what_fails_half_way_is_not_there(tmp_path: Path) -> None:
    lake = LakeUrl(f"file://{tmp_path}", tmp_path)

    def write_half() -> None:
        with store_of(lake).writing("flows/x.parquet") as stream:
            stream.write(b"half")
            raise RuntimeError("no space left")

    with pytest.raises(RuntimeError):
        write_half()
    assert list((tmp_path / "flows").iterdir()) == []


def test_ingest_gives_the_parts_that_a_folder_gets(site: UrlSite, tmp_path: Path) -> None:
    ingest(site)
    plain = Site(tmp_path / "plain", site.flows, f"sqlite:///{tmp_path}/plain.db")
    plain.ingest()
    plain.database.dispose()
    assert files(site.lake) == files(plain.lake)
    assert site.records() == 30
    assert store_of(site.by_url).state == site.lake.parent / "state"
    assert {path.name for path in site.lake.iterdir()} == {"flows"}


def test_what_a_changed_file_or_a_killed_run_left_is_removed(site: UrlSite) -> None:
    ingest(site)
    old = set(site.parts())
    write_flow_file(site.flows / B, 7)
    stem = Path(next(iter(old))).name
    unfinished = site.lake / Path(next(iter(old))).with_name(f".{stem}.0123.tmp")
    unfinished.write_bytes(b"half")
    foreign = site.lake / "flows" / "another-folders.parquet"
    foreign.write_bytes(b"whole")
    (store_of(site.by_url).state / ".unfinished" / folder_tag(site.flows)).touch()
    ingest(site)
    assert site.records() == 17
    assert not unfinished.exists()
    assert foreign.exists()
    foreign.unlink()
    assert site.stray_files() == set()


def test_parts_are_copied_for_the_time_of_the_work(site: UrlSite) -> None:
    ingest(site)
    parts = as_written(site.lake, site.parts())
    with store_of(site.by_url).nearby([*parts, parts[0]]) as folder:
        assert folder != site.lake
        assert files(folder) == files(site.lake)
    assert not folder.exists()
    with store_of(site.lake).nearby(parts) as folder:
        assert folder == site.lake


def test_a_part_that_is_gone_is_told(site: UrlSite) -> None:
    gone = pytest.raises(LakeError, match=r"gone\.parquet: the ledger names this part but it is gone")
    with gone, store_of(site.by_url).nearby([named("flows/gone.parquet")]):
        pass


def test_a_file_system_that_cannot_be_opened_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    with pytest.raises(LakeError, match=r"hdfs://nowhere:1: .* cannot be opened: .*libhdfs"):
        store_of(LakeUrl("hdfs://nowhere:1/lake", tmp_path)).missing(["flows/x"])
