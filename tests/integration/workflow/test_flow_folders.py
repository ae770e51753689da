"""A flow folder that is renamed, moved or copied counts once."""

import errno
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from hntes.etl.ingest.content import Content
from hntes.sql.engine import open_database
from hntes.workflow import answering_folders
from tests.support.dead_server import can_be_dead, dead_server
from tests.support.installation import ROOT, Installation, demo_installation

NIGHT = "2026-11-20"
FAILED = 1


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    """The first night was read and looked at, from a folder of its own."""
    made = demo_installation(tmp_path / "site")
    shutil.copytree(ROOT / "demo" / "flows" / "r1", tmp_path / "flows")
    point_to(made, ROOT / "demo" / "flows" / "r1", tmp_path / "flows")
    made.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    made.run("stage", "detect", "--day", NIGHT, "--router", "r1")
    return made


def point_to(site: Installation, old: Path, new: Path) -> None:
    written = site.settings.read_text()
    assert f'"{old}"' in written
    site.settings.write_text(written.replace(f'"{old}"', f'"{new}"'))


def put_aside(site: Installation) -> set[Path]:
    """Records that were set aside of each file, by day, and as versions before 1.0.0 kept them."""
    stems = {path.name for path in site.lake.glob("flows/**/*.parquet")}
    names = {f"day={NIGHT}/{stem}" for stem in stems} | stems
    (site.lake / "set_aside" / f"day={NIGHT}").mkdir(parents=True, exist_ok=True)
    for name in names:
        (site.lake / "set_aside" / name).touch()
    return {site.lake / "set_aside" / name for name in names}


def seen(site: Installation) -> tuple[list[str], int]:
    """The night's alpha flows and its number of records, after it was read and looked at again."""
    site.run("stage", "detect", "--day", NIGHT, "--router", "r1")
    flows = [f"{flow['flow_id']} {flow['flow_bytes']}" for flow in site.json("flows", "--day", NIGHT)]
    (day,) = site.json("data", "days", "--day", NIGHT, "--router", "r1")
    return flows, day["records"]


def test_a_moved_folder_counts_once_and_is_not_read_again(site: Installation, tmp_path: Path) -> None:
    before = seen(site)
    assert len(before[0]) > 5
    shutil.move(tmp_path / "flows", tmp_path / "moved")
    point_to(site, tmp_path / "flows", tmp_path / "moved")
    done = site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "0 read, 9 unchanged" in done.stdout
    assert f"warning: flow folder {tmp_path / 'moved'}: moved from {tmp_path / 'flows'}" in done.stderr
    assert seen(site) == before
    assert "ledger:" not in site.run("check").stdout


def test_a_moved_folder_whose_files_changed_is_read_again(site: Installation, tmp_path: Path) -> None:
    before = seen(site)
    shutil.move(tmp_path / "flows", tmp_path / "moved")
    files = sorted((tmp_path / "moved").glob(f"nfcapd.{NIGHT.replace('-', '')}*"))
    files[0].write_bytes(files[1].read_bytes())
    point_to(site, tmp_path / "flows", tmp_path / "moved")
    (report,) = site.json("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert (report["unchanged"], report["duplicates"]) == (8, 1)
    assert seen(site) != before


def test_the_folder_of_another_collector_is_not_taken_for_the_moved_one(site: Installation, tmp_path: Path) -> None:
    """The old one is not mounted, and the settings name another router's files of the same names, one empty."""
    empty = tmp_path / "flows" / "nfcapd.202611201835"
    nothing = ["nfdump", "-q", "-r", tmp_path / "flows" / "nfcapd.202611201830", "-w", empty, "proto 253"]
    subprocess.run(nothing, check=True, capture_output=True)
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    shutil.move(tmp_path / "flows", tmp_path / "away")
    (tmp_path / "other").mkdir()
    for name in ("nfcapd.202611201819", "nfcapd.202611201820"):
        shutil.copy(ROOT / "demo" / "flows" / "r2" / name, tmp_path / "other" / name)
        assert (tmp_path / "away" / name).is_file()
    point_to(site, tmp_path / "flows", tmp_path / "other")
    shutil.copy(tmp_path / "away" / empty.name, tmp_path / "other")
    done = site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "moved from" not in done.stderr
    assert f"10 flow files of {tmp_path / 'flows'}, which no router uses" in site.run("check").stdout


def test_a_moved_folder_that_cannot_be_compared_is_left_to_ingest(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> Content:
        raise PermissionError(path)

    shutil.move(tmp_path / "flows", tmp_path / "moved")
    point_to(site, tmp_path / "flows", tmp_path / "moved")
    monkeypatch.setattr("hntes.workflow.stages.flow_folders.content_of", refuse)
    done = site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "9 read" in done.stdout
    assert "moved from" not in done.stderr


def test_nothing_is_asked_of_a_former_folder_that_does_not_answer(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for the attributes of a folder on a dead file server waits for ever."""
    old, status = tmp_path / "flows", os.stat

    def answering(folders: Sequence[Path], _limit_s: float) -> list[Path]:
        return [folder for folder in folders if folder != old]

    def hang(path: Any, *options: Any, **named: Any) -> os.stat_result:
        assert path != old, "this process waits for a dead file server"
        return status(path, *options, **named)

    shutil.move(old, tmp_path / "moved")
    point_to(site, old, tmp_path / "moved")
    monkeypatch.setattr(answering_folders, "answering", answering)
    monkeypatch.setattr(os, "stat", hang)
    done = site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "9 read" in done.stdout
    assert "moved from" not in done.stderr
    assert f"flow folder {old}: no answer for 60 s; it does not count as moved" in done.stderr


@pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")
def test_a_former_folder_that_hangs_holds_up_no_copy_of_it(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "flows"
    shutil.copytree(old, tmp_path / "copied")
    point_to(site, old, tmp_path / "copied")
    monkeypatch.setattr(answering_folders, "NOTICE_S", 1.0)
    with dead_server(old):
        done = site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "9 read" in done.stdout
    assert f"flow folder {old}: no answer for 1 s; it does not count as moved" in done.stderr


def test_a_former_folder_with_another_error_is_not_known_to_be_gone(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, status = tmp_path / "flows", os.stat

    def refuse(path: Any, *options: Any, **named: Any) -> os.stat_result:
        if path == old:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(old))
        return status(path, *options, **named)

    shutil.move(old, tmp_path / "moved")
    point_to(site, old, tmp_path / "moved")
    monkeypatch.setattr(os, "stat", refuse)
    done = site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "9 read" in done.stdout
    assert "moved from" not in done.stderr


def test_a_copied_folder_counts_once_and_the_old_one_is_forgotten(site: Installation, tmp_path: Path) -> None:
    before = seen(site)
    put_aside(site)
    parts = sorted(site.lake.rglob("*.parquet"))
    old = tmp_path / "flows"
    assert "used by router r1" in site.run("data", "forget-folder", "--folder", str(old), expect=FAILED).stderr
    shutil.copytree(old, tmp_path / "copied")
    point_to(site, old, tmp_path / "copied")
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert seen(site) == before
    assert f"9 flow files of {old}, which no router uses" in site.run("check").stdout
    mine = put_aside(site) - {*parts}
    assert len(list(site.lake.rglob("*.parquet"))) == 2 * len(parts)
    done = site.run("data", "forget-folder", "--folder", str(old))
    assert f"forgotten: 9 flow files of {old}, {len(parts)} parts of the lake" in done.stdout
    assert not any(part.exists() for part in parts)
    assert len(mine) > 1
    assert all(part.exists() for part in mine)
    assert seen(site) == before
    assert site.json("audit", "--kind", "forget")[0]["detail"] == f"9 files of {old}"
    assert "not in the ledger" in site.run("data", "forget-folder", "--folder", str(old), expect=FAILED).stderr


def test_what_is_kept_of_a_moved_folder_outlives_the_forgetting_of_the_old_one(
    site: Installation, tmp_path: Path
) -> None:
    """Parts of a moved folder keep their names, which an old folder that comes back gives again."""
    before = seen(site)
    shutil.move(tmp_path / "flows", tmp_path / "moved")
    point_to(site, tmp_path / "flows", tmp_path / "moved")
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    shutil.copytree(tmp_path / "moved", tmp_path / "flows")
    point_to(site, tmp_path / "moved", tmp_path / "flows")
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    point_to(site, tmp_path / "flows", tmp_path / "moved")
    aside = put_aside(site)
    site.run("data", "forget-folder", "--folder", str(tmp_path / "flows"))
    assert seen(site) == before
    assert all(path.exists() for path in aside)
    engine = open_database(site.database_url)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(DISTINCT folder) FROM flow_file")).scalar() == 1
    engine.dispose()
