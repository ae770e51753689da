"""Ingest is idempotent by content: what changed is replaced, what is a copy adds nothing, what is gone stays."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.etl.days import day_of_ms
from hntes.etl.detect.completeness import DayRules, settle_day
from hntes.etl.errors import FlowFolderError
from hntes.etl.ingest import leftovers, look
from hntes.etl.ingest.content import content_of
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.lake.part import folder_tag
from hntes.sql.ledger import replace_file
from hntes.sql.session import reading, transaction
from tests.support.flow_folder import Site, make_folder, program, statistics, write_flow_file

pytestmark = pytest.mark.second_database_long

A, B, C, D = (f"nfcapd.2026112018{minute}" for minute in ("15", "20", "25", "30"))
MINUTES_MS = {A: 1_795_198_500_000, B: 1_795_198_800_000, C: 1_795_199_100_000, D: 1_795_199_400_000}


@pytest.fixture
def site(tmp_path: Path, database_url: str) -> Iterator[Site]:
    made = Site(tmp_path, make_folder(tmp_path / "flows", {A: 10, B: 20, C: 30}), database_url)
    yield made
    made.database.dispose()


def test_all_files_are_ingested_once(site: Site) -> None:
    report = site.ingest()
    assert (report.files, report.ingested, report.unchanged, report.duplicates) == (3, 3, 0, 0)
    assert report.outcomes == {"kept": 60}
    assert site.records() == 60
    assert {path: entry.file_start_ms for path, entry in site.entries().items()} == {
        path: moment for path, moment in MINUTES_MS.items() if path != D
    }
    before = site.state()
    again = site.ingest()
    assert (again.ingested, again.unchanged, again.removed_leftovers) == (0, 3, 0)
    assert site.state() == before


def test_a_changed_file_replaces_its_rows(site: Site) -> None:
    site.ingest()
    old_parts = set(site.parts())
    write_flow_file(site.flows / B, 7)
    report = site.ingest()
    assert (report.ingested, report.unchanged) == (1, 2)
    assert site.records() == 47
    assert len(old_parts - set(site.parts())) == 1
    assert site.stray_files() == set()


def test_a_changed_file_that_cannot_be_read_loses_its_old_rows_and_says_so(site: Site) -> None:
    site.ingest()
    (site.flows / B).write_bytes(b"overwritten")
    report = site.ingest()
    assert list(report.set_aside) == [B]
    assert site.records() == 40
    assert site.stray_files() == set()


def test_a_copy_under_another_name_adds_nothing(site: Site) -> None:
    shutil.copy(site.flows / A, site.flows / D)
    report = site.ingest()
    assert (report.ingested, report.duplicates) == (3, 1)
    assert site.states() == {A: "ingested", B: "ingested", C: "ingested", D: "duplicate"}
    assert site.entries()[D].reason == f"same content as {A}"
    assert site.records() == 60


def test_a_later_copy_with_an_earlier_time_adds_nothing_either(site: Site) -> None:
    site.ingest()
    shutil.copy(site.flows / C, site.flows / "nfcapd.202611201700")
    assert site.ingest().duplicates == 1
    assert site.states()[C] == "ingested"
    assert site.records() == 60


@pytest.mark.parametrize("copy", [D, "nfcapd.202611201700"])
def test_a_copy_takes_over_when_its_original_changes(site: Site, copy: str) -> None:
    site.ingest()
    shutil.copy(site.flows / A, site.flows / copy)
    site.ingest()
    write_flow_file(site.flows / A, 3)
    report = site.ingest()
    assert report.ingested == 2
    assert set(site.states().values()) == {"ingested"}
    assert site.records() == 10 + 20 + 30 + 3
    assert site.stray_files() == set()


def test_a_copy_takes_over_though_it_is_out_of_the_time_asked_for(site: Site) -> None:
    shutil.copy(site.flows / A, site.flows / "nfcapd.202611190000")
    site.ingest()
    # the earliest of equals owns the content
    assert site.states()[A] == "duplicate"
    write_flow_file(site.flows / "nfcapd.202611190000", 3)
    site.ingest(from_ms=None, to_ms=MINUTES_MS[A])
    assert site.states()[A] == "ingested"
    assert site.records() == 63


def test_a_run_of_a_time_asks_for_nothing_of_other_times(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed file, and a run that was killed before it: the history of the folder is not read for either."""
    site.ingest()
    for module in (look, leftovers):
        monkeypatch.setattr(module, "files_of_folder", None)
    write_flow_file(site.flows / B, 7)
    mark = site.lake / ".unfinished" / folder_tag(site.flows)
    mark.touch()
    (lying,) = {Path(part).parent for part in site.parts()}
    left = site.lake / lying / f"{folder_tag(site.flows)}-left.parquet"
    left.write_bytes(b"whole")
    report = site.ingest(from_ms=MINUTES_MS[B], to_ms=MINUTES_MS[C])
    assert (report.files, report.ingested, report.removed_leftovers) == (1, 1, 1)
    assert site.records() == 47
    assert site.stray_files() == set()


def test_a_copy_that_a_killed_run_left_without_an_owner_takes_over_whatever_its_time(site: Site) -> None:
    """The run read the changed original again, and was killed before the copy."""
    shutil.copy(site.flows / B, site.flows / D)
    site.ingest()
    write_flow_file(site.flows / B, 7)
    with transaction(site.database) as session:
        changed = replace(site.entries()[B], sha256=content_of(site.flows / B).sha256)
        replace_file(session, changed)
    (site.lake / ".unfinished" / folder_tag(site.flows)).touch()
    site.ingest(from_ms=MINUTES_MS[A], to_ms=MINUTES_MS[B])
    assert site.states()[D] == "ingested"
    assert site.records() == 10 + 20 + 30


def test_a_copy_whose_original_is_deleted_stays_a_copy(site: Site) -> None:
    shutil.copy(site.flows / A, site.flows / D)
    site.ingest()
    (site.flows / A).unlink()
    site.ingest()
    assert site.states()[D] == "duplicate"
    assert site.records() == 60


def test_contents_that_changed_places_are_both_kept(site: Site) -> None:
    site.ingest()
    (site.flows / A).rename(site.flows / "aside")
    (site.flows / B).rename(site.flows / A)
    (site.flows / "aside").rename(site.flows / B)
    site.ingest()
    assert site.records() == 60
    assert site.entries()[A].read_records == 20
    assert site.stray_files() == set()


def test_a_deleted_file_keeps_its_rows(site: Site) -> None:
    site.ingest()
    (site.flows / B).unlink()
    before = site.state()
    report = site.ingest()
    assert (report.files, report.unchanged) == (2, 2)
    assert site.state() == before


def test_an_unreadable_file_in_the_midst_does_not_stop_the_others(site: Site) -> None:
    content = (site.flows / B).read_bytes()
    (site.flows / B).write_bytes(content[: len(content) // 2])
    report = site.ingest()
    assert report.ingested == 2
    assert list(report.set_aside) == [B]
    assert report.set_aside[B]
    assert site.records() == 40
    # it stays told, and it is not read again
    again = site.ingest()
    assert (again.unchanged, again.set_aside) == (3, report.set_aside)
    (site.flows / B).write_bytes(content)
    assert site.ingest().set_aside == {}
    assert site.records() == 60


def test_an_unreadable_file_gets_another_try_with_another_nfdump(site: Site, tmp_path: Path) -> None:
    refuses = program(tmp_path / "old", f'case "$*" in *{B}*) exit 1;; esac', 'exec "$REAL" "$@"')
    assert list(site.ingest(nfdump=site.with_program(refuses)).set_aside) == [B]
    assert site.ingest().unchanged == 3
    newer = site.with_program(site.nfdump.program, version=(1, 7, 99))
    report = site.ingest(nfdump=newer)
    assert (report.ingested, report.unchanged, report.set_aside) == (1, 2, {})


def test_changed_sampling_reads_the_files_anew(site: Site) -> None:
    site.ingest()
    unsampled = site.bytes()
    site.replan(claims=(RouterExporters("r1", sampling={"198.19.252.1": 100}, clock="exporter"),))
    factor = site.ingest()
    assert factor.ingested == 3
    assert site.records() == 60
    # the file's records are marked as multiplied by the collector: a factor in the settings must not do it again
    assert site.bytes() == unsampled
    assert site.stray_files() == set()


def test_changed_claims_move_the_rows_to_their_router(site: Site) -> None:
    site.ingest()
    site.replan(
        claims=(RouterExporters("r1", frozenset({"192.0.2.1"})), RouterExporters("r2", frozenset({"198.19.252.1"})))
    )
    report = site.ingest()
    assert report.outcomes == {"kept": 60}
    assert site.records() == 0
    assert list(site.lake.glob("flows/router=r1/**/*.parquet")) == []
    assert len(list(site.lake.glob("flows/router=r2/**/*.parquet"))) == 3


def test_a_changed_time_zone_changes_the_files_times(site: Site) -> None:
    site.ingest()
    site.replan(timezone="America/New_York")
    site.ingest()
    assert {entry.file_start_ms - MINUTES_MS[path] for path, entry in site.entries().items()} == {5 * 3_600_000}
    assert site.records() == 60


def test_only_the_files_of_the_time_asked_for_are_read(site: Site) -> None:
    report = site.ingest(from_ms=MINUTES_MS[B], to_ms=MINUTES_MS[C])
    assert (report.files, report.ingested) == (1, 1)
    assert list(site.states()) == [B]
    assert site.ingest().ingested == 2


def test_several_workers_leave_what_one_leaves(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hntes.etl.ingest.readers._SMALL_BYTES", 0)
    other = Site(tmp_path / "other", site.flows, f"sqlite:///{tmp_path / 'other.db'}")
    assert site.ingest(workers=3).ingested == other.ingest(workers=1).ingested == 3
    assert site.state() == other.state()


def test_a_missing_folder_is_told_and_changes_nothing(site: Site) -> None:
    site.ingest()
    before = site.state()
    site.flows.rename(site.flows.with_name("moved"))
    with pytest.raises(FlowFolderError, match="flow_folder"):
        site.ingest()
    assert site.state() == before


def test_names_that_are_no_text_stop_nothing(site: Site) -> None:
    folder = os.fsencode(site.flows) + b"/r\xe9seau"
    os.mkdir(folder)  # noqa: PTH102 - a name of bytes
    shutil.copy(site.flows / A, folder + b"/" + D.encode())
    report = site.ingest()
    assert report.ingested == 3
    (path,) = report.set_aside
    assert path == f"r\\xe9seau/{D}"
    assert "not UTF-8" in report.set_aside[path]


def test_what_only_has_a_flow_files_name_is_set_aside_in_ledger_and_report(site: Site, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"root:secret")
    (site.flows / D).symlink_to(tmp_path / "outside")
    (site.flows / "nfcapd.202611201835").symlink_to("nowhere")
    os.mkfifo(site.flows / "nfcapd.202611201840")
    (site.flows / "nfcapd.202611209999").write_bytes(b"")
    report = site.ingest()
    assert (report.ingested, set(report.set_aside)) == (
        3, {D, "nfcapd.202611201835", "nfcapd.202611201840", "nfcapd.202611209999"},
    )  # fmt: skip
    assert "secret" not in str(report.as_dict())
    recorded = {path for path, state in site.states().items() if state == "quarantined"}
    assert recorded == {D, "nfcapd.202611201835", "nfcapd.202611201840"}
    # the same again, and the file itself in the place of the link
    assert site.ingest().set_aside == report.set_aside
    (site.flows / D).unlink()
    write_flow_file(site.flows / D, 5)
    assert site.ingest().ingested == 1


def test_links_in_a_circle_stop_nothing(site: Site) -> None:
    (site.flows / "again").symlink_to(site.flows)
    (site.flows / D).symlink_to(D)
    report = site.ingest()
    assert report.ingested == 3
    (warning,) = report.warnings
    assert warning.startswith("again: a link to a folder, which is not followed")


def test_complaints_with_any_bytes_can_be_stored(site: Site, tmp_path: Path) -> None:
    says = r'case "$*" in *' + B + r'*) printf "bad\000 \033[2J \377 block\n" >&2; exit 1;; esac'
    report = site.ingest(nfdump=site.with_program(program(tmp_path / "loud", says, 'exec "$REAL" "$@"')))
    assert report.ingested == 2
    assert "bad? ?[2J" in site.entries()[B].reason


def test_counters_beyond_any_column_are_set_aside_and_stored(site: Site, tmp_path: Path) -> None:
    times = '"first" : "2026-11-20T18:20:00.006", "last" : "2026-11-20T18:20:00.006"'
    addresses = '"src4_addr" : "10.0.0.1", "dst4_addr" : "10.0.0.2"'
    record = f'{{"type" : "FLOW", {times}, "in_packets" : 1, "in_bytes" : 18446744073709551615, {addresses}}}'
    (tmp_path / "records").write_text(f"{record}\n" * 3)
    # nfdump adds up in 64 bits: three of the largest counter wrap
    promise = statistics(3, 3, 3 * (2**64 - 1) % 2**64)
    lines = ("case $1 in", f'-I) printf "{promise}";;', "-E) echo;;", f"*) cat {tmp_path}/records;;", "esac")
    fake = site.with_program(program(tmp_path / "fake", *lines))
    report = site.ingest(nfdump=fake)
    assert report.outcomes == {"set_aside:absurd_counter": 9}
    assert site.records() == 0


def test_equal_files_without_records_cover_their_own_times(site: Site, tmp_path: Path) -> None:
    lines = ("case $1 in", f'-I) printf "{statistics(0)}";;', "-E) echo;;", '*) echo "No matching flows";;', "esac")
    shutil.copy(site.flows / A, site.flows / B)
    site.ingest(nfdump=site.with_program(program(tmp_path / "fake", *lines)))
    assert site.states() == {A: "ingested", B: "duplicate", C: "ingested"}
    with reading(site.database) as session:
        day = settle_day(session, "r1", site.flows, day_of_ms(MINUTES_MS[A]), DayRules(0.0)).status
    assert (day.covered_s, day.complete) == (900, False)
