"""`hntes init` with what SNMP, NetBox or a table know of the routers, and routers that come later."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hntes.cli.cli import main
from hntes.settings import read_settings
from hntes.settings.model import Interface
from tests.contract.platform.case import case_of
from tests.support.installation import ROOT
from tests.support.inventories import CONFIGURATIONS, NETWORK, configuration_file, netbox, table_file, walk_file

FLOWS = ROOT / "demo" / "flows"
MANY = ROOT.parent / "shared" / "data" / "exports" / "good" / "backbone_one_minute"
WEST, EAST = NETWORK


def run(settings: Path, *arguments: str, expect: int = 0) -> Result:
    done = CliRunner().invoke(main, ["--settings", str(settings), *arguments])
    assert done.exit_code == expect, done.output
    return done


def by_walk(folder: Path) -> list[str]:
    files = [walk_file(folder, WEST), walk_file(folder, EAST, numeric=True)]
    return [each for file in files for each in ("--snmp-walk", str(file))]


def by_table(folder: Path) -> list[str]:
    return ["--ports-csv", str(table_file(folder))]


def by_configuration(folder: Path) -> list[str]:
    return [each for name in CONFIGURATIONS for each in ("--running-config", str(configuration_file(folder, name)))]


def filled(settings: Path, platform: str = "junos") -> str:
    """The file with its gaps filled in, as far as it has any."""
    text = settings.read_text()
    text = re.sub(r"# platform =   FILL IN.*", f'platform = "{platform}"', text)
    return re.sub(r"# interfaces =   FILL IN.*", 'interfaces = [{match = "*", role = "both"}]', text)


def ports(settings: Path) -> dict[str, tuple[Interface, ...]]:
    return {router.name: router.interfaces for router in read_settings(settings).routers}


EXPECTED = {
    "west1": (Interface(name="xe-0/1/0", role="both", rate_bps=10_000_000_000, snmp_index=501),),
    "east1": (Interface(name="TenGigE0/0/0/2", role="both", rate_bps=10_000_000_000, snmp_index=502),),
}


@pytest.mark.parametrize("source", [by_walk, by_table, by_configuration])
def test_each_source_gives_the_same_ports(tmp_path: Path, source: Callable[[Path], list[str]]) -> None:
    settings = tmp_path / "hntes.toml"
    said = run(settings, "init", str(FLOWS / "r1"), str(FLOWS / "r2"), *source(tmp_path))
    assert "2 ports named by the inventory" in said.stdout
    settings.write_text(filled(settings))
    assert ports(settings) == EXPECTED


def test_netbox_gives_the_same_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "hntes.toml"
    monkeypatch.setenv("NETBOX_TOKEN", "t0ken")
    with netbox("t0ken") as url:
        run(settings, "init", str(FLOWS / "r1"), str(FLOWS / "r2"), str(FLOWS / "r3"), "--netbox", url)
        assert "198.19.253.1: no device in NetBox has this address" in run(
            settings, "init", str(FLOWS), "--netbox", url, "--force"
        ).stderr  # fmt: skip
        monkeypatch.setenv("NETBOX_TOKEN", "another")
        refused = run(tmp_path / "other.toml", "init", str(FLOWS), "--netbox", url, expect=1).stderr
    assert "403" in refused
    assert "another" not in refused
    text = re.sub(r"# name =   FILL IN.*", 'name = "xe-9/9/9"', filled(settings))
    settings.write_text(re.sub(r"# rate_bps =   FILL IN.*", 'rate_bps = "10G"', text))
    found = ports(settings)
    assert {name: found[name] for name in EXPECTED} == EXPECTED


def test_what_an_inventory_knows_is_not_asked(tmp_path: Path) -> None:
    settings = tmp_path / "hntes.toml"
    said = run(settings, "init", str(FLOWS / "r1"), str(FLOWS / "r2"), *by_walk(tmp_path)).stdout
    assert "fill in 1 marked value" in said
    text = settings.read_text()
    assert re.findall(r'^platform = "(\w+)"', text, re.MULTILINE) == ["junos", "iosxr"]
    assert "the ports are named TenGigE, xe" in text


def test_many_routers_are_asked_for_few_values(tmp_path: Path) -> None:
    if not MANY.exists():
        pytest.skip("the flow files of others are not here")
    settings = tmp_path / "hntes.toml"
    said = run(settings, "init", str(MANY)).stdout
    assert "44 routers; their ports in" in said
    assert settings.read_text().count("  FILL IN: ") <= 10
    with (tmp_path / "ports.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["exporter"] for row in rows} == {
        address for router in re.findall(r"^exporters = \[(.*)\]", settings.read_text(), re.MULTILINE)
        for address in re.findall(r'"(.+?)"', router)
    }  # fmt: skip
    for row in rows:
        index = int(row["snmp_index"])
        row |= {"name": f"{'et' if index % 2 else 'xe'}-0/0/{index}", "role": "both"}
    with (tmp_path / "ports.csv").open("w") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    text = re.sub(r"# rate_bps =   FILL IN.*", 'rate_bps = "100G"', filled(settings))
    settings.write_text(text)
    assert len(read_settings(settings).routers) == 44


def test_routers_that_come_later_are_added_and_what_was_written_stays(tmp_path: Path) -> None:
    settings = tmp_path / "hntes.toml"
    run(settings, "init", str(FLOWS / "r1"), *by_walk(tmp_path))
    mine = filled(settings) + "# mine\n"
    settings.write_text(mine)
    said = run(settings, "init", "--add", str(FLOWS / "r1"), str(FLOWS / "r2"), *by_walk(tmp_path)).stdout
    assert f"added to {settings}: 1 router" in said
    assert settings.read_text().startswith(mine)
    assert ports(settings) == EXPECTED
    run(settings, "init", "--add", str(FLOWS), *by_walk(tmp_path))
    assert settings.read_text().count("[[routers]]") == 3


def test_names_that_an_inventory_learns_later_come_into_the_table(tmp_path: Path) -> None:
    settings, table = tmp_path / "hntes.toml", tmp_path / "ports.csv"
    settings.write_text(
        '[defaults]\nplatform = "junos"\nports = "ports.csv"\ninterfaces = [{match = "*", role = "both"}]\n'
        f'[[routers]]\nname = "west1"\nflow_folder = "{FLOWS / "r1"}"\nexporters = ["{WEST}"]\n'
    )
    table.write_text(
        "router,snmp_index,name,unit,role,rate_bps,note\nwest1,501,,,,1G,mine\nwest1,9,ge-0/0/9,,edge,1G,\n"
    )
    run(settings, "init", "--add", str(FLOWS / "r1"), *by_walk(tmp_path))
    (west,) = ports(settings).values()
    assert [(port.name, port.rate_bps) for port in west] == [("xe-0/1/0", 10**9), ("ge-0/0/9", 10**9)]
    before = table.read_text()
    assert "west1,501,xe-0/1/0,,,1G,mine" in before
    run(settings, "init", "--add", str(FLOWS / "r1"), *by_walk(tmp_path))
    assert table.read_text() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no ifName or ifDescr"),
        ("IF-MIB::ifName.5 = STRING: xe-0/0/0\n", "no address of the router; call the file by it"),
        ("IF-MIB::ifName.5 = STRING: Null 0\n.1.3.6.1.2.1.31.1.1.1.1.x = STRING: a\n", "no ifName or ifDescr"),
    ],
)
def test_a_walk_that_cannot_be_used_is_told(tmp_path: Path, text: str, said: str) -> None:
    walk = tmp_path / "router.walk"
    walk.write_text(text)
    refused = run(tmp_path / "hntes.toml", "init", str(FLOWS / "r1"), "--snmp-walk", str(walk), expect=1)
    assert f"{walk}: {said}" in refused.stderr
    assert not (tmp_path / "hntes.toml").exists()


def test_a_description_forges_no_line_of_the_settings(tmp_path: Path) -> None:
    walk = tmp_path / f"{WEST}.walk"
    walk.write_text(
        'IF-MIB::ifName.501 = STRING: xe-0/1/0\nIF-MIB::ifAlias.501 = STRING: a"\x1b[2J\u2028rate_bps = 1\n'
    )
    run(tmp_path / "hntes.toml", "init", str(FLOWS / "r1"), "--snmp-walk", str(walk))
    (line,) = [line for line in (tmp_path / "hntes.toml").read_text().split("\n") if "2J" in line]
    assert line.startswith("  # ")
    assert "\x1b" not in line


def test_a_configuration_without_indexes_names_ports_and_their_indexes_come_later(tmp_path: Path) -> None:
    settings = tmp_path / "hntes.toml"
    flows, config = str(FLOWS / "r1"), str(configuration_file(tmp_path, "west1", indexes=False))
    said = run(settings, "init", flows, "--running-config", config)
    assert "it says no SNMP index" in said.stderr
    assert "fill in 1 marked value" in said.stdout
    text = filled(settings)
    assert re.search(r"#   501: [\d.]+ [MG]B out", text)
    assert '# "to campus"' in text
    settings.write_text(text)
    assert ports(settings) == {"west1": (Interface(name="xe-0/1/0", role="both", rate_bps=10**10),)}


def test_ports_that_a_table_has_by_name_get_their_index_once(tmp_path: Path) -> None:
    settings, table = tmp_path / "hntes.toml", tmp_path / "ports.csv"
    settings.write_text(
        '[defaults]\nplatform = "junos"\nports = "ports.csv"\ninterfaces = [{match = "*", role = "both"}]\n'
        f'[[routers]]\nname = "west1"\nflow_folder = "{FLOWS / "r1"}"\nexporters = ["{WEST}"]\n'
    )
    table.write_text("router,snmp_index,name,rate_bps\nwest1,501,,\nwest1,,xe-0/1/0,1G\n")
    run(settings, "init", "--add", str(FLOWS / "r1"), *by_walk(tmp_path))
    assert ports(settings) == {
        "west1": (Interface(name="xe-0/1/0", role="both", rate_bps=10**9, snmp_index=501),)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no installed platform"),
        ("system name a\nport 1\n address 192.0.2.1/31\n", "no installed platform"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_told(tmp_path: Path, text: str, said: str) -> None:
    config = tmp_path / "router.conf"
    config.write_text(text)
    refused = run(tmp_path / "hntes.toml", "init", str(FLOWS / "r1"), "--running-config", str(config), expect=1)
    assert f"{config}: {said}" in refused.stderr
    assert not (tmp_path / "hntes.toml").exists()


def test_a_configuration_of_another_router_is_told_and_changes_nothing(tmp_path: Path) -> None:
    config = str(configuration_file(tmp_path, "east1"))
    said = run(tmp_path / "hntes.toml", "init", str(FLOWS / "r1"), "--running-config", config)
    assert "no exporter has an address of this router" in said.stderr
    assert "TenGigE" not in (tmp_path / "hntes.toml").read_text()


def test_force_keeps_a_table_that_was_filled_in(tmp_path: Path) -> None:
    if not MANY.exists():
        pytest.skip("the flow files of others are not here")
    settings, table = tmp_path / "hntes.toml", tmp_path / "ports.csv"

    def rows() -> list[dict[str, str]]:
        with table.open() as file:
            return list(csv.DictReader(file))

    run(settings, "init", str(MANY))
    mine = [row | {"name": f"et-0/0/{at}", "note": "mine"} for at, row in enumerate(rows())]
    with table.open("w") as file:
        writer = csv.DictWriter(file, mine[0])
        writer.writeheader()
        writer.writerows(mine[:-1])
    settings.unlink()
    assert f"{table} exists and was not changed" in run(settings, "init", str(MANY), expect=1).stderr
    run(settings, "init", str(MANY), "--force")
    assert rows() == [*mine[:-1], mine[-1] | {"name": "", "note": ""}]


def test_a_platform_that_names_interfaces_apart_from_ports_has_both_in_the_settings(tmp_path: Path) -> None:
    """SR OS: router interface to-site on 1/1/c1/1:100, as its own configuration has it."""
    settings = tmp_path / "hntes.toml"
    listed = tmp_path / "198.19.251.1.conf"
    listed.write_text(case_of("sros").running)
    run(settings, "init", str(FLOWS / "r1"), "--running-config", str(listed))
    settings.write_text(re.sub(r"# rate_bps =   FILL IN.*", 'rate_bps = "10G"', filled(settings)))
    (found,) = ports(settings).values()
    named = {(each.name, each.unit): each.logical for each in found}
    assert named == {("1/1/c1/1", 100): "to-site", ("1/1/c2/1", 0): "core-1", ("1/1/c3/1", 0): "peer-1"}


def test_a_table_of_ports_has_the_logical_interface_too(tmp_path: Path) -> None:
    settings, table = tmp_path / "hntes.toml", tmp_path / "ports.csv"
    settings.write_text(
        '[defaults]\nports = "ports.csv"\nrate_bps = "10G"\ninterfaces = [{match = "*", role = "both"}]\n'
        f'[[routers]]\nname = "r1"\nplatform = "sros"\nflow_folder = "{FLOWS / "r1"}"\n'
    )
    table.write_text("router,name,unit,logical\nr1,1/1/c1/1,100,to-site\n")
    ((found,),) = ports(settings).values()
    assert (found.name, found.unit, found.logical) == ("1/1/c1/1", 100, "to-site")
