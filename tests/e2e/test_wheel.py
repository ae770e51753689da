"""The wheel holds the whole program: installed outside of any checkout, it runs a night up to a verdict."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from datetime import UTC, date, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest

from demo.redate import redate

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
NIGHT = "2026-11-20"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    for left in (ROOT / "build").glob("lib*"):  # what an earlier build left would get into the wheel
        shutil.rmtree(left)
    build = [str(ROOT / "scripts" / "with_rust"), sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    options = ["--no-index", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*build, *options, str(ROOT)], check=True, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> "Installed":
    """A fresh environment with the wheel; what the wheel depends on comes from this environment."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", packages, wheel],
        check=True,
    )
    # a .pth file inside that folder, such as the one of an editable installation, is not followed
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Installed(folder)


class Installed:
    """The demonstration's flows and settings beside an installation, and somebody else's settings.py on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = folder / "site"
        shutil.copytree(ROOT / "demo" / "flows", self.site / "flows")
        text = (ROOT / "demo" / "hntes.toml").read_text(encoding="utf-8")
        (self.site / "hntes.toml").write_text(text.replace("../var/", "var/"), encoding="utf-8")
        foreign = folder / "foreign"
        foreign.mkdir()
        for name in ("settings", "rules", "sql", "web", "pipeline"):
            (foreign / f"{name}.py").write_text("raise ImportError('this module is not HNTES')\n")
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self._environment["PYTHONPATH"] = str(foreign)

    def hntes(self, *arguments: str) -> str:
        """In the demonstration's folder."""
        return self.run(self.site, *arguments)

    def run(self, folder: Path, *arguments: str) -> str:
        """In a folder with its hntes.toml."""
        python = self.folder / "venv" / "bin" / "python"
        done = subprocess.run(
            [python, "-m", "hntes", *arguments],
            cwd=folder, env=self._environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def test_the_wheel_has_one_package_and_names_its_platform(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        tags = archive.read(next(name for name in names if name.endswith(".dist-info/WHEEL"))).decode()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"hntes"}
    assert "Root-Is-Purelib: false" in tags
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.stem.endswith(f"-cp311-abi3-{platform}")


def test_it_runs_a_night_to_a_verdict(installed: Installed) -> None:
    assert "settings" in installed.hntes("check").lower()
    for stage in ("ingest", "detect", "measure"):
        installed.hntes("stage", stage, "--day", NIGHT)
    proposed = installed.hntes("stage", "propose", "--day", NIGHT)
    routers = sorted(folder.name for folder in (ROOT / "demo" / "flows").iterdir())
    # One of each platform: the templates of all are there.
    assert proposed.count("state: pending") == len(routers), proposed
    assert "gate: passed" in installed.hntes("stage", "judge", "--router", routers[0], "--day", NIGHT)


def test_it_has_the_demonstration(installed: Installed) -> None:
    python = installed.folder / "venv" / "bin" / "python"
    prepares = "from pathlib import Path; from hntes.cli.demo import prepare; prepare(Path('demo').resolve())"
    subprocess.run([python, "-c", prepares], cwd=installed.site, check=True)
    # Two of the repository's folders are links to a third; an installation has copies of it.
    files = sorted(each.name for each in (ROOT / "demo" / "flows").glob("*/nfcapd.*"))
    assert sorted(each.name for each in (installed.site / "demo" / "flows").glob("*/nfcapd.*")) == files
    assert "router r3: 15 flow files" in installed.hntes("check", "--settings", "demo/hntes.toml")
    assert "four nights" in installed.hntes("demo", "--help")


def test_a_newcomer_gets_from_old_flow_files_to_a_delivered_change(installed: Installed, shared_data: Path) -> None:
    """Files that are a week old and have nothing to do with the demonstration, on a machine without nfdump."""
    recorded = shared_data / "transfers" / "run_a" / "full" / "r1"
    if not recorded.is_dir():
        pytest.skip("the recorded transfers are not beside the repository")
    days = (datetime.now(UTC).date() - timedelta(days=7) - date(2026, 11, 20)).days
    here = installed.folder / "newcomer"
    (here / "collector" / "gw1").mkdir(parents=True)
    for path in sorted(recorded.iterdir()):
        name = f"nfcapd.{datetime.strptime(path.name, 'nfcapd.%Y%m%d%H%M') + timedelta(days=days):%Y%m%d%H%M}"
        (here / "collector" / "gw1" / name).write_bytes(redate(path.read_bytes(), days))
    told = installed.run(here, "init", "collector", "--nfdump", str(here / "nowhere"))
    settings = here / "hntes.toml"
    answers = {
        "platform": '"junos"', "rate_bps": '"10G"', "interfaces": '[{match = "*", role = "both"}]',
        "name": '"xe-0/1/0"',
    }  # fmt: skip
    assert f"fill in {len(answers)} marked values" in told
    text = settings.read_text()
    for key, value in answers.items():
        text, found = re.subn(rf"# {key} =   FILL IN.*", f"{key} = {value}", text)
        assert found == 1
    settings.write_text(text.replace("[ingest]", f'[ingest]\nnfdump = "{here / "nowhere"}"'))
    installed.run(here, "check")
    night = installed.run(here, "nightly")
    assert "gw1: gate: passed" in night
    (waiting,) = json.loads(installed.run(here, "change", "list", "--json"))
    assert waiting["pairs_added"] == len(pairs_sent(shared_data / "transfers" / "run_a" / "truth.csv", "r1"))
    assert waiting["candidate_hash"][:12] in installed.run(here, "change", "show", "--router", "gw1")
    installed.run(here, "change", "approve", "--hash", waiting["candidate_hash"][:12])
    delivered = installed.run(here, "router", "deliver")
    assert Path(delivered.split(": ")[1].strip()).read_text().count("198.18.10.0/24") > 0


def pairs_sent(truth: Path, router: str) -> set[tuple[str, str]]:
    """The pairs of /24 between which one stream that the router saw carried more than 1 GB in a minute.

    IPv4 alone: the router exports NetFlow version 5, which knows no other.
    """
    with truth.open() as file:
        sent = [row for row in csv.DictReader(file) if row["streams"] == "1" and router in row["seen_by"].split("+")]
    large = [row for row in sent if row["more_than_1e9_in_60s"] == "True" and ":" not in row["src"]]
    return {(_network(row["src"]), _network(row["dst"])) for row in large}


def _network(host: str) -> str:
    return str(ip_network(f"{host}/24", strict=False))


def test_it_lists_what_can_be_reproduced(installed: Installed) -> None:
    assert "experiment" in installed.hntes("reproduce", "--list").lower()


def test_it_simulates_a_scenario(installed: Installed) -> None:
    scenario = installed.site / "scenario.toml"
    guide = (ROOT / "docs" / "how-to" / "simulate.md").read_text(encoding="utf-8")
    scenario.write_text(guide.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    installed.hntes("simulate", str(scenario))
