"""From flow files to rules: a day of which the program saw little removes nothing, and says why."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from tests.support.installation import ROOT
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file

RECORDED = ROOT / "tests" / "data" / "flows"
EXPORTER = "127.0.0.11"
SETTINGS = f"""
[database]
url = "sqlite:///hntes.db"
[paths]
lake = "lake"
output = "out"
[ingest]
rotation_s = 86400
[ageing]
days = 1
[replay]
latest_day = "2026-12-31"
[plans.recommended]
kind = "two_queue"
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
exporters = ["{EXPORTER}"]
MORE
[[routers.interfaces]]
name = "xe-0/0/0"
role = "both"
rate_bps = 100_000_000_000
"""
UNSAMPLED_SINCE = f"""
[[routers.sampling]]
exporter = "{EXPORTER}"
factor = 1
allowed_factors = [1000]
"""
ALPHA_DAY = date(2026, 11, 25)


class Site:
    """An installation with a folder of files of a day each."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.folder, self.flows = folder, folder / "flows"
        self.flows.mkdir(exist_ok=True)
        (folder / "hntes.toml").write_text(SETTINGS.replace("MORE", more))

    def run(self, *arguments: str) -> str:
        done = CliRunner().invoke(main, ["--settings", str(self.folder / "hntes.toml"), *arguments])
        assert done.exit_code in (0, 3), done.output
        return done.stdout

    def day(self, day: date) -> dict[str, Any]:
        """Reads and detects a day; its status with the losses."""
        self.run("stage", "ingest", "--day", str(day))
        self.run("stage", "detect", "--day", str(day))
        found = json.loads(self.run("data", "days", "--day", str(day), "--json"))
        return found[-1]

    def pairs(self, day: date) -> int:
        found = json.loads(self.run("rules", "--day", str(day), "--json"))
        return len(found["r1"]["rules"])


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.chdir(tmp_path)
    return Site(tmp_path)


def put_recorded(site: Site, name: str) -> None:
    for path in (RECORDED / name).iterdir():
        (site.flows / path.name).write_bytes(path.read_bytes())


def put_day(site: Site, day: date, kept: int, timeless: int) -> None:
    """Records without counters: of beta traffic, and without times, which no rule can use."""
    noon = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() * 1000)
    address = 0x7F00_000B
    plain = [FlowRecord(noon + n, noon + n + 500, noon + n + 900, 0, 0, exporter=address) for n in range(kept)]
    lost = [FlowRecord(0, 0, noon + n, 0, 0, exporter=address) for n in range(timeless)]
    (site.flows / f"nfcapd.{day:%Y%m%d}0000").write_bytes(flow_file([[ExporterRecord(1, address), *plain, *lost]]))


@pytest.mark.parametrize(
    ("more", "kept", "timeless", "pairs"),
    [
        ("", 20, 380, 1),
        ("", 95, 5, 1),
        ("", 97, 3, 0),
        ('accepted_losses = ["no_time"]', 20, 380, 0),
    ],
)
def test_a_day_that_lost_its_records_ages_nothing(site: Site, more: str, kept: int, timeless: int, pairs: int) -> None:
    site = Site(site.folder, more + UNSAMPLED_SINCE)
    put_recorded(site, "sampling_announcement_lost")
    site.day(ALPHA_DAY)
    assert site.pairs(ALPHA_DAY) == 1
    for back in range(1, 4):
        day = ALPHA_DAY + timedelta(days=back)
        put_day(site, day, kept, timeless)
        found = site.day(day)
        assert found["complete"] == (pairs == 0)
        losses = {(one["exporter"], one["cause"]): one for one in found["losses"]}
        assert losses[EXPORTER, "no_time"]["records"] == timeless
        said = f"exporter {EXPORTER}: {timeless} of {kept + timeless} records (0.00 MB of 0.00 MB) set aside (no_time)"
        assert (said in found["reason"]) == (pairs == 1)
    assert site.pairs(day) == pairs


def test_an_exporter_whose_announcement_is_lost_keeps_its_factor_and_is_told(site: Site) -> None:
    put_recorded(site, "sampling_announcement_lost")
    site.day(ALPHA_DAY)
    found = site.day(ALPHA_DAY + timedelta(days=1))
    assert not found["complete"]
    told = f"exporter {EXPORTER}: 48 of 48 records (96.00 MB of 96.00 MB) without a sampling announcement"
    assert told in found["reason"]
    flows = [json.loads(site.run("flows", "--day", str(ALPHA_DAY + timedelta(days=n)), "--json")) for n in (0, 1)]
    assert flows[0][0]["peak_bytes"] == flows[1][0]["peak_bytes"] > 1_900_000_000


def test_a_day_that_was_read_before_the_factor_was_known_is_doubted_all_the_same(site: Site) -> None:
    put_recorded(site, "sampling_announcement_lost")
    site.run("stage", "ingest", "--day", "2026-11-26")
    site.run("stage", "ingest", "--day", "2026-11-25")
    found = site.day(date(2026, 11, 26))
    assert not found["complete"]
    assert "48 of 48 records (96.00 MB of 96.00 MB) unsampled, of an exporter whose records were mostly sampled" in str(
        found["reason"]
    )


def test_a_factor_of_another_observation_domain_is_found_and_told(site: Site) -> None:
    put_recorded(site, "rate_in_other_domain")
    said = site.run("stage", "ingest", "--all")
    assert "the exporter announces 1:1000 for another observation domain" in said
    assert f'[[routers.sampling]] exporter = "{EXPORTER}" factor = 1000' in said
    found = site.day(date(2026, 11, 27))
    assert "counted with the sampling factor of another observation domain" in str(found["reason"])
    (flow,) = json.loads(site.run("flows", "--day", "2026-11-27", "--json"))
    assert flow["flow_bytes"] == 3_000_000_000
