"""`hntes init` on the demonstration's flow files: what it writes, what is missing then, and what it leaves alone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hntes.cli.cli import main
from tests.support.installation import ROOT

FLOWS = ROOT / "demo" / "flows"


def run(settings: Path, *arguments: str, expect: int = 0) -> Result:
    done = CliRunner().invoke(main, ["--settings", str(settings), *arguments])
    assert done.exit_code == expect, done.output
    return done


def promised(folder: Path, name: str) -> int:
    """What nfdump's own statistics say of the three newest files, summed."""
    total = 0
    for path in sorted(folder.iterdir())[-3:]:
        said = subprocess.run(["nfdump", "-I", "-r", str(path)], capture_output=True, text=True, check=True).stdout
        total += int(re.findall(rf"^{name}: (\d+)$", said, re.MULTILINE)[0])
    return total


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    """Two exporters in one folder, of which the collector sorts files by date; and a folder with nothing to read."""
    flows = tmp_path / "flows"
    for number, router in enumerate(("r1", "r2")):
        for minute, path in enumerate(sorted((FLOWS / router).iterdir())[-2:]):
            day = flows / "west" / "2026" / f"1{number}"
            day.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, day / f"nfcapd.2026112318{number}{minute}")
    (flows / "none").mkdir()
    return flows


def test_who_exports_and_by_which_ports_is_what_nfdump_counts(tmp_path: Path) -> None:
    settings = tmp_path / "hntes.toml"
    said = run(settings, "init", str(FLOWS / "r1")).stdout
    assert f"198.19.251.1: {promised(FLOWS / 'r1', 'Flows')} records, ports 501" in said
    text = settings.read_text()
    assert "rotation_s = 60 " in text
    written = re.search(r"newest files ([\d.]+) (GB|MB) out", text)
    assert written is not None
    # three digits of it
    assert float(written[1]) * {"MB": 10**6, "GB": 10**9}[written[2]] == pytest.approx(
        promised(FLOWS / "r1", "Bytes"), rel=0.005
    )
    assert f'flow_folder = "{FLOWS / "r1"}"' in text


def test_check_names_what_is_to_be_filled_in_and_takes_it(tmp_path: Path) -> None:
    settings = tmp_path / "hntes.toml"
    said = run(settings, "init", str(FLOWS / "r1")).stdout
    marks = re.findall(r"# (\w+) =   FILL IN", settings.read_text())
    assert marks == ["platform", "rate_bps", "interfaces", "name"]
    assert "fill in 4 marked values" in said
    missing = run(settings, "check", expect=1).stderr
    assert re.findall(r"\.(\w+): is missing", missing) == ["platform", "name", "role", "rate_bps"]
    filled = {
        "platform": '"junos"', "name": '"xe-0/0/0"', "interfaces": '[{match = "xe-*", role = "both"}]',
        "rate_bps": '"10G"',
    }  # fmt: skip
    text = settings.read_text()
    for key, value in filled.items():
        text = re.sub(rf"# {key} =   FILL IN.*", f"{key} = {value}", text)
    settings.write_text(text)
    assert "router r1: 15 flow files" in run(settings, "check").stdout


def test_each_exporter_of_a_folder_is_a_router(tmp_path: Path, flows: Path) -> None:
    settings = tmp_path / "hntes.toml"
    said = run(settings, "init", str(flows)).stdout
    assert f"{flows / 'west'}: 4 flow files, 2 exporters" in said
    text = settings.read_text()
    assert sorted(re.findall(r'^name = "(.+?)"', text, re.MULTILINE)) == ["west-198-19-251-1", "west-198-19-252-1"]
    assert text.count(f'flow_folder = "{flows / "west"}"') == 2


def test_a_file_that_is_there_is_left_alone(tmp_path: Path, flows: Path) -> None:
    settings = tmp_path / "hntes.toml"
    settings.write_text("mine")
    assert "exists and was not changed; --add appends new routers" in run(settings, "init", str(flows), expect=1).stderr
    assert settings.read_text() == "mine"
    assert "no flow file in or below" in run(tmp_path / "other.toml", "init", str(flows / "none"), expect=1).stderr
    assert not (tmp_path / "other.toml").exists()
    run(settings, "init", str(flows), "--force")
    assert settings.read_text().startswith("# HNTES settings, created by")
