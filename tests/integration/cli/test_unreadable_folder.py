"""Commands for all routers while one flow folder cannot be read, or is missing: it fails by name, the others do not."""

import errno
import os
from pathlib import Path

import pytest

from hntes.etl.errors import LakeAwayError
from hntes.workflow.errors import FAILED, FINISHED_WITH_PROBLEMS
from tests.support.installation import ROOT, Installation, demo_installation

DAY = "2026-11-20"
# No file system has it; a stale file handle comes in the same way.
LONG = "x" * 300


def site_with(folder: Path, flows: str) -> Installation:
    """Two routers; the flow folder of the first is another."""
    return demo_installation(folder, routers=2, **{f'"{ROOT}/demo/flows/r1"': f'"{flows}"'})


@pytest.fixture
def unread(tmp_path: Path) -> str:
    return f"{tmp_path}/{LONG}"


@pytest.fixture
def site(tmp_path: Path, unread: str) -> Installation:
    return site_with(tmp_path / "site", unread)


@pytest.fixture
def reason(unread: str) -> str:
    return f"{unread}: this flow folder cannot be read: {os.strerror(errno.ENAMETOOLONG)}; correct `flow_folder`"


def test_a_night_of_the_newest_day(site: Installation, reason: str) -> None:
    done = site.run("nightly", expect=FINISHED_WITH_PROBLEMS)
    assert "day: 2026-11-23, the newest with flow files" in done.stderr
    assert f"hntes: router r1 failed: {reason}" in done.stderr
    assert "r2: gate: passed" in done.stdout


def test_a_backfill(site: Installation, reason: str) -> None:
    done = site.run("data", "backfill", "--from", DAY, "--to", DAY, expect=FINISHED_WITH_PROBLEMS)
    assert reason in done.stderr
    assert "1 change proposed" in done.stdout


def test_the_check(site: Installation, reason: str) -> None:
    done = site.run("check", expect=FAILED)
    assert f"hntes: router r1: {reason}" in done.stderr
    assert "router r2: 15 flow files, the newest from 2026-11-23 " in done.stdout


def test_reading_and_listing_files(site: Installation, reason: str) -> None:
    done = site.run("stage", "ingest", "--day", DAY, expect=FINISHED_WITH_PROBLEMS)
    assert f"hntes: router r1 failed: {reason}" in done.stderr
    assert f"{ROOT}/demo/flows/r2: " in done.stdout
    done = site.run("data", "files")
    assert done.stdout.count("nfcapd.20261120") > 1
    assert reason in done.stderr
    assert "what the ledger has no entry of is not listed" in done.stderr


def test_a_store_that_is_away_is_waited_for_once(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def away(_context: object, folder: Path, *_: object) -> None:
        asked.append(folder.name)
        raise LakeAwayError("the store cannot be reached")

    monkeypatch.setattr("hntes.workflow.stages.ingest.ingest", away)
    done = site.run("stage", "ingest", "--day", DAY, expect=FAILED)
    assert (len(asked), done.stderr) == (1, "hntes: the store cannot be reached\n")


def test_reading_files_beside_a_missing_folder(tmp_path: Path) -> None:
    site = site_with(tmp_path / "site", f"{tmp_path}/none")
    alone = site.run("stage", "ingest", "--day", DAY, "--router", "r1", expect=FAILED)
    said = f"hntes: router r1 failed: {tmp_path}/none: no such flow folder"
    assert said in alone.stderr
    done = site.run("stage", "ingest", "--day", DAY, expect=FINISHED_WITH_PROBLEMS)
    assert said in done.stderr
    assert f"{ROOT}/demo/flows/r2: " in done.stdout
    (report,) = site.json("stage", "ingest", "--day", DAY, expect=FINISHED_WITH_PROBLEMS)
    assert report["folder"] == f"{ROOT}/demo/flows/r2"
