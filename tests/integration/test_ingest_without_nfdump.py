"""A machine without nfdump: the native reader alone reads what it can, and the rest is tried again later."""

import shutil
from pathlib import Path

from tests.support.installation import ROOT, Installation, demo_installation

FLOWS = ROOT / "demo" / "flows" / "r1"


def site_of(folder: Path, nfdump: str) -> Installation:
    return demo_installation(folder, **{"[ingest]": f'[ingest]\nnfdump = "{nfdump}"'})


def test_a_night_needs_no_nfdump(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "with")
    without = site_of(tmp_path / "without", str(tmp_path / "nowhere"))
    said = without.run("check").stdout
    assert f"{tmp_path / 'nowhere'} is not installed: files that the native reader refuses are set aside" in said
    for each in (site, without):
        each.run("nightly", "--day", "2026-11-20", "--router", "r1")
    assert without.json("flows", "--day", "2026-11-20") == site.json("flows", "--day", "2026-11-20")


def test_a_file_that_only_nfdump_might_read_is_set_aside_and_tried_again_with_it(tmp_path: Path) -> None:
    flows = tmp_path / "flows"
    flows.mkdir()
    whole, cut = sorted(FLOWS.iterdir())[:2]
    shutil.copy(whole, flows)
    (flows / cut.name).write_bytes(cut.read_bytes()[:-200])
    site = site_of(tmp_path, str(tmp_path / "nowhere"))
    settings = site.settings
    settings.write_text(settings.read_text().replace(str(FLOWS), str(flows)))
    first = site.run("stage", "ingest", "--all", "--router", "r1", expect=3).stdout
    assert "2 files, 1 read, 0 unchanged" in first
    assert f"{tmp_path / 'nowhere'}, which might read it, is not installed" in first
    settings.write_text(settings.read_text().replace(str(tmp_path / "nowhere"), "nfdump"))
    again = site.run("stage", "ingest", "--all", "--router", "r1", expect=3).stdout
    assert "is not installed" not in again
    assert f"set aside {cut.name}" in again


def test_reading_by_nfdump_alone_still_needs_it(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    site = demo_installation(tmp_path, **{"[ingest]": f'[ingest]\nreader = "nfdump"\nnfdump = "{nowhere}"'})
    refused = site.run("check", expect=1).stderr
    assert "there is no such program; install the package nfdump" in refused
