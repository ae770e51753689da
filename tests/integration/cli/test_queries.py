"""Operators' queries: pairs by host, empty answers that say so, files of a day, nights without files."""

import json
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.pool import QueuePool

from hntes.sql.engine import open_database
from hntes.workflow.context import Context
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT as DAY
from tests.support.prepared_nights import PreparedNights


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site")


def test_a_host_is_enough_to_ask_why(site: Installation) -> None:
    said = site.run("why", "198.18.10.5", "--router", "r1", "--day", DAY).stdout
    assert "198.18.10.0/24 > 203.0.113.0/24" in said
    assert "198.18.77.0/24 > 198.18.10.0/24" in said
    ends = site.run("why", "198.18.10.5>203.0.113.10", "--router", "r1", "--day", DAY).stdout
    assert ends.startswith("198.18.10.0/24 > 203.0.113.0/24 on r1, as of 2026-11-20: has a rule")
    assert "alpha flows from" in ends


def test_pairs_of_a_host_are_a_list_for_machines(site: Installation) -> None:
    listed = site.json("why", "198.18.10.5", "--router", "r1", "--day", DAY)
    assert {entry["state"] for entry in listed} <= {"in_force", "candidate"}
    assert {"source": "198.18.77.0/24", "destination": "198.18.10.0/24"} in [entry["pair"] for entry in listed]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("why", "192.0.2.77", "--router", "r1", "--day", DAY), "no known pair of r1 matches 192.0.2.77"),
        (("flows", "--day", "2026-11-01"), "no alpha flow on 2026-11-01; `hntes data days` lists the days with data"),
        (("rules", "--router", "r1", "--day", "2026-11-01"), "r1 has no rule as of 2026-11-01 and had none before"),
        (("data", "days", "--day", "2026-11-01"), "no day up to 2026-11-01 was processed yet"),
        (("data", "files", "--day", "2026-11-01"), "no such flow file was read yet"),
        (("override", "pin", "list"), "no pair is pinned"),
        (("override", "exclude", "list"), "nothing is excluded"),
    ],
)
def test_an_empty_answer_says_so(site: Installation, arguments: tuple[str, ...], said: str) -> None:
    done = site.run(*arguments)
    assert said in done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_files_of_one_day(site: Installation) -> None:
    every, of_day = site.json("data", "files"), site.json("data", "files", "--day", DAY)
    assert {entry["path"][:15] for entry in of_day} == {"nfcapd.20261120"}
    assert [entry for entry in every if entry["path"].startswith("nfcapd.20261120")] == of_day


def test_flow_folders_are_listed_while_the_database_is_not_read(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow file server would keep its snapshot open, and what a database must remember for it grows."""
    listed = []

    def files_of(self: Context, folder: Path, *span: int | None) -> object:
        pool = self.database.pool
        assert isinstance(pool, QueuePool)
        listed.append(pool.checkedout())
        return found(self, folder, *span)

    found = Context.files_of
    monkeypatch.setattr(Context, "files_of", files_of)
    site.json("data", "files")
    assert set(listed) == {0}


def test_files_of_the_newest_days_and_all(site: Installation) -> None:
    """One file is made as old as a week: then six days of the newest seven are without it."""
    every = site.json("data", "files", "--all")
    assert site.json("data", "files") == every
    oldest = every[0]["path"]
    newest_ms = max(entry["file_start_ms"] for entry in every)
    with open_database(site.database_url).begin() as connection:
        connection.execute(
            text("UPDATE flow_file SET file_start_ms = :start WHERE path = :path"),
            {"start": newest_ms // 86_400_000 * 86_400_000 - 6 * 86_400_000, "path": oldest},
        )
    assert {entry["path"] for entry in site.json("data", "files")} == {entry["path"] for entry in every}
    with open_database(site.database_url).begin() as connection:
        connection.execute(
            text("UPDATE flow_file SET file_start_ms = file_start_ms - 1 WHERE path = :path"), {"path": oldest}
        )
    done = site.run("data", "files", "--json")
    rest = [entry["path"] for entry in every if entry["path"] != oldest]
    assert sorted(entry["path"] for entry in json.loads(done.stdout)) == sorted(rest)
    older = len(every) - len(rest)
    assert f"{older} older file{'s' * (older > 1)} not listed; --all lists them" in done.stderr
    assert {entry["path"] for entry in site.json("data", "files", "--all")} == {entry["path"] for entry in every}


def test_an_exact_peak_is_not_given_an_error_of_zero(site: Installation) -> None:
    said = site.run("flows", "--router", "r1", "--day", DAY).stdout
    assert "peak from (UTC)" in said
    assert "0.000 GB" not in said
    assert "exact" in said


def test_a_short_hash_is_refused_as_too_short(site: Installation) -> None:
    (waiting,) = site.json("change", "list", "--router", "r1")
    options = ("--router", "r1", "--who", "anna", "--hash")
    refused = site.run("change", "reject", "--note", "no", *options, waiting["candidate_hash"][:5], expect=2)
    assert "too short; give 6 digits or more" in refused.stderr
    assert (
        "too short"
        in site.run("change", "approve", *options, "0" if waiting["candidate_hash"][0] != "0" else "1", expect=2).stderr
    )
    assert "not a hash" in site.run("change", "approve", *options, "8ce482d066cg", expect=2).stderr
    other = "0" * 6 if waiting["candidate_hash"][0] != "0" else "f" * 6
    assert "look at it again" in site.run("change", "reject", "--note", "no", *options, other, expect=4).stdout
    site.run("change", "reject", "--note", "no", *options, waiting["candidate_hash"][:6].upper())
    assert site.json("change", "list", "--router", "r1") == []


def test_changes_of_the_last_days(site: Installation) -> None:
    listed = site.json("change", "list", "--all", "--days", "1")
    assert {entry["day"] for entry in listed} == {max(entry["day"] for entry in site.json("change", "list", "--all"))}


def test_a_night_without_flow_files_is_not_done(site: Installation) -> None:
    done = site.run("nightly", "--day", "2026-11-19", "--router", "r2", "--json", expect=3)
    assert json.loads(done.stdout)["proposed"].keys() == {"r2"}
    assert "router r2: no flow file of 2026-11-19 in" in done.stderr
    assert "does the collector write there?" in done.stderr
