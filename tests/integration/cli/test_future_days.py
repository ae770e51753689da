"""Days that have not come, or cannot be meant, are refused; a change that stands in the way can be withdrawn."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from hntes import clock
from hntes.sql.changes import CHANGE, write
from hntes.sql.engine import open_database
from hntes.sql.session import transaction
from tests.support.entries import change_set
from tests.support.installation import Installation, demo_installation
from tests.support.prepared_nights import NIGHT, PreparedNights

FAILED, WRONG_USAGE, REFUSED = 1, 2, 4
WITHOUT_TRIAL = {"latest_day = 2026-11-23 ": "latest_day = 2026-11-20 "}
TOMORROW = "2026-12-02"


@pytest.fixture(autouse=True)
def _on_the_first_of_december(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: 1_796_126_400_000)
    assert clock.today() == date(2026, 12, 1)


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    return demo_installation(tmp_path / "site", **WITHOUT_TRIAL)


@pytest.mark.parametrize(
    "command",
    [
        *(["nightly"], ["stage", "ingest"], ["stage", "detect"], ["stage", "measure"], ["stage", "propose"]),
        *(["flows"], ["rules"], ["data", "days"], ["router", "queue-advice"]),
        *(["why", "198.18.10.0/24>203.0.113.0/24", "--router", "r1"],),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_day_that_has_not_come_is_refused(site: Installation, command: Sequence[str]) -> None:
    done = site.run(*command, "--day", TOMORROW, expect=FAILED)
    assert done.stderr.startswith(f"hntes: {TOMORROW} is in the future, today is 2026-12-01 (UTC); is the year wrong?")
    assert site.json("change", "list", "--all") == []


def test_a_back_test_ends_today(site: Installation) -> None:
    done = site.run("backtest", "--from", "2026-11-30", "--to", TOMORROW, expect=FAILED)
    assert f"{TOMORROW} is in the future" in done.stderr


def test_a_backfill_ends_today(site: Installation) -> None:
    done = site.run("data", "backfill", "--from", "2026-11-30", "--to", TOMORROW, expect=FAILED)
    assert f"the last day, {TOMORROW}, is in the future: no day after 2026-12-01 (UTC) may be run" in done.stderr


def test_a_trial_may_run_days_to_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = demo_installation(tmp_path / "site")
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_132_800_000)
    site.run("stage", "propose", "--day", "2026-11-23", "--router", "r1")
    site.run("stage", "propose", "--day", "2026-11-24", "--router", "r1", expect=FAILED)


@pytest.mark.parametrize("day", ["0001-01-01", "1999-12-31", "2200-01-01", "9999-12-31"])
@pytest.mark.parametrize("command", ["nightly", "changes-of", "pin"])
def test_a_day_that_cannot_be_meant_is_wrong_usage(site: Installation, command: str, day: str) -> None:
    arguments = {
        "nightly": ["nightly", "--day", day],
        "changes-of": ["change", "show", "--router", "r1", "--day", day],
        "pin": ["override", "pin", "add", "192.0.2.0/24>203.0.113.0/24", "--router", "r1", "--owner", "a",
            "--reason", "b",
                "--until", day],
    }[command]  # fmt: skip
    done = site.run(*arguments, expect=WRONG_USAGE)
    assert f"{day} is out of range (2000-01-01 to 2199-12-31)" in done.stderr


def test_a_change_set_of_the_year_9999_is_shown(site: Installation) -> None:
    _put(site, date(9999, 12, 31), expires_ms=253_402_560_000_000)
    assert "after 9999" in site.run("change", "list").stdout


def test_a_change_set_that_stands_in_the_way_is_withdrawn(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    (waiting,) = site.json("change", "list")
    _put(site, date(2026, 11, 30))
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    assert _states(site) == {NIGHT: "superseded", "2026-11-30": "pending"}
    done = site.run(
        "change", "withdraw", "--router", "r1", "--day", "2026-11-30", "--who", "anna", "--reason", "wrong month"
    )
    assert "withdrawn by anna" in done.stdout
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    assert _states(site) == {NIGHT: "pending", "2026-11-30": "withdrawn"}
    (again,) = site.json("change", "list")
    assert again | {"expires_ms": 0} == waiting | {"expires_ms": 0}
    site.run(
        "change", "approve", "--router", "r1", "--day", NIGHT, "--hash", waiting["candidate_hash"], "--who", "anna"
    )
    site.run("change", "withdraw", "--router", "r1", "--day", NIGHT, "--reason", "too late", expect=REFUSED)


def test_a_change_set_of_a_day_to_come_stands_in_nobodys_way(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    _put(site, clock.today() + timedelta(days=3650))
    _state(site, date.fromisoformat(NIGHT), "superseded")
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    assert _states(site)[NIGHT] == "pending"


@pytest.mark.parametrize("text", ["x\ngate: passed", "\x1b[2Jx", "anna\udcff"])
def test_free_texts_are_one_printable_line(site: Installation, text: str) -> None:
    options = ["--router", "r1", "--day", NIGHT]
    for command in (
        ["change", "withdraw", *options, "--reason", text],
        ["change", "approve", *options, "--hash", "0" * 64, "--who", text],
        ["change", "reject", *options, "--hash", "0" * 64, "--note", text],
        ["override", "pin", "add", "192.0.2.0/24>203.0.113.0/24", "--router", "r1", "--owner", "a", "--reason", text],
        ["override", "exclude", "add", "192.0.2.0/24", "--owner", text, "--reason", "b", "--until", "2099-12-31"],
    ):
        done = site.run(*command, expect=WRONG_USAGE)
        assert "write one line of printable characters" in done.stderr


def test_a_path_with_a_nul_is_wrong_usage(site: Installation) -> None:
    done = site.run("stage", "judge", "--router", "r1", "--file", "a\0b", expect=WRONG_USAGE)
    assert "NUL" in done.stderr


def test_a_folder_with_a_nul_is_refused_in_the_settings(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    site.settings.write_text(site.settings.read_text().replace('/flows/r1"', '/flows/r\\u00001"'))
    assert "NUL" in site.run("check", expect=FAILED).stderr


def _put(site: Installation, day: date, expires_ms: int = 1_900_000_000_000) -> None:
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        write(session, change_set(day=day, expires_ms=expires_ms, candidate_hash="f" * 64))
    engine.dispose()


def _state(site: Installation, day: date, state: str) -> None:
    engine = open_database(site.database_url)
    with transaction(engine) as session:
        session.execute(update(CHANGE).where(CHANGE.c.day == day).values(state=state))
    engine.dispose()


def _states(site: Installation) -> dict[str, str]:
    return {entry["day"]: entry["state"] for entry in site.json("change", "list", "--all")}
