"""A second source is one folder: its files are ingested and detected by the unchanged program."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from hntes._native import FolderNames
from hntes.etl.ingest.readers import LocalReader
from hntes.etl.sources import listing, registry
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE
from tests.contract.source.csv_flows.source import csv_file
from tests.contract.source.samples import NOON_MS
from tests.support.installation import Installation, demo_installation

ALPHA = (NOON_MS, NOON_MS + 50_000, "198.18.10.1", "203.0.113.1", 5000, 443, 6, 20_000, 30_000_000)
MOUSE = (NOON_MS, NOON_MS + 100, "198.18.10.9", "203.0.113.9", 5001, 443, 6, 10, 5000)


def entry_points(group: str) -> list[EntryPoint]:
    assert group == "hntes.sources"
    return [
        EntryPoint("nfcapd", "hntes.etl.sources.nfcapd:SOURCE", group),
        EntryPoint("csv", "tests.contract.source.csv_flows:SOURCE", group),
    ]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry.installed_sources.cache_clear()
    flows = tmp_path / "csv"
    flows.mkdir()
    (flows / "flows-202611201200.csv").write_text(csv_file("192.0.2.1", 100, [ALPHA, MOUSE]))
    (flows / "flows-202611201205.csv").write_text(csv_file("192.0.2.1", 100, [MOUSE]) + "one more\n")
    (flows / "nfcapd.202611201200").write_bytes(REFERENCE_FILE.read_bytes())
    demo = demo_installation(tmp_path / "site")
    text = demo.settings.read_text()
    name = next(
        line for line in text.splitlines() if line.startswith("flow_folder") and line.rstrip('"').endswith("r1")
    )
    demo.settings.write_text(text.replace(name, f'flow_folder = "{flows}"'))
    yield demo
    registry.installed_sources.cache_clear()


def test_its_files_become_observations(site: Installation) -> None:
    done = site.run("stage", "ingest", "--all", "--router", "r1", "--json", expect=3)
    (report,) = json.loads(done.stdout)
    assert (report["files"], report["ingested"]) == (2, 1)
    assert report["quarantined"] == {"flows-202611201205.csv": "it promises 1 records, 2 can be read"}
    assert report["ignored"] == ["nfcapd.202611201200"]  # a folder is written by one collector
    assert report["outcomes"] == {"kept": 2, "repaired:before_sampling_option": 2}
    assert report["sampling"] == {"announced 1:100": {"192.0.2.1": 2}}
    found = site.json("stage", "detect", "--day", "2026-11-20", "--router", "r1")["r1"]["observations"]
    assert [(one["source"], one["destination"], one["flow_bytes"]) for one in found] == [
        ("198.18.10.1", "203.0.113.1", 3_000_000_000)
    ]
    site.run("stage", "measure", "--day", "2026-11-20", "--router", "r1")


def test_workers_read_it_as_well(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hntes.etl.ingest.readers._SMALL_BYTES", 0)
    assert LocalReader().workers == 2
    (report,) = site.json("stage", "ingest", "--all", "--router", "r1", expect=3)
    assert report["ingested"] == 1
    (again,) = site.json("stage", "ingest", "--all", "--router", "r1", expect=3)
    assert (again["ingested"], again["unchanged"]) == (0, 2)


def test_the_other_routers_folders_stay_nfcapds(site: Installation) -> None:
    (report,) = site.json("stage", "ingest", "--all", "--router", "r3")
    assert report["ingested"] == 15
    said = site.run("check").stdout
    assert "csv:      read by Python" in said
    assert "reader:   native; nfdump for files that it refuses" in said


def test_init_finds_its_folders(site: Installation, tmp_path: Path) -> None:
    settings = tmp_path / "new.toml"
    site.run("--settings", str(settings), "init", str(tmp_path / "csv"))
    assert "192.0.2.1" in settings.read_text()


def test_no_installed_source_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: [])  # noqa: ARG005
    registry.installed_sources.cache_clear()
    with pytest.raises(
        registry.NoSourceError, match=r"no flow source is installed \(entry point group hntes.sources\)"
    ):
        registry.discover(tmp_path)
    registry.installed_sources.cache_clear()


def test_a_folder_is_listed_once_whatever_the_number_of_sources(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[Path] = []

    def counting(folder: Path) -> FolderNames:
        listed.append(folder)
        return FolderNames(folder)

    monkeypatch.setattr(listing, "FolderNames", counting)
    folder = tmp_path / "nfcapd"
    folder.mkdir()
    (folder / "nfcapd.202611201200").write_bytes(REFERENCE_FILE.read_bytes())
    assert registry.discover(folder)[0].name == "nfcapd"
    assert listed == [folder]
    listed.clear()
    site.run("stage", "ingest", "--all", "--router", "r1", expect=3)
    assert listed.count(tmp_path / "csv") == 1
