"""Ingest that is killed, raced, or reads files that vanish and change under it ends as if nothing had happened."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pyarrow.parquet as pq
import pytest

from hntes.etl.ingest import look
from hntes.etl.ingest import run as ingest_module
from hntes.etl.ingest.content import Content, content_of
from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA
from hntes.etl.sources.nfcapd.names import start_ms
from hntes.etl.sources.nfcapd.source import NfcapdSource
from hntes.etl.sources.scan import Scan, Span, scan_folder
from tests.support.flow_folder import Site, make_folder, program, write_flow_file

ROOT = Path(__file__).resolve().parents[2]
A, B, C, D = (f"nfcapd.2026112018{minute}" for minute in ("15", "20", "25", "30"))
SIZES = {A: 10, B: 20, C: 30, D: 40}
RUN = """
import sys
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo
from tests.support.flow_folder import Site
site = Site(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
print("begins", flush=True)
report = site.ingest(workers=int(sys.argv[4]))
print(report.ingested, report.unchanged, flush=True)
"""


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "flows", SIZES)


@pytest.fixture
def site(tmp_path: Path, flows: Path, database_url: str) -> Iterator[Site]:
    made = Site(tmp_path, flows, database_url)
    yield made
    made.database.dispose()


def undisturbed(tmp_path: Path, flows: Path) -> Site:
    # the same folder, since lake and ledger know their flow files by its path
    other = Site(tmp_path / "undisturbed", flows, f"sqlite:///{tmp_path / 'undisturbed.db'}")
    other.ingest()
    return other


def run(site: Site, folder: Path, workers: int = 1) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", RUN, str(folder), str(site.flows), site.url, str(workers)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    return process


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_a_run_that_fails_between_files_is_finished_by_the_next(site: Site, tmp_path: Path, after: int) -> None:
    def fails(done: int, _total: int, _path: str) -> None:
        if done == after:
            raise RuntimeError("the night was cut short")

    with pytest.raises(RuntimeError):
        site.ingest(progress=fails)
    assert len(site.states()) == after
    assert site.stray_files() == set()
    assert site.ingest().ingested == len(SIZES) - after
    assert site.state() == undisturbed(tmp_path, site.flows).state()


@pytest.mark.parametrize("gone", [[B], [A, B, C, D]])
def test_files_whose_part_of_the_lake_is_gone_are_read_again_and_told(
    site: Site, tmp_path: Path, gone: list[str]
) -> None:
    site.ingest()
    lost = [
        part for part in site.parts() if pq.read_metadata(site.lake / part).num_rows in {SIZES[name] for name in gone}
    ]
    assert len(lost) == len(gone)
    for part in lost:
        (site.lake / part).unlink()
    report = site.ingest()
    assert (report.ingested, report.unchanged) == (len(gone), len(SIZES) - len(gone))
    assert any(f"{len(gone)} file" in warning for warning in report.warnings)
    assert site.state() == undisturbed(tmp_path, site.flows).state()


def test_a_run_that_dies_before_the_ledger_knows_leaves_the_old_rows(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.ingest()
    old_parts, old_states = site.parts(), site.entries()
    write_flow_file(site.flows / B, 5)

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ingest_module, "_store", dies)
        with pytest.raises(KeyboardInterrupt):
            site.ingest()
    assert (site.parts(), site.entries()) == (old_parts, old_states)
    assert site.records() == 100
    assert len(site.stray_files()) == 1
    assert site.ingest().removed_leftovers == 1
    assert site.records() == 85
    assert site.state() == undisturbed(tmp_path, site.flows).state()


def test_leftovers_of_a_killed_run_are_swept_and_other_folders_parts_are_not(site: Site) -> None:
    site.ingest()
    wanted = site.state()
    tag, other = folder_tag(site.flows), folder_tag(site.flows.with_name("other"))
    day = site.lake / "flows" / "router=r1" / "day=2026-11-20"
    for name in (f"{tag}-0000-1111.parquet", f".{tag}-0000-1111.parquet.99.tmp", f"{other}-0000-1111.parquet"):
        write_table(day / name, LAKE_SCHEMA.empty_table())
    (site.lake / ".unfinished").mkdir(exist_ok=True)
    (site.lake / ".unfinished" / tag).touch()
    assert site.ingest().removed_leftovers == 2
    assert (day / f"{other}-0000-1111.parquet").exists()
    (day / f"{other}-0000-1111.parquet").unlink()
    assert site.state() == wanted


@pytest.mark.long  # each kill of a whole night is in tests/e2e/test_killed_night.py
def test_a_run_killed_at_random_moments_ends_like_an_undisturbed_one(
    site: Site, tmp_path: Path, chance: Random
) -> None:
    wanted = undisturbed(tmp_path, site.flows).state()
    for _ in range(20):
        with run(site, tmp_path, workers=chance.choice([1, 2])) as process:
            time.sleep(chance.uniform(0, 0.4))
            process.send_signal(signal.SIGKILL)
    site.ingest()
    assert site.state() == wanted
    assert site.stray_files() == set()


@pytest.mark.slow
def test_two_processes_at_one_folder_both_end_well(site: Site, tmp_path: Path) -> None:
    processes = [run(site, tmp_path) for _ in range(2)]
    said = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    # whoever came second found everything done
    assert sorted(text for text, _ in said) == ["0 4\n", "4 0\n"]
    assert site.state() == undisturbed(tmp_path, site.flows).state()


def test_a_file_that_vanishes_before_it_is_read_is_told_and_stops_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan_then_lose(_: NfcapdSource, folder: Path, timezone: str, _span: Span) -> Scan:
        found = scan_folder(folder, partial(start_ms, zone=ZoneInfo(timezone)))
        (folder / B).unlink()
        return found

    monkeypatch.setattr(NfcapdSource, "discover", scan_then_lose)
    report = site.ingest()
    assert report.ingested == 3
    assert report.warnings == [f"{B}: it disappeared before it was read"]
    assert report.set_aside == {}
    assert set(site.states()) == {A, C, D}


def test_a_known_file_that_vanishes_keeps_its_rows(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.ingest()
    shutil.copy(site.flows / B, site.flows / "nfcapd.202611201835")
    site.ingest()

    def scan_then_lose(_: NfcapdSource, folder: Path, timezone: str, _span: Span) -> Scan:
        found = scan_folder(folder, partial(start_ms, zone=ZoneInfo(timezone)))
        (folder / B).unlink()
        return found

    monkeypatch.setattr(NfcapdSource, "discover", scan_then_lose)
    site.ingest()
    assert site.states()[B] == "ingested"
    assert site.states()["nfcapd.202611201835"] == "duplicate"
    assert site.records() == 100


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("harm", ["rm -f {file}", "echo more >> {file}"])
@pytest.mark.parametrize("settled", [False, True])
def test_a_file_that_changes_while_it_is_read_is_left_as_it_was_known(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str, known: bool, settled: bool
) -> None:
    if settled:  # as files are that were not written a moment ago
        monkeypatch.setattr("hntes.etl.ingest.content._SETTLED_NS", -(10**18))
    if known:
        write_flow_file(site.flows / B, 6)
        site.ingest()
        write_flow_file(site.flows / B, 20)
    before = site.entries().get(B)
    # the last of the three calls is the one that lists the records
    after_listing = f'case "$*" in *{B}*-o*) {harm.format(file=site.flows / B)};; esac'
    spoiler = program(tmp_path / "spoiler", '"$REAL" "$@"', "code=$?", after_listing, "exit $code")
    report = site.ingest(nfdump=site.with_program(spoiler))
    assert report.warnings == [f"{B}: it changed or disappeared while it was read; run again"]
    assert site.entries().get(B) == before
    assert site.records() == (86 if known else 80)
    assert site.stray_files() == set()


def forbid(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As a file's mode would for anyone but root, as whom the tests may run."""
    really = content_of

    def refusing(path: Path) -> Content:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return really(path)

    monkeypatch.setattr(look, "content_of", refusing)


def test_a_file_that_may_not_be_read_is_set_aside_and_taken_when_it_may(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        forbid(patch, B)
        for _ in range(2):
            report = site.ingest()
            assert report.set_aside == {B: "the file cannot be opened: Permission denied"}
            assert site.states() == {A: "ingested", B: "quarantined", C: "ingested", D: "ingested"}
    assert site.ingest().ingested == 1
    assert site.records() == 100


def test_a_known_file_that_may_no_longer_be_read_keeps_its_rows(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.ingest()
    before = site.state()
    forbid(monkeypatch, B)
    assert list(site.ingest().set_aside) == [B]
    assert site.state() == before


def test_a_copy_promoted_by_a_killed_run_does_not_count_twice(site: Site) -> None:
    earlier = "nfcapd.202611201700"
    site.ingest()
    shutil.copy(site.flows / A, site.flows / earlier)
    site.ingest()
    write_flow_file(site.flows / A, 3)

    def fails(done: int, _total: int, _path: str) -> None:
        if done == 1:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        site.ingest(progress=fails)
    # the copy is in and its original is not yet replaced: both name one part, which is read once (etl.detect.alpha)
    assert len(site.parts()) == len(set(site.parts())) + 1
    site.ingest()
    assert site.records() == 103
    assert site.stray_files() == set()
