"""A backfill of many nights ends as the nights run one by one do: the same rows in every table, the same files."""

from pathlib import Path

import pytest

from tests.support.installation import Installation, demo_installation
from tests.support.many_nights import write_nights

FINISHED_WITH_PROBLEMS = 3


def site(folder: Path, flows: Path, database_url: str | None = None) -> Installation:
    made = demo_installation(folder, database_url)
    text = made.settings.read_text().replace(str(Path(__file__).parents[2] / "demo" / "flows"), str(flows))
    made.settings.write_text(text)
    return made


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", [2, pytest.param(30, marks=pytest.mark.long)])
def test_a_backfill_in_parallel_ends_as_the_nights_one_by_one(tmp_path: Path, number: int) -> None:
    days = write_nights(tmp_path / "flows", number)
    nights = site(tmp_path / "nights", tmp_path / "flows")
    problems = 0
    for day in days:
        expected = FINISHED_WITH_PROBLEMS if day == days[number // 2] else 0
        done = nights.run("nightly", "--day", day.isoformat(), expect=expected)
        problems += "set aside" in done.output
    assert problems == 1
    wanted = nights.state()
    span = ("--from", days[0].isoformat(), "--to", days[-1].isoformat())
    max_parallel = site(tmp_path / "backfill", tmp_path / "flows")
    told = max_parallel.json("data", "backfill", *span, "--jobs", "2", expect=FINISHED_WITH_PROBLEMS)
    assert (told["failures"], len(told["noted"]), told["proposals"]) == ({}, 1, 3 * number)
    assert max_parallel.state() == wanted
    mine = max_parallel.json("change", "list", "--all", "--router", "r1")
    assert [entry["state"] for entry in mine] == ["superseded"] * (number - 1) + ["pending"]
    assert len({entry["candidate_hash"] for entry in mine}) > 1, "the rules never change; the test tests nothing"
    again = max_parallel.json("data", "backfill", *span, "--jobs", "1", "--router", "r1")
    assert (again["ingested_files"], again["proposals"]) == (0, number)
    assert max_parallel.state() == wanted


def test_a_backfill_tells_of_a_folder_that_is_missing_and_does_the_others(tmp_path: Path) -> None:
    *_, day = write_nights(tmp_path / "flows", 2)
    made = site(tmp_path / "site", tmp_path / "flows")
    made.settings.write_text(made.settings.read_text().replace("flows/r2", "flows/nowhere"))
    span = ("--from", day.isoformat(), "--to", day.isoformat())
    done = made.run("data", "backfill", *span, "--jobs", "1", expect=FINISHED_WITH_PROBLEMS)
    assert "flows/nowhere: no such flow folder" in done.stderr
    assert {entry["router"] for entry in made.json("change", "list", "--all")} == {"r1", "r3"}


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("2026-11-21", "2026-11-20", "swap them"),
        ("yesterday", "2199-12-31", "is in the future"),
        ("2006-11-20", "2010-11-20", "are 1462 days"),
    ],
)
def test_days_that_cannot_be_meant_are_refused(tmp_path: Path, first: str, last: str, told: str) -> None:
    made = demo_installation(tmp_path / "site")
    done = made.run("data", "backfill", "--from", first, "--to", last, expect=1)
    assert told in done.stderr
    assert made.json("change", "list", "--all") == []
