"""A newcomer's first commands, on flow files that are days old: no state that nothing leads out of."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from hntes.workflow.stages import night
from hntes.workflow.stages.detect import detect
from tests.support.installation import Installation, demo_installation, installation_in

DAY, NEWEST = "2026-11-20", "2026-11-23"


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    return demo_installation(tmp_path)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT interrupts this process and its children, even where a shell has started it in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_night_without_files_asks_nobody_and_names_the_days_that_have_some(site: Installation) -> None:
    night = site.run("nightly", "--day", "yesterday", "--router", "r1", expect=3)
    assert "It has files of 4 days from 2026-11-20 to 2026-11-23: --day 2026-11-23" in night.stderr
    assert "no first configuration is proposed from it" in night.stdout
    assert site.json("change", "list") == []


def test_the_newest_night_of_old_files_is_approved_by_its_hash(site: Installation) -> None:
    site.run("nightly", "--day", "yesterday", "--router", "r1", expect=3)
    night = site.run("nightly", "--router", "r1")
    assert f"day: {NEWEST}, the newest with flow files" in night.stderr
    (waiting,) = site.json("change", "list")
    assert (waiting["day"], waiting["gate"]) == (NEWEST, "passed")
    site.run("change", "approve", "--hash", waiting["candidate_hash"][:12])
    assert [entry["state"] for entry in site.json("change", "list", "--all")] == ["approved", "empty"]
    assert f"day: {NEWEST}, the newest with flow records" in site.run("rules", "--router", "r1").stderr


def test_an_unknown_hash_is_answered(site: Installation) -> None:
    assert "no change has a candidate abcdef" in site.run(
        "change", "approve", "--hash", "abcdef", expect=1
    ).stderr  # fmt: skip


def test_a_later_empty_night_does_not_hide_the_change_that_waits(site: Installation) -> None:
    site.run("nightly", "--day", DAY, "--router", "r1")
    site.run("nightly", "--day", "yesterday", "--router", "r1", expect=3)
    (waiting,) = site.json("change", "list")
    assert waiting["day"] == DAY
    assert waiting["candidate_hash"][:12] in site.run("change", "show", "--router", "r1").stdout


def test_a_night_in_which_nothing_could_be_used_is_not_done(tmp_path: Path) -> None:
    site = installation_in(tmp_path, **{'name = "r1"': 'name = "r1"\nexporters = ["198.19.251.9"]'})
    night = site.run("nightly", "--day", DAY, "--router", "r1", expect=3)
    assert "router r1: no record in its flow files of 2026-11-20 could be used" in night.stderr
    assert site.json("change", "list") == []


def test_check_fails_on_files_shorter_than_the_settings_say(tmp_path: Path) -> None:
    site = installation_in(tmp_path, **{"rotation_s = 60": "rotation_s = 300"})
    refused = site.run("check", expect=1).stderr
    assert "router r1: rotation_s is 300, but its files' names are 60 s apart" in refused


def test_check_fails_where_only_foreign_exporters_are_heard(tmp_path: Path) -> None:
    site = installation_in(tmp_path, **{'name = "r1"': 'name = "r1"\nexporters = ["198.19.251.9"]'})
    refused = site.run("check", expect=1).stderr
    assert "none of its exporters (198.19.251.9) is in the newest flow files, which have 198.19.251.1" in refused


def test_decisions_are_told_to_machines(site: Installation) -> None:
    site.run("nightly", "--router", "r1")
    (waiting,) = site.json("change", "list")
    held = site.json("change", "defer", "--router", "r1", "--until", "2199-01-01", "--reason", "later")
    assert held["held_until"] == "2199-01-01"
    refused = site.json("change", "approve", "--hash", "abcdef0123", "--router", "r1", "--day", NEWEST, expect=4)
    assert refused["outcome"] == "stale_hash"
    done = site.json("change", "reject", "--hash", waiting["candidate_hash"], "--note", "no")
    assert (done["outcome"], done["change"]["state"]) == ("decided", "rejected")
    assert site.json("change", "approve", "--all-passed", "--yes") == {"approved": [], "left": []}


def test_each_stage_is_printed_as_it_ends(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hntes.workflow.stages.night.judge", stops)
    done = CliRunner().invoke(main, ["nightly", "--day", DAY, "--router", "r1", "--settings", str(site.settings)])
    assert done.exit_code == 130
    headings = [line for line in done.stdout.splitlines() if line.startswith("-- ")]
    assert headings == ["-- ingest", "-- detect", "-- measure", "-- propose"]
    assert "interrupted; what was finished is kept" in done.stderr


@pytest.mark.usefixtures("interruptible")
def test_a_real_interrupt_ends_with_130(site: Installation) -> None:
    command = site.command("nightly", "--day", DAY)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as night:
        assert night.stdout is not None
        assert night.stdout.readline() == "-- ingest\n"
        os.kill(night.pid, signal.SIGINT)
        _, errors = night.communicate(timeout=120)
    assert night.returncode == 130
    assert "Traceback" not in errors


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_that_python_loses_stops_the_night_after_the_stage(
    site: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a finaliser KeyboardInterrupt is printed and dropped."""

    def loses(*given: object, **named: object) -> object:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return detect(*given, **named)

    monkeypatch.setattr(night, "detect", loses)
    done = CliRunner().invoke(main, ["nightly", "--day", DAY, "--router", "r1", "--settings", str(site.settings)])
    assert done.exit_code == 130
    assert [line for line in done.stdout.splitlines() if line.startswith("-- ")] == ["-- ingest", "-- detect"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_settings_are_found_upwards_and_named_anywhere(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert site.settings == tmp_path / "hntes.toml"
    monkeypatch.delenv("HNTES_SETTINGS", raising=False)
    monkeypatch.chdir(below)
    assert CliRunner().invoke(main, ["change", "list"]).exit_code == 0
    monkeypatch.chdir("/")
    elsewhere = CliRunner().invoke(main, ["change", "list"])
    assert (elsewhere.exit_code, "here or in a folder above" in elsewhere.stderr) == (1, True)
    for given in (["--settings", str(site.settings)], [f"--settings={site.settings}"]):
        assert CliRunner().invoke(main, ["change", "list", *given]).exit_code == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_somebody_elses_settings_in_a_folder_above_are_not_read(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HNTES_SETTINGS", raising=False)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    os.chown(site.settings, 65534, 65534)
    assert "no such settings file" in CliRunner().invoke(main, ["change", "list"]).stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("chnage", "hntes change"), ("approve", "hntes change approve"), ("nigthly", "hntes nightly")],
)
def test_a_mistyped_command_is_answered_with_the_one_meant(typed: str, meant: str) -> None:
    done = CliRunner().invoke(main, [typed], prog_name="hntes")
    assert done.exit_code == 2
    assert f"Did you mean `{meant}`" in done.stderr


def test_what_is_like_no_command_gets_no_advice() -> None:
    assert "Did you mean" not in CliRunner().invoke(main, ["zzzz"]).stderr
