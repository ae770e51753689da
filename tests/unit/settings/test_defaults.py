"""[defaults]: values of all routers, roles by names of ports, a table of ports."""

from pathlib import Path

import pytest

from hntes.settings import read_settings
from hntes.settings.errors import SettingsError
from hntes.settings.model import Interface, Router

ROUTER = '[[routers]]\nname = "r1"\nflow_folder = "flows"\n'
PATTERNS = (
    'interfaces = [{match = "et-*|ae*", role = "core", rate_bps = "100G"}, {match = "xe-*", role = "edge"}, '
    '{match = "lo*", role = "none"}]\n'
)
TABLE = """name,router,snmp_index,speed,unit,role,rate_bps
et-0/0/0,r1,501,x,,,
xe-0/0/1,r1,502,x,7,,1G
xe-0/0/2,r1,,x,,both,
,r1,504,,,,
lo0,r1,16,,,,
ge-0/0/9,r1,17,,,,
xe-0/0/0,r9,1,,,,
"""
HEAD = '[defaults]\nplatform = "junos"\nrate_bps = "10G"\n'


def routers(tmp_path: Path, text: str, table: str | None = None) -> tuple[Router, ...]:
    if table is not None:
        (tmp_path / "ports.csv").write_text(table)
    (tmp_path / "hntes.toml").write_text(text)
    return read_settings(tmp_path / "hntes.toml").routers


def test_a_value_of_its_own_goes_before_the_pattern_and_the_pattern_before_the_default(tmp_path: Path) -> None:
    text = f'[defaults]\nplatform = "junos"\nrate_bps = "10G"\nterm_budget = 7\n{PATTERNS}{ROUTER}term_budget = 9\n'
    text += (
        'interfaces = [{name = "et-0/0/0"}, {name = "xe-0/0/0"}, {name = "xe-0/0/1", role = "core", rate_bps = "1G"}]\n'
    )
    (one,) = routers(tmp_path, text)
    assert (one.platform, one.term_budget) == ("junos", 9)
    assert [(port.name, port.role, port.rate_bps) for port in one.interfaces] == [
        ("et-0/0/0", "core", 100_000_000_000),
        ("xe-0/0/0", "edge", 10_000_000_000),
        ("xe-0/0/1", "core", 1_000_000_000),
    ]  # fmt: skip


def test_the_first_pattern_that_matches_counts_and_none_leaves_a_port_out(tmp_path: Path) -> None:
    patterns = 'interfaces = [{match = "xe-0/0/0", role = "none"}, {match = "xe-*", role = "both"}]\n'
    text = f'{HEAD}{patterns}{ROUTER}interfaces = [{{name = "xe-0/0/0"}}, {{name = "xe-0/0/1"}}]\n'
    (one,) = routers(tmp_path, text)
    assert [port.name for port in one.interfaces] == ["xe-0/0/1"]


def test_the_ports_of_a_table_are_the_routers_interfaces(tmp_path: Path) -> None:
    text = f'{HEAD}ports = "ports.csv"\n{PATTERNS}{ROUTER}'
    (one,) = routers(tmp_path, text, TABLE)
    assert one.interfaces == (
        Interface(name="et-0/0/0", role="core", rate_bps=100_000_000_000, snmp_index=501),
        Interface(name="xe-0/0/1", unit=7, role="edge", rate_bps=1_000_000_000, snmp_index=502),
        Interface(name="xe-0/0/2", role="both", rate_bps=10_000_000_000),
    )


def test_a_port_of_the_settings_is_not_taken_from_the_table_again(tmp_path: Path) -> None:
    own = 'interfaces = [{name = "et-0/0/0", role = "both", rate_bps = "40G"}]\n'
    text = f'{HEAD}ports = "ports.csv"\n{PATTERNS}{ROUTER}{own}'
    (one,) = routers(tmp_path, text, TABLE)
    assert [(port.name, port.rate_bps) for port in one.interfaces][:2] == [
        ("et-0/0/0", 4 * 10**10),
        ("xe-0/0/1", 10**9),
    ]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (None, r"ports\.csv: the table of ports cannot be read: No such file"),
        (
            "router,name,snmp_index\nr1,,5\nr1,,6\nr2,xe-0/0/0,7\n",
            "interfaces: 2 ports in the table .* none with a name",
        ),
        ("router,name\nr2,xe-0/0/0\n", "interfaces: is missing"),
        ("a,b\n", r"ports\.csv: line 1: no column router or name"),
        ("router,name,snmp_index\nr1,xe-0/0/0,x\n", r"ports\.csv: line 2: snmp_index is 'x'; write a whole number"),
        ("router,name,snmp_index\nr1,xe-0/0/0,99999999999\n", r"line 2: snmp_index"),
        ('router,name\nr1,"xe-0/0/0;\n', r"interfaces\[.*\]\.name: String should match pattern"),
        ("router,name\nr1,xe-0/0/0 { }\n", r"interfaces\[.*\]\.name: String should match pattern"),
        ("router,name,role\nr1,xe-0/0/0,cores\n", "role: Input should be 'edge', 'core' or 'both'"),
        ("router,name,role,rate_bps\nr1,xe-0/0/0,core,fast\n", "rate_bps: 'fast' is no number with a unit"),
    ],
)
def test_a_table_that_cannot_be_used_is_told_with_its_line(tmp_path: Path, table: str | None, said: str) -> None:
    text = f'{HEAD}ports = "ports.csv"\ninterfaces = [{{match = "*", role = "both"}}]\n{ROUTER}'
    with pytest.raises(SettingsError, match=said):
        routers(tmp_path, text, table)


def test_an_unknown_default_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"defaults\.platfrom: unknown key; did you mean platform"):
        routers(tmp_path, f'[defaults]\nplatfrom = "junos"\n{ROUTER}')


def test_what_lacks_in_many_routers_is_told_in_few_lines(tmp_path: Path) -> None:
    many = "".join(f'[[routers]]\nname = "r{number}"\nflow_folder = "f{number}"\n' for number in range(40))
    with pytest.raises(SettingsError) as refused:
        routers(tmp_path, many)
    lines = str(refused.value).splitlines()
    assert lines[0].endswith("80 settings cannot be used:")
    assert len(lines) == 11
    assert lines[5] == "    and the same in 36 more places"


def test_a_table_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    (tmp_path / "ports.csv").write_bytes(b"router,name\n\xff\n")
    with pytest.raises(SettingsError, match="no CSV in UTF-8"):
        routers(tmp_path, f'{HEAD}ports = "ports.csv"\n{ROUTER}')
