"""`hntes demo`: the demonstration without a clone."""

import os
import shutil
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from hntes.cli import demo
from hntes.cli.cli import main
from hntes.gate.ports import planned_ports
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings import read_settings
from hntes.settings.model import Settings
from hntes.simulator.testbed.port_plan import PortPlan
from tests.support.installation import ROOT


def test_its_folder_is_an_installation_of_its_own(tmp_path: Path) -> None:
    settings = read_settings(demo.prepare(tmp_path / "here"))
    assert {router.flow_folder.parent for router in settings.routers} == {tmp_path / "here" / "flows"}
    assert {settings.paths.lake, settings.paths.output, settings.paths.simulations} == {
        tmp_path / "here" / "var" / name for name in ("lake", "output", "simulations")
    }
    assert settings.paths.audit_anchors == tmp_path / "here" / "var" / "audit-anchors.log"
    assert settings.database.url == f"sqlite:///{tmp_path}/here/var/hntes.db"
    own = {path.relative_to(ROOT / "demo"): path.read_bytes() for path in (ROOT / "demo" / "flows").glob("*/nfcapd*")}
    assert {path.parts[1] for path in own} == {router.name for router in settings.routers}
    for path, content in own.items():
        assert (tmp_path / "here" / path).read_bytes() == content


def test_it_shows_each_platform_that_hntes_ships() -> None:
    routers = read_settings(ROOT / "demo" / "hntes.toml").routers
    assert sorted(router.platform for router in routers) == sorted(_shipped_platforms())


def test_two_platforms_more_cost_no_run_more() -> None:
    """What the texts of r4 and r5 mean on a port is what those of r1 and r3 mean, so that their runs are the same."""
    settings = read_settings(ROOT / "demo" / "hntes.toml")
    plans = {each.name: _port_plan(settings, each.name) for each in settings.routers if each.name != "r2"}
    assert plans["r4"] == plans["r1"]
    assert plans["r5"] == plans["r3"]
    assert plans["r1"] != plans["r3"]


def _port_plan(settings: Settings, name: str) -> PortPlan:
    router = settings.router(name)
    pairs = [PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")]
    made = build_model(router, settings.plans[router.plan], pairs)
    found = parse_config(router.platform, render(made), made.interfaces)
    (port,) = planned_ports(found, pairs, alpha_queue=made.queue_for("alpha") or 0, port_buffer_ms=100)
    return port.plan


def _shipped_platforms() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["entry-points"]["hntes.platforms"])


def test_what_it_wrote_is_gone_before_it_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anchors of a log that was deleted would stop the next demonstration; simulated runs alone are kept."""
    shutil.copytree(ROOT / "demo", tmp_path / "demo")
    settings = read_settings(tmp_path / "demo" / "hntes.toml")
    database = Path(settings.database.url.removeprefix("sqlite:///"))
    paths = (settings.paths.lake, settings.paths.output, settings.paths.audit_anchors, database)
    written = [Path(os.path.normpath(each)) for each in paths]
    for each in written:
        each.parent.mkdir(parents=True, exist_ok=True)
        each.touch()
    monkeypatch.setattr(demo, "ROOT", tmp_path)
    monkeypatch.setattr(demo, "run", lambda *_: 0)
    assert demo.main() == 0
    assert [each for each in written if each.exists()] == []


@pytest.mark.parametrize("more", [[], ["--force"]])
def test_what_somebody_has_in_the_folder_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hntes-demo" / "var").mkdir(parents=True)
    (tmp_path / "hntes-demo" / "var" / "hntes.db").write_text("mine")
    (tmp_path / "hntes-demo" / "hntes.toml").write_text("mine")
    refused = CliRunner().invoke(main, ["demo", *more])
    assert refused.exit_code == 2
    assert "not a folder of the demonstration" in refused.stderr
    assert (tmp_path / "hntes-demo" / "var" / "hntes.db").read_text() == "mine"
    assert (tmp_path / "hntes-demo" / "hntes.toml").read_text() == "mine"


def test_a_demonstration_is_started_again_only_by_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo.prepare(tmp_path / "hntes-demo")
    (tmp_path / "hntes-demo" / "var").mkdir()
    monkeypatch.setattr(demo, "run", lambda *_: 0)
    assert "--force starts again in it" in CliRunner().invoke(main, ["demo"]).stderr
    assert (tmp_path / "hntes-demo" / "var").exists()
    assert CliRunner().invoke(main, ["demo", "--force"]).exit_code == 0
    assert not (tmp_path / "hntes-demo" / "var").exists()


def test_it_runs_the_nights_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seen: list[tuple[Path, Path]] = []

    def run(settings: Path, base: Path) -> int:
        seen.append((settings, base))
        return 0

    monkeypatch.setattr(demo, "run", run)
    done = CliRunner().invoke(main, ["demo", "--out", "d"])
    assert (done.exit_code, done.stdout) == (0, "folder: d\n")
    assert seen == [(tmp_path / "d" / "hntes.toml", tmp_path)]
