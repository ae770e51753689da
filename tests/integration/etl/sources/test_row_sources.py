"""Folders of goflow2, pmacct and Parquet files through ingest and detection: what each cannot know weakens evidence."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation, demo_installation
from tests.support.row_files import (
    NOON_MS,
    MadeFlow,
    clickhouse_columns,
    goflow2_row,
    pmacct_row,
    write_lines,
    write_table,
)

DAY = "2026-11-20"
# 3 GB in 50 s, and what is no alpha flow.
ALPHA = MadeFlow(NOON_MS, NOON_MS + 50_000, 2_000_000, 3_000_000_000, destination="203.0.113.9", exporter="192.0.2.1")
MOUSE = MadeFlow(NOON_MS, NOON_MS + 100, 10, 5000, source_port=5001)


def site(folder: Path, flows: Path, described: str = "") -> Installation:
    """The demonstration with that flow folder for its router r1."""
    demo = demo_installation(folder)
    text = demo.settings.read_text()
    line = next(each for each in text.splitlines() if each.startswith("flow_folder") and each.endswith('r1"'))
    text = text.replace(line, f'flow_folder = "{flows}"')
    entry = f'[[ingest.folders]]\nfolder = "{flows}"\n{described}\n\n' if described else ""
    demo.settings.write_text(text.replace("[plans.recommended]", f"{entry}[plans.recommended]", 1))
    return demo


def ingest(made: Installation, expect: int = 0) -> dict[str, Any]:
    (report,) = made.json("stage", "ingest", "--all", "--router", "r1", expect=expect)
    return dict(report)


def detect(made: Installation) -> tuple[list[dict[str, Any]], str]:
    """The observations of the day, and the day's status."""
    found = made.json("stage", "detect", "--day", DAY, "--router", "r1")["r1"]
    return found["observations"], json.dumps(found)


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    folder = tmp_path / "collector"
    folder.mkdir()
    return folder


def test_goflow2_is_found_by_its_files_and_its_records_are_exact(tmp_path: Path, flows: Path) -> None:
    write_lines(flows / "goflow2-202611201200.json.zst", map(goflow2_row, (ALPHA, MOUSE)))
    made = site(tmp_path / "site", flows)
    assert ingest(made)["outcomes"] == {"kept": 2}
    ((one,), status) = detect(made)
    assert (one["peak_bytes"], one["peak_sd_bytes"], one["borderline"]) == (3_000_000_000, 0, False)
    assert "the collector does not tell how many exports it missed" in status


def test_of_samples_the_count_is_the_evidence(tmp_path: Path, flows: Path) -> None:
    """1 of 1000 frames of 1500 bytes: 1600 samples in 40 s stand for 2.4 GB, with an error of one in 40."""
    frame = MadeFlow(packets=1, bytes=1500, factor=1000, destination="203.0.113.9")
    frames = [dataclasses.replace(frame, last_ms=NOON_MS + 25 * number) for number in range(1600)]
    write_lines(flows / "goflow2-202611201200.json", (goflow2_row(one, "SFLOW_5") for one in frames))
    made = site(tmp_path / "site", flows)
    ingest(made)
    ((one,), _) = detect(made)
    assert (one["records"], one["peak_bytes"]) == (1600, 2_400_000_000)
    assert one["peak_sd_bytes"] == pytest.approx(2_400_000_000 / 40, rel=0.001)  # (1 - 1/1000)^(1/2) less


def _binned(flow: MadeFlow) -> dict[str, Any]:
    row = pmacct_row(flow)
    del row["timestamp_start"], row["timestamp_end"], row["timestamp_arrival"]
    return row | {"stamp_inserted": "2026-11-20 12:00:00", "stamp_updated": "2026-11-20 12:05:01"}


def test_a_bin_of_5_minutes_is_an_average_and_hides_a_minute(tmp_path: Path, flows: Path) -> None:
    """3 GB in one of the bin's minutes are 0.6 GB a minute on average, and 6 GB are 1.2 GB."""
    larger = dataclasses.replace(ALPHA, destination="203.0.113.10", bytes=6_000_000_000, packets=4_000_000)
    write_lines(flows / "pmacct-20261120-1200.json", map(_binned, (ALPHA, larger)))
    made = site(tmp_path / "site", flows, "period_s = 300")
    assert ingest(made)["outcomes"] == {"kept": 2, "noted:period_times": 2}
    ((one,), status) = detect(made)
    assert (one["destination"], one["peak_bytes"], one["borderline"]) == ("203.0.113.10", 1_200_000_000, False)
    assert "2 of 2 records are sums over a time bin: alpha flows in them are averages" in status


def test_a_bin_of_unknown_length_is_read_once_the_settings_say_it(tmp_path: Path, flows: Path) -> None:
    write_lines(flows / "pmacct-20261120-1200.json", [_binned(ALPHA)])
    made = site(tmp_path / "site", flows)
    (reason,) = ingest(made, expect=3)["quarantined"].values()
    assert "set `period_s`" in reason
    entry = f'[[ingest.folders]]\nfolder = "{flows}"\nperiod_s = 60\n\n[plans.recommended]'
    made.settings.write_text(made.settings.read_text().replace("[plans.recommended]", entry, 1))
    assert ingest(made)["outcomes"] == {"kept": 1, "noted:period_times": 1}


def test_assumed_times_make_weak_evidence(tmp_path: Path, flows: Path) -> None:
    write_table(flows / "akvorado-202611201200.parquet", clickhouse_columns([ALPHA, MOUSE]))
    made = site(tmp_path / "site", flows, "active_timeout_s = 60")
    assert ingest(made)["outcomes"] == {"kept": 2, "noted:assumed_times": 2}
    ((one,), status) = detect(made)
    assert (one["peak_bytes"], one["borderline"]) == (3_000_000_000, True)
    assert "2 of 2 records have assumed times: alpha flows of them are weak evidence" in status


def _goflow2(path: Path, made: list[MadeFlow]) -> None:
    write_lines(path.with_suffix(".json"), map(goflow2_row, made))


def _pmacct(path: Path, made: list[MadeFlow]) -> None:
    write_lines(path.with_suffix(".json"), map(pmacct_row, made))


def _parquet(path: Path, made: list[MadeFlow]) -> None:
    write_table(path.with_suffix(".parquet"), clickhouse_columns(made))


@pytest.mark.parametrize("write", [_goflow2, _pmacct, _parquet])
def test_the_same_file_again_changes_nothing_and_a_changed_one_replaces_its_rows(
    tmp_path: Path, flows: Path, write: Callable[[Path, list[MadeFlow]], None]
) -> None:
    file = flows / "flows-202611201200"
    write(file, [ALPHA, MOUSE])
    made = site(tmp_path / "site", flows, "active_timeout_s = 60" if write is _parquet else "")
    assert ingest(made)["ingested"] == 1
    before = made.state()
    assert (ingest(made)["ingested"], ingest(made)["unchanged"]) == (0, 1)
    assert made.state() == before
    write(file, [MOUSE])
    assert ingest(made)["ingested"] == 1
    assert detect(made)[0] == []
    write(file, [ALPHA, MOUSE])
    ingest(made)
    assert [one["flow_bytes"] for one in detect(made)[0]] == [3_000_000_000]


def test_malformed_rows_leave_the_day_incomplete_by_their_share(tmp_path: Path, flows: Path) -> None:
    bad: list[dict[str, Any] | str] = [
        goflow2_row(MOUSE) | {"bytes": -1},
        "{",
        goflow2_row(MOUSE) | {"sampler_address": 7},
    ]
    write_lines(flows / "goflow2-202611201200.json", [goflow2_row(MOUSE), *bad])
    made = site(tmp_path / "site", flows)
    report = ingest(made)
    assert report["outcomes"] == {"kept": 1, "set_aside:malformed_row": 3}
    (warning,) = report["warnings"]
    assert "goflow2-202611201200.json: 3 rows set aside alone as malformed: row 2: " in warning
    losses = made.json("stage", "detect", "--day", DAY, "--router", "r1")["r1"]["losses"]
    # the file covers a minute; a quarter of its records can be read
    total = next(one for one in losses if one["cause"] == "all")
    assert (total["records"], total["whole_records"], total["seen_s"]) == (3, 4, 15)
    assert {one["cause"] for one in losses} == {"all", "malformed_row"}


def test_a_source_that_is_not_installed_is_named(tmp_path: Path, flows: Path) -> None:
    write_lines(flows / "goflow2-202611201200.json", [goflow2_row(MOUSE)])
    made = site(tmp_path / "site", flows, 'source = "silk"')
    done = made.run("stage", "ingest", "--all", "--router", "r1", expect=1)
    assert "no flow source 'silk' is installed; there are: goflow2, nfcapd, parquet, pmacct" in done.stderr


def test_a_folder_is_read_by_the_source_that_the_settings_name(tmp_path: Path, flows: Path) -> None:
    write_lines(flows / "goflow2-202611201200.json", [goflow2_row(MOUSE)])
    made = site(tmp_path / "site", flows, 'source = "pmacct"')
    (reason,) = ingest(made, expect=3)["quarantined"].values()
    assert reason == "its JSON objects are no flows of pmacct: they have no ip_src, ip_dst and bytes"


def test_init_and_check_know_the_folders(tmp_path: Path, flows: Path) -> None:
    write_lines(flows / "goflow2-202611201200.json", map(goflow2_row, (ALPHA, MOUSE)))
    made = site(tmp_path / "site", flows)
    settings = tmp_path / "new.toml"
    made.run("--settings", str(settings), "init", str(flows))
    assert "192.0.2.1" in settings.read_text()
    write_lines(flows / "goflow2-202611201205.json", ["{", goflow2_row(MOUSE)])
    said = made.run("check").stdout
    assert f"{flows}: 2 files of goflow2" in said


def test_init_says_what_a_folder_of_bins_needs(tmp_path: Path, flows: Path) -> None:
    write_lines(flows / "pmacct-20261120-1200.json", [_binned(ALPHA)])
    made = site(tmp_path / "site", flows)
    done = made.run("--settings", str(tmp_path / "new.toml"), "init", str(flows), expect=1)
    assert "set `period_s`" in done.stderr
