"""The newest day with flow files, while a folder hangs."""

import logging
from datetime import date
from pathlib import Path

import pytest

from hntes.workflow import newest_day
from hntes.workflow.context import opened
from hntes.workflow.newest_day import newest_day_with_files
from tests.support.dead_server import can_be_dead, dead_server
from tests.support.installation import ROOT, installation_in


@pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")
def test_a_folder_that_hangs_has_no_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    site = installation_in(tmp_path / "site", routers=2)
    hung = tmp_path / "flows"
    hung.mkdir()
    text = site.settings.read_text(encoding="utf-8")
    site.settings.write_text(text.replace(f'"{ROOT}/demo/flows/r1"', f'"{hung}"'), encoding="utf-8")
    monkeypatch.setattr(newest_day, "NOTICE_S", 2.0)
    with opened(site.settings) as context, caplog.at_level(logging.WARNING), dead_server(hung):
        assert newest_day_with_files(context, context.chosen([])) == date(2026, 11, 23)
        assert newest_day_with_files(context, context.chosen(["r1"])) is None
    told = f"flow folder {hung}: no answer for 2 s; the newest day is looked for without it"
    assert [record.getMessage() for record in caplog.records] == [told, told]
