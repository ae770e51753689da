"""The wheel holds the whole program: installed outside of any checkout, it runs a night up to a verdict."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

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
        python = self.folder / "venv" / "bin" / "python"
        done = subprocess.run(
            [python, "-m", "hntes", "--settings", "hntes.toml", *arguments],
            cwd=self.site, env=self._environment, capture_output=True, text=True, check=False,
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
    night = installed.hntes("nightly", "--day", NIGHT)
    assert night.count("gate: passed") == 3, night


def test_it_has_the_demonstration(installed: Installed) -> None:
    python = installed.folder / "venv" / "bin" / "python"
    prepares = "from pathlib import Path; from hntes.cli.demo import prepare; prepare(Path('demo').resolve())"
    subprocess.run([python, "-c", prepares], cwd=installed.site, check=True)
    files = sorted(each.name for each in (ROOT / "demo" / "flows").rglob("nfcapd.*"))
    assert sorted(each.name for each in (installed.site / "demo" / "flows").rglob("nfcapd.*")) == files
    assert "router r3: 15 flow files" in installed.hntes("check", "--settings", "demo/hntes.toml")
    assert "four nights" in installed.hntes("demo", "--help")


def test_it_lists_what_can_be_reproduced(installed: Installed) -> None:
    assert "experiment" in installed.hntes("reproduce", "--list").lower()


def test_it_simulates_a_scenario(installed: Installed) -> None:
    scenario = installed.site / "scenario.toml"
    guide = (ROOT / "docs" / "how-to" / "simulate.md").read_text(encoding="utf-8")
    scenario.write_text(guide.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    installed.hntes("simulate", str(scenario))
