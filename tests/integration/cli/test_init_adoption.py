"""`hntes init --running-config`: the settings by which a router keeps its own classes."""

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from tests.support.adopted import LISTINGS

PORTS = ("--platform", "junos", "--edge", "xe-0/0/0.0", "--core", "xe-0/1/0")


def proposed(folder: Path, running: str, *ports: str) -> tuple[int, str, str]:
    path = folder / "running.conf"
    path.write_text(running, encoding="utf-8")
    done = CliRunner().invoke(main, ["init", "--running-config", str(path), *(ports or PORTS)])
    return done.exit_code, done.stdout, done.stderr


def keys(printed: str) -> dict[str, object]:
    """What was printed, as a settings file would have it."""
    plan, _, router = printed.partition("# below [[routers]]")
    plan = plan[plan.index("[plans") :] if "[plans" in plan else ""
    return {**tomllib.loads(plan), **tomllib.loads(router)}


def test_a_class_for_bulk_transfers_is_proposed(tmp_path: Path) -> None:
    status, printed, said = proposed(tmp_path, LISTINGS["junos"])
    assert status == 0, said
    assert keys(printed) == {"adopt": {"forwarding_class": "bulk", "policy": "wan"}}


def test_what_is_in_the_way_is_named_with_its_line(tmp_path: Path) -> None:
    running = LISTINGS["junos"]
    _, _, said = proposed(tmp_path, running)
    number = next(n for n, line in enumerate(running.splitlines(), 1) if "class best-effort queue-num" in line)
    assert f"line {number}: " in said


def test_without_such_a_class_one_is_added_on_a_free_queue(tmp_path: Path) -> None:
    running = LISTINGS["junos"].replace("code-points [ af11 cs1 ]", "code-points [ af11 af41 ]")
    status, printed, said = proposed(tmp_path, running)
    assert status == 0, said
    assert "packets marked af41" in said or "added to wan" in printed
    found = keys(printed)
    assert found["adopt"] == {"policy": "wan"}
    assert found["plan"] == "beside"


def test_without_a_free_queue_a_class_of_interactive_data_is_proposed_with_its_marks(tmp_path: Path) -> None:
    running = LISTINGS["junos"].replace("code-points [ af11 cs1 ]", "code-points [ af11 af41 ]")
    more = "".join(f"class spare{number} queue-num {number};\n" for number in (4, 6, 7))
    running = running.replace("class voice queue-num 5;", f"class voice queue-num 5;\n{more}")
    status, printed, said = proposed(tmp_path, running)
    assert status == 0, said
    adopt = {"forwarding_class": "business", "policy": "wan", "shares_with": ["af21", "af31", "cs3"]}
    assert keys(printed) == {"adopt": adopt}


def test_a_port_without_schedulers_gets_those_of_hntes_with_the_routers_classes(tmp_path: Path) -> None:
    running = LISTINGS["junos"].replace("scheduler-map wan;", "")
    status, printed, _ = proposed(tmp_path, running)
    assert status == 0
    kept = keys(printed)["kept_classes"]
    assert isinstance(kept, list)
    assert {each["forwarding_class"] for each in kept} == {"bulk", "business", "voice"}


def test_where_nothing_fits_the_lines_are_listed_and_the_status_says_so(tmp_path: Path) -> None:
    running = LISTINGS["junos"].replace("scheduler-map wan;", "unit 0 { scheduler-map wan; }")
    status, printed, said = proposed(tmp_path, running)
    assert status != 0
    assert "no settings fit" in printed
    assert "queues a unit of xe-0/1/0 separately" in said


# Routers without policies of their own: the default policies of both put AF4x into class 4, the default of alpha, and
# CS1 alone into the class that is proposed. On EOS class 6 is that of CS6.
SROS = """\
configure {
    port 1/1/c1/1 {
    }
    port 1/1/c2/1 {
    }
    router "Base" {
        interface "to-site" {
            port 1/1/c1/1:100
        }
        interface "core-1" {
            port 1/1/c2/1
        }
    }
}
"""
EOS = """\
interface Ethernet1/1
   no switchport
   ip address 192.0.2.1/30
!
interface Ethernet2/1
   no switchport
   ip address 192.0.2.5/30
!
"""
WITHOUT_POLICIES = {
    "sros": (SROS, ("1/1/c1/1.100", "1/1/c2/1"), {"alpha": 1}),
    "eos": (EOS, ("Ethernet1/1", "Ethernet2/1"), {"alpha": 1, "network_control": 6}),
}


@pytest.mark.parametrize("platform", WITHOUT_POLICIES)
def test_where_default_policies_use_the_default_class_another_is_proposed(tmp_path: Path, platform: str) -> None:
    running, (edge, core), queues = WITHOUT_POLICIES[platform]
    status, printed, said = proposed(tmp_path, running, "--platform", platform, "--edge", edge, "--core", core)
    assert status == 0, said
    assert keys(printed) == {"queues": queues}
    assert "af41" in said or "traffic class 0" in said


def test_a_class_that_the_router_uses_is_passed_over(tmp_path: Path) -> None:
    policy = 'configure {\n    qos {\n        sap-ingress "p" {\n            default-fc l2\n        }\n    }\n'
    running = SROS.replace("configure {\n", policy, 1)
    ports = ("--platform", "sros", "--edge", "1/1/c1/1.100", "--core", "1/1/c2/1")
    _, printed, said = proposed(tmp_path, running, *ports)
    assert "set [routers.queues] to a class for bulk" in said
    assert "as 1 (l2)" not in said
    assert "alpha = 1" not in printed


@pytest.mark.parametrize(
    ("ports", "why"),
    [
        (("--platform", "junos"), "at least one --edge"),
        (("--platform", "nonesuch", *PORTS[2:]), "nonesuch"),
        (("--platform", "junos", "--edge", "a;b", "--core", "xe-0/1/0"), "is no interface"),
    ],
)
def test_what_is_missing_or_wrong_is_named(tmp_path: Path, ports: tuple[str, ...], why: str) -> None:
    status, _, said = proposed(tmp_path, LISTINGS["junos"], *ports)
    assert status != 0
    assert why in said


def test_without_a_folder_and_without_a_file_there_is_nothing_to_do() -> None:
    assert CliRunner().invoke(main, ["init"]).exit_code == 2


def test_the_hardware_that_a_listing_names_is_proposed(tmp_path: Path) -> None:
    status, printed, _ = proposed(tmp_path, f"## Model: ptx10001-36mr\n{LISTINGS['junos']}")
    assert status == 0
    assert keys(printed)["hardware"] == "ptx"
    assert "# port_buffer_ms =   FILL IN" in printed
    assert "hardware" not in keys(proposed(tmp_path, LISTINGS["junos"])[1])


def test_hardware_is_named_where_nothing_fits(tmp_path: Path) -> None:
    status, _, said = proposed(tmp_path, "## Model: mx480\nclass-of-service {\n", *PORTS)
    assert status != 0
    assert "hardware: mx (line 1)" in said
