"""A platform is one folder: the toy goes through settings, the gate and a night, and no product code knows it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hntes.gate import judge
from hntes.platforms.registry import installed_platforms
from hntes.platforms.settings_check import router_problems
from hntes.settings import SettingsError, read_settings
from hntes.settings.model import Gate
from hntes.settings.plans import SingleQueue, TwoQueue
from tests.contract.platform.conftest import TOY, TOY_NAME
from tests.support.gate_subjects import shared_lab, small_model, subject_of
from tests.support.installation import ROOT, demo_installation

SETTINGS = """\
[[routers]]
name = "r1"
platform = "{platform}"
flow_folder = "flows"
{line}
interfaces = [
  {{ name = "toy-1", unit = 100, role = "edge", rate_bps = 10_000_000_000 }},
  {{ name = "toy-2", role = "core", rate_bps = 10_000_000_000 }},
]
"""
NIGHT = "2026-11-20"


def refusal(tmp_path: Path, line: str = "", platform: str = TOY_NAME) -> str:
    path = tmp_path / "hntes.toml"
    path.write_text(SETTINGS.format(platform=platform, line=line))
    with pytest.raises(SettingsError) as caught:
        read_settings(path, router_problems)
    return str(caught.value)


def test_settings_accept_it(tmp_path: Path) -> None:
    path = tmp_path / "hntes.toml"
    path.write_text(SETTINGS.format(platform=TOY_NAME, line='redirect = { kind = "next_hop", ipv4 = "192.0.2.1" }'))
    assert read_settings(path, router_problems).routers[0].platform == TOY_NAME


def test_settings_name_a_platform_that_is_not_installed_and_its_line(tmp_path: Path) -> None:
    said = refusal(tmp_path, platform="unheard_of")
    assert "line 3, routers[r1].platform: platform 'unheard_of' is not installed" in said
    assert f"installed are: {', '.join(installed_platforms())}" in said
    assert TOY_NAME in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fast_lookup_filter = true", "line 5, routers[r1].fast_lookup_filter: router r1: fast_lookup_filter is only"),
        ('redirect = { kind = "lsp", tunnel = 5 }', "line 5, routers[r1].redirect: router r1: toy cannot redirect"),
    ],
)
def test_settings_refuse_what_it_does_not_have(tmp_path: Path, line: str, said: str) -> None:
    assert said in refusal(tmp_path, line)


def test_names_are_known_without_importing_a_platform() -> None:
    code = (
        "import sys\n"
        "from hntes.platforms.registry import installed_platforms, is_installed\n"
        "assert is_installed('toy')\n"
        "print(*installed_platforms())\n"
        "print(*(name for name in sys.modules if name.startswith(('hntes.platforms', 'tests'))))\n"
    )
    environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}:{TOY}"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    names, loaded = done.stdout.splitlines()
    assert TOY_NAME in names.split()
    assert set(loaded.split()) == {"hntes.platforms", "hntes.platforms.registry"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_gate_judges_its_text() -> None:
    gate = Gate(run_s=20, tcp_profiles=("linux-2.6.33",))
    passing = judge(subject_of(small_model(TOY_NAME, TwoQueue(kind="two_queue"))), gate, shared_lab())
    assert passing.is_passing, [(each.criterion, each.measure, each.outcome) for each in passing.verdicts]
    failing = judge(subject_of(small_model(TOY_NAME, SingleQueue(kind="single_queue"))), gate, shared_lab())
    assert "delay" in {each.criterion for each in failing.verdicts if each.outcome == "failed"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_night_proposes_judges_and_hands_over_its_text(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site", **{'platform = "junos"': f'platform = "{TOY_NAME}"'})
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    (change,) = site.json("change", "list")
    assert change["router"] == "r1"
    shown = site.run("change", "show", "--router", "r1").stdout
    assert "hntes pair alpha-" in shown
    decided = ("--router", "r1", "--hash", change["candidate_hash"])
    site.run("change", "approve", *decided, "--who", "anna")
    site.run("router", "deliver")
    approved = site.output / "r1" / "approved"
    manifest = json.loads((approved / "manifest.json").read_text())
    assert manifest["platform"] == TOY_NAME
    text = (approved / f"{change['candidate_hash']}.conf").read_text()
    assert text.startswith(f"# HNTES candidate for router r1 ({TOY_NAME})\n")
    assert (approved / f"{change['candidate_hash']}.removal").read_text().endswith("\nclear hntes\n")
    assert site.run("router", "remove", "--print", "--router", "r1").stdout.endswith("\nclear hntes\n")
