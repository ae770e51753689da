"""Shell completion of commands, routers and pending changes."""

from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from hntes.cli.cli import main
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site")


def completed(settings: Path, *words: str) -> list[str]:
    *before, incomplete = words
    shell = BashComplete(main, {}, "hntes", "_HNTES_COMPLETE")
    return [item.value for item in shell.get_completions(["--settings", str(settings), *before], incomplete)]


def test_commands_are_completed_without_their_options(site: Installation) -> None:
    assert completed(site.settings, "re") == ["reserve", "reproduce"]
    assert completed(site.settings, "change", "re") == ["review", "reject", "reopen"]


def test_routers_are_those_of_the_settings(site: Installation) -> None:
    assert completed(site.settings, "change", "show", "--router", "") == ["r1", "r2", "r3"]
    assert completed(site.settings, "change", "list", "--router", "r1", "--router", "r3") == ["r3"]


def test_hashes_and_days_are_those_that_wait(site: Installation) -> None:
    waiting = {entry["router"]: entry["candidate_hash"] for entry in site.json("change", "list")}
    assert completed(site.settings, "change", "approve", "--router", "r2", "--hash", "") == [waiting["r2"][:12]]
    assert set(completed(site.settings, "change", "approve", "--hash", "")) == {text[:12] for text in waiting.values()}
    assert completed(site.settings, "change", "show", "--router", "r1", "--day", "20") == [NIGHT]
    site.run("change", "reject", "--note", "no", "--router", "r2", "--hash", waiting["r2"])
    assert completed(site.settings, "change", "approve", "--router", "r2", "--hash", "") == []


@pytest.mark.parametrize("text", ["routers = 3", "routers = [1]", "not TOML", "[database]\nurl = 1"])
def test_broken_settings_suggest_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "hntes.toml").write_text(text)
    assert completed(tmp_path / "hntes.toml", "change", "show", "--router", "") == []
    assert completed(tmp_path / "hntes.toml", "change", "approve", "--hash", "") == []
    assert completed(tmp_path / "nowhere.toml", "change", "show", "--router", "") == []


def test_looking_brings_no_database_up_to_date(site: Installation, tmp_path: Path) -> None:
    text = site.settings.read_text().replace(site.database_url, f"sqlite:///{tmp_path}/none.db")
    (tmp_path / "other.toml").write_text(text)
    assert completed(tmp_path / "other.toml", "change", "approve", "--hash", "") == []
