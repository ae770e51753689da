"""Nights from flow files to approved configuration, by the command line, on both databases."""

from pathlib import Path

import pytest

from tests.support.installation import Installation, demo_installation
from tests.support.prepared_nights import PreparedNights

NIGHTS = ("2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23")
FINISHED_WITH_PROBLEMS, REFUSED = 3, 4
# Transfers of the recorded run that only the first night has, and one that every night has; see demo/README.md.
FIRST_NIGHT_ONLY = "198.18.10.0/24 > 203.0.113.0/24"
EVERY_NIGHT = "198.18.60.0/24 > 203.0.113.0/24"


@pytest.fixture
def installation(tmp_path: Path, database_url: str) -> Installation:
    return demo_installation(tmp_path / "site", database_url)


def approve_all(installation: Installation) -> None:
    for entry in installation.json("change", "list"):
        options = ["--router", entry["router"], "--day", entry["day"], "--hash", entry["candidate_hash"]]
        installation.run("change", "approve", *options, "--who", "anna")


@pytest.mark.slow
@pytest.mark.second_database_long
def test_a_pair_comes_stays_and_goes(installation: Installation) -> None:
    added: dict[str, list[str]] = {}
    removed: dict[str, list[str]] = {}
    for night in NIGHTS:
        # the third night has a file that was cut off: it is told by the exit status and stops nothing
        done = installation.json("nightly", "--day", night, expect=FINISHED_WITH_PROBLEMS if night == NIGHTS[2] else 0)
        proposed = done["proposed"]["r1"]
        added[night] = [change["pair"] for change in proposed["added"]]
        removed[night] = [change["pair"] for change in proposed["removed"]]
        approve_all(installation)
    assert FIRST_NIGHT_ONLY in added[NIGHTS[0]]
    assert EVERY_NIGHT in added[NIGHTS[0]]
    assert removed[NIGHTS[1]] == removed[NIGHTS[2]] == []
    assert FIRST_NIGHT_ONLY in removed[NIGHTS[3]]
    assert EVERY_NIGHT not in removed[NIGHTS[3]]


@pytest.mark.slow
@pytest.mark.second_database_long
def test_a_night_run_again_changes_nothing(installation: Installation, prepared_nights: PreparedNights) -> None:
    installation.run("nightly", "--day", NIGHTS[0])
    before = installation.state()
    if installation.database_url.startswith("sqlite"):
        copied = prepared_nights.site(installation.settings.parent.parent / "copied")
        assert copied.state() == before, "the copies that other tests begin with are no such night"
    again = installation.json("nightly", "--day", NIGHTS[0])
    assert [report["ingested"] for report in again["ingest"]] == [0, 0, 0]
    assert installation.state() == before
    approve_all(installation)
    approved = installation.state()
    installation.run("nightly", "--day", NIGHTS[0])
    assert installation.state() == approved


def test_a_router_whose_folder_is_missing_does_not_hold_up_the_others(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    site.settings.write_text(site.settings.read_text().replace("flows/r2", "flows/nowhere"))
    done = site.run("nightly", "--day", NIGHTS[0], "--json", expect=FINISHED_WITH_PROBLEMS)
    assert "router r2 failed" in done.stderr
    assert "no such flow folder" in done.stderr
    assert {entry["router"] for entry in site.json("change", "list")} == {"r1", "r3"}


def test_a_decision_on_another_candidate_is_refused(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    done = site.run("change", "approve", "--router", "r1", "--hash", "0" * 64, "--who", "anna", expect=REFUSED)
    assert "its candidate is" in done.stdout
    assert [entry["state"] for entry in site.json("change", "list")] == ["pending"]


def test_a_rejected_change_stays_rejected(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    (entry,) = site.json("change", "list")
    site.run(
        "change",
        "reject",
        "--router",
        "r1",
        "--hash",
        entry["candidate_hash"][:12],
        "--who",
        "anna",
        "--note",
        "not now",
    )
    site.run("nightly", "--day", NIGHTS[0], "--router", "r1")
    (after,) = site.json("change", "list", "--all")
    assert (after["state"], after["decided_by"], after["decision_note"]) == ("rejected", "anna", "not now")
