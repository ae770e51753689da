"""Groups and interface ranges, expanded as a router expands them."""

import pytest

from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.inheritance import expand
from hntes.platforms.junos.parser.listing import read_listing
from hntes.platforms.junos.parser.tree import Node

PORTS = "interfaces { xe-0/0/0 { unit 0 { family inet { mtu 1500; } } } ge-0/0/1 { unit 0 { family inet; } } }\n"


def expanded(text: str, *names: str) -> Node:
    root = read_listing(text)
    expand(root, names)
    return root


def mtu(root: Node, port: str) -> list[str]:
    return [each.word for each in root.child("interfaces", port, "unit", "0", "family", "inet", "mtu") or ()]


def test_a_statement_of_a_group_is_inherited_with_its_line_and_group() -> None:
    root = expanded("groups { g {\nsystem { host-name a;\n} } }\napply-groups g;\n")
    inherited = root.need("system", "host-name", "a")
    assert (inherited.line, inherited.group, inherited.path) == (2, "g", "system host-name a")
    assert expanded("groups { g { system { host-name a; } } }\n").child("system") is None


def test_the_own_statement_wins_and_then_the_first_group() -> None:
    group = "{ interfaces { <*> { unit <*> { family inet { mtu %d; } } } } }"
    text = f"groups {{ a {group % 9000} b {group % 4000} }}\napply-groups [ a b ];\n{PORTS}"
    root = expanded(text)
    assert mtu(root, "xe-0/0/0") == ["1500"]
    assert mtu(root, "ge-0/0/1") == ["9000"]


@pytest.mark.parametrize(("pattern", "found"), [("<ge-*>", ["9000"]), ("<xe-*>", []), ("<ge-0/0/[0-3]>", ["9000"])])
def test_a_wildcard_matches_names_that_are_there(pattern: str, found: list[str]) -> None:
    group = f'groups {{ g {{ interfaces {{ "{pattern}" {{ unit "<*>" {{ family inet {{ mtu 9000; }} }} }} }} }} }}\n'
    assert mtu(expanded(f"{group}apply-groups g;\n{PORTS}"), "ge-0/0/1") == found


def test_a_group_is_applied_below_its_level_only() -> None:
    group = "groups { g { interfaces { <*> { unit <*> { family inet { mtu 9000; } } } } } }\n"
    text = (
        group
        + PORTS.replace("ge-0/0/1 {", "ge-0/0/1 { apply-groups g;")
        + "interfaces { ge-0/0/2 { unit 0 { family inet; } } }\n"
    )
    root = expanded(text)
    assert (mtu(root, "ge-0/0/1"), mtu(root, "ge-0/0/2")) == (["9000"], [])


def test_a_group_is_left_out_by_except() -> None:
    group = "groups { g { interfaces { <*> { unit <*> { family inet { mtu 9000; } } } } } }\napply-groups g;\n"
    root = expanded(group + PORTS.replace("ge-0/0/1 {", "ge-0/0/1 { apply-groups-except g;"))
    assert mtu(root, "ge-0/0/1") == []


def test_a_group_applies_another() -> None:
    text = "groups { g { apply-groups h; } h { system { host-name a; } } }\napply-groups g;\n"
    assert expanded(text).child("system", "host-name", "a") is not None


@pytest.mark.parametrize("name", ["re0", "re1", "node0", "member1"])
def test_a_group_of_the_other_half_may_be_missing(name: str) -> None:
    assert expanded(f"apply-groups {name};\nsystem {{ host-name a; }}\n").child("system") is not None


def test_any_other_group_must_be_in_the_text() -> None:
    with pytest.raises(ParseError, match="group cos is not in the text"):
        expanded("apply-groups cos;\n")


def test_the_groups_of_all_nodes_of_a_cluster_are_inherited() -> None:
    nodes = "groups { node0 { system { host-name a; } } node1 { system { host-name b; } } }\n"
    root = expanded(nodes + 'apply-groups "${node}";\n')
    assert root.child("system", "host-name") is not None


MEMBERS = [
    ("member xe-0/0/0;", True), ('member "xe-0/0/[0-3]";', True),
    ('member "xe-0/0/*";', True), ("member xe-0/0/1;", False),
    ("member-range xe-0/0/0 to xe-0/0/3;", True), ("member-range xe-0/0/1 to xe-0/0/3;", False),
    ("member-range ge-0/0/0 to ge-0/0/3;", False),
]  # fmt: skip


@pytest.mark.parametrize(("members", "is_in"), MEMBERS)
def test_a_range_brings_its_statements_to_its_members(members: str, is_in: bool) -> None:
    text = f"interfaces {{ interface-range r {{ {members} unit 0 {{ family inet {{ mtu 4000; }} }} }} }}\n"
    assert mtu(expanded(text, "xe-0/0/0"), "xe-0/0/0") == (["4000"] if is_in else [])
    assert mtu(expanded(text + PORTS, "xe-0/0/0"), "xe-0/0/0") == ["1500"]
