"""The settings file: the example loads, and an invalid value is refused by its key."""

from pathlib import Path

import pytest

from hntes.settings import SettingsError, read_settings
from tests.support.settings_file import EXAMPLE, MINIMAL, load, refusal, with_router


def test_the_example_loads_as_it_stands(tmp_path: Path) -> None:
    settings = load(tmp_path, EXAMPLE)
    assert [router.name for router in settings.routers] == ["chic-cr1", "denv-cr1", "boul-ar1"]
    assert settings.detection.threshold_bytes == 10**9
    assert settings.router("boul-ar1").sampling[0].factor == 100


def test_what_the_example_shows_are_the_defaults(tmp_path: Path) -> None:
    shown, default = load(tmp_path, EXAMPLE), load(tmp_path, MINIMAL)
    for section in ("paths", "database", "ingest", "analytics", "detection", "ageing", "review"):
        assert getattr(shown, section) == getattr(default, section)
    assert shown.plans["recommended"] == default.plans["recommended"]


def test_relative_paths_are_taken_from_the_files_folder(tmp_path: Path) -> None:
    settings = load(tmp_path, MINIMAL)
    assert settings.paths.lake == tmp_path / "var" / "lake"
    assert settings.routers[0].flow_folder == tmp_path / "flows" / "r1"
    assert settings.database.url == f"sqlite:///{tmp_path}/var/hntes.db"


def test_absolute_paths_stay(tmp_path: Path) -> None:
    text = MINIMAL.replace("flows/r1", "/data/flows/r1") + '[database]\nurl = "sqlite:////srv/hntes.db"\n'
    settings = load(tmp_path, text)
    assert settings.routers[0].flow_folder == Path("/data/flows/r1")
    assert settings.database.url == "sqlite:////srv/hntes.db"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (MINIMAL + "[ingest]\nworker = 2\n", "ingest.worker:"),
        (MINIMAL + "[detektion]\nwindow_s = 2\n", "detektion:"),
        (with_router("colour = 3"), "routers[r1].colour:"),
        (MINIMAL + '[plans.recommended]\nkind = "two_queue"\nalpha_share = 3\n', "plans.recommended.alpha_share:"),
    ],
)
def test_an_unknown_key_is_refused_by_its_name(tmp_path: Path, text: str, key: str) -> None:
    assert key in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("ingest", "workers = 0"),
        ("ingest", "workers = 65"),
        ("ingest", "max_record_delay_s = -1"),
        ("ingest", "max_record_delay_s = 86_401"),
        ("ingest", "max_clock_ahead_s = -1"),
        ("ingest", 'file_timezone = "Europe/Atlantis"'),
        ("ingest", 'file_timezone = "Europe"'),
        ("ingest", 'file_timezone = "../../etc/passwd"'),
        ("detection", "threshold_bytes = 0"),
        ("detection", "threshold_bytes = 1_125_899_906_842_625"),
        ("detection", "threshold_bytes = 1.5"),
        ("detection", "window_s = 0"),
        ("detection", "window_s = 3601"),
        ("detection", 'rule = "guess"'),
        ("detection", 'flow_key = "three_tuple"'),
        ("detection", "ipv4_prefix_length = 33"),
        ("detection", "ipv4_prefix_length = 7"),
        ("detection", "ipv6_prefix_length = 129"),
        ("ageing", "days = 0"),
        ("ageing", "min_day_coverage = 1.01"),
        ("ageing", "min_day_coverage = -0.01"),
        ("ageing", "min_day_coverage = nan"),
        ("review", "expiry_hours = 0"),
        ("ingest", "nfdump_limit_s = 0"),
        ("ingest", "nfdump_limit_s_per_mib = -1"),
        ("ingest", "nfdump_memory_mib = 255"),
        ("analytics", "query_limit_s = 9"),
        ("database", "statement_limit_s = 9"),
        ("database", 'url = "mysql://h/d"'),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_key(tmp_path: Path, section: str, line: str) -> None:
    assert f"{section}.{line.split(' = ')[0]}:" in refusal(tmp_path, f"{MINIMAL}[{section}]\n{line}\n")


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, f"{MINIMAL}[ingest]\nworkers = 0\n[ageing]\ndays = 0\n")
    assert "2 settings cannot be used" in message
    assert "ingest.workers" in message
    assert "ageing.days" in message


def test_bad_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    assert "line 2" in refusal(tmp_path, "[ingest]\nworkers = = 2\n")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hntes.toml"
    path.write_bytes(b"\xff\xfe[\x00")
    with pytest.raises(SettingsError, match="not valid TOML"):
        read_settings(path)


def test_a_missing_file_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml.*hntes init"):
        read_settings(tmp_path / "nowhere.toml")


def test_a_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path)


@pytest.mark.parametrize(("section", "line"), [("ageing", "days = true"), ("gate", "out_of_sequence_pkts = false")])
def test_a_word_is_no_number(tmp_path: Path, section: str, line: str) -> None:
    assert f"{line.split(' = ')[0]} is {line.split(' = ')[1]}; give a number" in refusal(
        tmp_path, f"{MINIMAL}[{section}]\n{line}\n"
    )


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("gate", "beta_loss_pct = 100"),
        ("gate", "throughput_pct = 0"),
        ("gate", "delay_increase_ms = 1000"),
        ("gate", "delay_sd_ms = 51"),
        ("gate", "beta_delay_increase_ms = 51"),
        ("gate", "out_of_sequence_pkts = 1_000_000"),
        ("gate", "max_policer_drops_pkts = 1_000_000"),
        ("gate", "beta_peak_pct = 0.1"),
        ("gate", "reach_pct = 100"),
        ("gate", "reach_space_pct = 100"),
        ("detection", "ipv4_prefix_length = 15"),
        ("detection", "ipv6_prefix_length = 31"),
    ],
)
def test_limits_have_floors(tmp_path: Path, section: str, line: str) -> None:
    assert f"{section}.{line.split(' = ')[0]}:" in refusal(tmp_path, f"{MINIMAL}[{section}]\n{line}\n")
