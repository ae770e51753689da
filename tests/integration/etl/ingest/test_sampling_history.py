"""A sampling factor that an exporter never had is not believed, in however many runs its files are read."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from tests.support.flow_folder import Site, make_folder, program

pytestmark = pytest.mark.second_database_long

A, B, C, D = (f"nfcapd.2026112018{minute}" for minute in ("15", "20", "25", "30"))
SIZES = {A: 10, B: 20, C: 30, D: 40}
EXPORTER = "198.19.252.1"
# as nfdump lists an exporter: C names another rate than the others
LISTING = (
    f"SysID: 1, IP: {EXPORTER}, version: 9, ID: 0, Sequence failures: 0, packets: 1, flows: 1\\n"
    "    Sampler: Generic Sampler: algorithm: 1, packet interval: 1, packet space: %d\\n"
)
CHANGED = {"kept": 70, "set_aside:sampling_changed": 30}


@pytest.fixture
def site(tmp_path: Path, database_url: str) -> Iterator[Site]:
    made = Site(tmp_path, make_folder(tmp_path / "flows", SIZES), database_url)
    yield made
    made.database.dispose()


def telling(site: Site, changed: str = C) -> Nfdump:
    """An nfdump that says that one file's exporter samples 1 in 1000, and 1 in 100 in the others."""
    lines = ('case "$1 $2" in', f'"-E "*{changed}) printf "{LISTING % 999}";;', f'-E*) printf "{LISTING % 99}";;',
             '*) exec "$REAL" "$@";;', "esac")  # fmt: skip
    path = site.lake.with_name("telling")
    return site.with_program(program(path, *lines))


def test_within_one_run_the_files_before_it_count(site: Site) -> None:
    report = site.ingest(nfdump=telling(site))
    assert report.outcomes == CHANGED
    (warning,) = report.warnings
    assert f'exporter = "{EXPORTER}" factor = 1000 allowed_factors = [100]' in warning
    assert site.entries()[C].reason in warning
    assert site.records() == 70
    assert site.stray_files() == set()


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_run_that_was_cut_short_is_finished_the_same(site: Site, tmp_path: Path, after: int) -> None:
    def fails(done: int, _total: int, _path: str) -> None:
        if done == after:
            raise RuntimeError("the night was cut short")

    with pytest.raises(RuntimeError):
        site.ingest(nfdump=telling(site), progress=fails)
    site.ingest(nfdump=telling(site))
    other = Site(tmp_path / "undisturbed", site.flows, f"sqlite:///{tmp_path / 'undisturbed.db'}")
    other.ingest(nfdump=telling(site), workers=2)
    assert site.state() == other.state()
    other.database.dispose()


def test_a_file_that_is_read_again_is_judged_by_those_before_it(site: Site) -> None:
    site.ingest(nfdump=telling(site))
    before = site.state()
    for part in site.parts():
        (site.lake / part).unlink()
    site.ingest(nfdump=telling(site))
    assert site.state() == before


def set_aside(site: Site) -> list[Path]:
    return sorted(path.relative_to(site.lake) for path in (site.lake / "set_aside").rglob("*.parquet"))


def test_what_is_set_aside_is_kept_by_the_day_of_its_file(site: Site) -> None:
    site.ingest(nfdump=telling(site))
    (kept,) = set_aside(site)
    assert kept.parent == Path("set_aside/day=2026-11-20")
    assert pq.read_metadata(site.lake / kept).num_rows == 30


def test_what_a_former_version_set_aside_goes_when_its_file_is_read_again(site: Site) -> None:
    site.ingest(nfdump=telling(site))
    (kept,) = set_aside(site)
    (site.lake / kept).rename(site.lake / "set_aside" / kept.name)
    site.replan(claims=(RouterExporters("r1", sampling={EXPORTER: 100}),))
    report = site.ingest(nfdump=telling(site))
    assert report.ingested == 4
    assert [path.parent for path in set_aside(site)] == [kept.parent]


def test_the_first_file_of_an_exporter_says_what_is_usual(site: Site) -> None:
    report = site.ingest(nfdump=telling(site, changed=A))
    assert report.outcomes == {"kept": 100, "repaired:sampling_factor": 90}
    assert len(report.warnings) == 3


def test_the_settings_make_the_new_factor_believed(site: Site) -> None:
    site.ingest(nfdump=telling(site))
    site.replan(claims=(RouterExporters("r1", sampling={EXPORTER: 1000}, allowed_factors={EXPORTER: (100,)}),))
    report = site.ingest(nfdump=telling(site))
    assert report.outcomes == {"kept": 100}
    assert report.warnings == []
    assert site.records() == 100
    assert not list((site.lake / "set_aside").rglob("*.parquet"))


def test_without_the_former_factor_the_former_files_count_by_the_smaller(site: Site) -> None:
    site.replan(claims=(RouterExporters("r1", sampling={EXPORTER: 1000}),))
    assert site.ingest(nfdump=telling(site)).outcomes == {"kept": 100, "repaired:sampling_factor": 70}
