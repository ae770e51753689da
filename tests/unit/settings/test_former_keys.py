"""Keys that were renamed: read with a warning, as the new ones."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.settings_file import load, refusal, with_router


def with_section(lines: str) -> str:
    head, _, rest = with_router("").partition("[[routers]]")
    return f"{head}{lines}\n[[routers]]{rest}"


def test_former_keys_are_read_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = load(tmp_path, with_section('[gate]\nhosts = ["linux-2.6.33"]\n[trial]\nuntil = 2026-11-23'))
    assert settings.gate.tcp_profiles == ("linux-2.6.33",)
    assert settings.replay.latest_day == date(2026, 11, 23)
    assert [record.getMessage() for record in caplog.records] == [
        "settings: [trial] is [replay] now, and its until is called latest_day now; rename it",
        "settings: gate.hosts is called tcp_profiles now; rename it",
    ]


def test_a_key_that_has_gone_is_no_reason_to_stop_a_night(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = (
        '[analytics]\nkind = "spark"\n[analytics.spark]\nshuffle_partitions = 32\nmax_result_rows = 5\nmax_cores = 3'
    )
    assert load(tmp_path, with_section(lines)).analytics.spark.max_cores == 3
    assert [record.getMessage() for record in caplog.records] == [
        "settings: analytics.spark.shuffle_partitions has no effect any more; remove it",
        "settings: analytics.spark.max_result_rows has no effect any more; remove it",
    ]


@pytest.mark.parametrize("value", [True, False])
def test_the_former_key_of_a_router_keeps_its_value(tmp_path: Path, value: bool) -> None:
    settings = load(tmp_path, with_router(f"judge_beside = {str(value).lower()}"))
    assert settings.routers[0].simulate_with_running_config is value


def test_current_keys_warn_of_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    load(tmp_path, with_section('[gate]\ntcp_profiles = ["linux-2.6.33"]\n[replay]\nlatest_day = 2026-11-23'))
    assert caplog.records == []


@pytest.mark.parametrize(
    "lines",
    [
        '[gate]\nhosts = ["linux-2.6.33"]\ntcp_profiles = ["linux-6"]',
        "[trial]\nuntil = 2026-11-23\n[replay]\nlatest_day = 2026-11-24",
    ],
)
def test_a_former_key_beside_its_new_name_is_refused(tmp_path: Path, lines: str) -> None:
    assert "unknown key" in refusal(tmp_path, with_section(lines))
