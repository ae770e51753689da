"""`hntes data verify` of a lake with parts that are gone: those of pruned days are no loss, all others are."""

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hntes import clock
from hntes.workflow.errors import FAILED
from tests.support.installation import Installation, installation_in

FIRST, SECOND = "2026-11-20", "2026-11-21"
# The demonstration's pairs age after two days; a margin of eight is added, and today.
KEPT_DAYS = 11


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    """Two days of one router in the lake; no other part of a night was run."""
    made = installation_in(tmp_path / "site", routers=1, **{"[review]": "[retention]\nlake_days = 1\n\n[review]"})
    for day in (FIRST, SECOND):
        made.run("stage", "ingest", "--day", day)
    return made


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> date:
    """The day after the second night."""
    return _on(monkeypatch, date.fromisoformat(SECOND) + timedelta(days=1))


def _on(monkeypatch: pytest.MonkeyPatch, day: date) -> date:
    now_ms = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()) * 1000
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms)
    return day


def _parts(site: Installation, day: str) -> list[Path]:
    return sorted(site.lake.glob(f"flows/router=r1/day={day}/*.parquet"))


def test_a_lake_that_is_elsewhere_is_not_well(site: Installation) -> None:
    parts = len(_parts(site, FIRST)) + len(_parts(site, SECOND))
    assert parts >= 10
    whole = site.json("data", "verify")
    assert (whole["parts"], whole["hashed"], whole["lost"]) == (parts, parts, [])
    moved = site.lake.with_name("elsewhere")
    shutil.move(site.lake, moved)
    done = site.run("data", "verify", expect=FAILED)
    assert f"{parts} gone, of days that [retention] keeps; 0 damaged" in done.stdout
    assert f"hntes: lake {site.lake}: none of the {parts} parts that the ledger has is there" in done.stderr
    assert "correct `paths.lake`, or copy `flows` and `set_aside`" in done.stderr
    site.lake.mkdir(exist_ok=True)
    shutil.copytree(moved, site.lake, dirs_exist_ok=True)
    assert site.json("data", "verify") == whole


def test_a_day_that_is_kept_and_gone_is_named_with_what_to_do(site: Installation) -> None:
    whole = site.json("data", "verify")
    gone = _parts(site, FIRST)
    for part in gone:
        part.unlink()
    found = site.json("data", "verify", expect=FAILED)
    assert found["gone"] == len(gone)
    assert found["lost"] == [{"router": "r1", "day": FIRST, "parts": len(gone)}]
    told = site.run("data", "verify", expect=FAILED).stderr
    again = f"`hntes stage ingest --router r1 --day {FIRST}`"
    assert f"hntes: router r1: {len(gone)} parts of {FIRST} are gone from the lake" in told
    assert again in told
    site.run("data", "verify", "--day", SECOND)
    site.run(*again.strip("`").split()[1:])
    assert site.json("data", "verify") == whole


def test_days_that_were_pruned_are_no_loss(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, left = len(_parts(site, FIRST)), len(_parts(site, SECOND))
    _on(monkeypatch, date.fromisoformat(FIRST) + timedelta(days=KEPT_DAYS))
    for part in _parts(site, FIRST):
        part.unlink()
    done = site.run("data", "verify")
    assert f"{left} as written by SHA-256; {gone} gone, of days beyond [retention]; 0 damaged" in done.stdout
    assert done.stderr == ""
    site.run("data", "verify", "--day", FIRST)
    # the day before it was still kept
    _on(monkeypatch, date.fromisoformat(FIRST) + timedelta(days=KEPT_DAYS - 1))
    site.run("data", "verify", expect=FAILED)
