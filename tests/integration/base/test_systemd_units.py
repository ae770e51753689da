"""The systemd units call commands that exist, and systemd takes them."""

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from tests.support.installation import ROOT

UNITS = sorted((ROOT / "packaging" / "systemd").iterdir())


def unit(path: Path) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read(path)
    return parsed


@pytest.mark.parametrize("path", [each for each in UNITS if each.suffix == ".service"], ids=lambda each: each.name)
def test_the_command_exists_with_these_options(path: Path) -> None:
    _, program, *arguments = shlex.split(unit(path)["Service"]["ExecStart"])
    assert program == "hntes"
    done = CliRunner().invoke(main, [*arguments, "--help"])
    assert (done.exit_code, done.stderr) == (0, "")


def test_the_timer_has_its_service() -> None:
    names = {each.name for each in UNITS}
    assert {"hntes-nightly.service", "hntes-nightly.timer", "hntes-web.service"} == names
    assert unit(ROOT / "packaging" / "systemd" / "hntes-nightly.timer")["Timer"]["OnCalendar"].endswith(" UTC")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
@pytest.mark.parametrize("path", UNITS, ids=lambda each: each.name)
def test_systemd_takes_it(path: Path) -> None:
    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
