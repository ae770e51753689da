"""What version 0.1.0 left is opened, migrated, and shows the same nights."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation
from tests.support.old_installation import NIGHTS, OldInstallation, old_installation


@pytest.fixture
def old(tmp_path: Path) -> OldInstallation:
    return old_installation(tmp_path / "site")


@pytest.fixture
def site(old: OldInstallation) -> Installation:
    folder = old.settings.parent
    return Installation(old.settings, old.database_url, folder / "lake", folder / "output")


def test_the_change_sets_are_those_of_its_own_version(old: OldInstallation, site: Installation) -> None:
    found = {(entry["router"], entry["day"]): entry for entry in site.json("changes", "--all")}
    assert len(found) == len(old.nights["changes"]) == 9
    for entry in old.nights["changes"]:
        assert _those(entry, found[entry["router"], entry["day"]]) == entry


def test_the_flow_files_and_alpha_flows_are_those_of_its_own_version(old: OldInstallation, site: Installation) -> None:
    files = {(entry["folder"], entry["path"]): entry for entry in site.json("files")}
    assert len(files) == len(old.nights["files"]) > 30
    for entry in old.nights["files"]:
        assert _those(entry, files[entry["folder"], entry["path"]]) == entry
    for night in NIGHTS:
        assert _flows(site.json("alphas", "--day", night)) == _flows(old.nights["alphas"][night])


def test_its_lake_gives_the_same_alpha_flows_again(old: OldInstallation, site: Installation) -> None:
    for night in NIGHTS:
        site.run("detect", "--day", night)
        found = site.json("alphas", "--day", night)
        assert _flows(found) == _flows(old.nights["alphas"][night])
        assert {flow["ecn_records"] for flow in found} == {None}
    (*_, last) = site.run("rules", "--router", "r1", "--day", NIGHTS[-1]).stdout.splitlines()
    assert last.startswith("r1 ECN: not known of ")


def test_what_was_approved_is_delivered(old: OldInstallation, site: Installation) -> None:
    last = {entry["router"]: entry for entry in old.nights["changes"] if entry["state"] == "approved"}
    assert {name: entry["day"] for name, entry in last.items()} == {
        "r1": NIGHTS[0], "r2": NIGHTS[1], "r3": NIGHTS[0]
    }  # fmt: skip
    delivered = site.json("deliver")
    for name, entry in last.items():
        assert delivered[name]["change_set"]["candidate_hash"] == entry["candidate_hash"]


def _those(wanted: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Of what is found, that which the old version knew."""
    return {key: found[key] for key in wanted}


def _flows(rows: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    return [(row["router"], row["flow_id"], row["flow_bytes"], row["peak_start_ms"], row["peak_bytes"]) for row in rows]
