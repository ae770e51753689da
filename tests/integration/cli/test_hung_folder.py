"""Commands that look at flow folders while one of them hangs: it is named, and the others are read."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.etl.sources import answer
from hntes.workflow import answering_folders
from hntes.workflow.context import opened
from hntes.workflow.reports import readiness
from hntes.workflow.stages import newest_day
from hntes.workflow.stages.newest_day import newest_day_with_files
from hntes.workflow.stages.night_words import without_files_words
from tests.support.dead_server import can_be_dead, dead_server
from tests.support.installation import ROOT, Installation, installation_in

pytestmark = pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")


@pytest.fixture
def hung(tmp_path: Path) -> Path:
    folder = tmp_path / "flows"
    folder.mkdir()
    return folder


@pytest.fixture
def site(tmp_path: Path, hung: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    """Two routers: the folder of the first hangs."""
    found = installation_in(tmp_path / "site", routers=2)
    text = found.settings.read_text(encoding="utf-8")
    found.settings.write_text(text.replace(f'"{ROOT}/demo/flows/r1"', f'"{hung}"'), encoding="utf-8")
    for module in (answer, answering_folders, readiness):
        monkeypatch.setattr(module, "NOTICE_S", 2.0)
    with dead_server(hung):
        yield found


def test_it_has_no_say_in_which_day_is_the_newest(
    site: Installation, hung: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(site.settings) as context:
        assert newest_day_with_files(context, context.chosen([])) == date(2026, 11, 23)
        assert newest_day_with_files(context, context.chosen(["r1"])) is None
    told = f"flow folder {hung}: no answer for 2 s; the newest day is looked for without it"
    assert [record.getMessage() for record in caplog.records] == [told, told]


def test_the_last_words_of_a_night_name_no_other_day_of_it(
    site: Installation, hung: Path, caplog: pytest.LogCaptureFixture
) -> None:
    night = date(2026, 11, 19)
    with opened(site.settings) as context:
        words = without_files_words(context, ("r1", "r2"), night)
    assert words["r1"] == f"no flow file of 2026-11-19 in {hung}; does the collector write there?"
    assert words["r2"].endswith("It has files of 4 days from 2026-11-20 to 2026-11-23: --day 2026-11-23")
    told = f"flow folder {hung}: no answer for 2 s; the days of its files are not named"
    assert [record.getMessage() for record in caplog.records] == [told]


def test_the_check_fails_by_its_name_and_looks_at_the_others(site: Installation, hung: Path) -> None:
    done = site.run("check", expect=1)
    assert f"router r1: junos, flows NOT READABLE: {hung}" in done.stdout
    assert "router r2: 15 flow files, the newest from 2026-11-23 " in done.stdout
    why = f"hntes: router r1: flow folder {hung} has not answered for 2 s; does its file server answer?"
    assert done.stderr.splitlines()[0] == why


def test_the_files_in_the_ledger_are_listed_without_it(site: Installation, hung: Path) -> None:
    site.run("stage", "ingest", "--day", "2026-11-20", "--router", "r2")
    done = site.run("data", "files")
    assert done.stdout.count("nfcapd.20261120") > 1
    assert f"flow folder {hung}: no answer for 2 s; what the ledger has no entry of is not listed" in done.stderr


def test_one_that_hangs_below_its_top_has_no_say_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hung = tmp_path / "flows"
    (hung / "2026").mkdir(parents=True)
    site = installation_in(tmp_path / "site", routers=3, **{f'"{ROOT}/demo/flows/r2"': f'"{hung}"'})
    monkeypatch.setattr(newest_day, "NOTICE_S", 10.0)
    with opened(site.settings) as context, dead_server(hung / "2026"):
        assert newest_day_with_files(context, context.chosen([])) == date(2026, 11, 23)
    told = f"flow folder {hung}: its files were not listed within 10 s; the newest day is looked for without it"
    assert [record.getMessage() for record in caplog.records] == [told]
