"""The forms in which people keep a Junos configuration, all read as the same statements."""

import pytest

from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.listing import read_listing, shown
from hntes.platforms.junos.parser.tree import Node, below

CURLY = """\
version 22.1R1;
system {
    host-name "a b";
    root-authentication {
        encrypted-password REMOVED; ## SECRET-DATA
    }
}
interfaces {
    xe-0/0/0 {
        unit 0 {
            family inet {
                filter {
                    inactive: input F;
                }
                address 192.0.2.1/30;
            }
        }
    }
    inactive: xe-0/0/1 {
        mtu 9000;
    }
}
policy-options {
    as-path-group g members [ 1 2 ];
}
"""
SET = """\
set version 22.1R1
set system host-name "a b"
set system root-authentication encrypted-password REMOVED
set interfaces xe-0/0/0 unit 0 family inet filter input F
deactivate interfaces xe-0/0/0 unit 0 family inet filter input
set interfaces xe-0/0/0 unit 0 family inet address 192.0.2.1/30
set interfaces xe-0/0/1 mtu 9000
deactivate interfaces xe-0/0/1
set policy-options as-path-group g members [ 1 2 ]
"""


def statements(root: Node) -> list[str]:
    return sorted(each.path for each in below(root) if each.ends)


def inactive(root: Node) -> set[str]:
    return {each.path for node in [root, *below(root)] for each in node.inactive.values()}


@pytest.mark.parametrize(
    "text",
    [
        CURLY, SET, "\ufeff" + CURLY, CURLY.replace("\n", "\r\n"), SET.replace("\n", "\r\n"),
        f"ada@r1> show configuration | no-more \n{CURLY}\n{{master}}\nada@r1> \n",
        f"ada@r1# show \n{CURLY}\n[edit]\nada@r1# ", f"r1:\n\nshow configuration | display set\n{SET}",
        CURLY.replace("REMOVED; ##", "REMOVED ##"), f"## Last commit: 2026-11-20 by ada\n{CURLY}",
    ],
)  # fmt: skip
def test_each_form_is_read_alike(text: str) -> None:
    root, plain = read_listing(text), read_listing(CURLY)
    assert statements(root) == statements(plain)
    assert inactive(root) == inactive(plain)


@pytest.mark.parametrize("text", [CURLY, SET])
def test_each_statement_has_the_line_of_the_file(text: str) -> None:
    lines = text.splitlines()
    for each in below(read_listing(text)):
        for line in each.ends:
            assert each.word.strip("[ ]").split()[0] in lines[line - 1]


@pytest.mark.parametrize("text", [CURLY, SET])
def test_what_is_shown_is_the_same_in_the_same_lines(text: str) -> None:
    root = read_listing(text)
    again = read_listing("\n".join(shown(root, text.count("\n") + 1)))
    assert statements(again) == statements(root)
    assert [(each.path, each.ends) for each in below(again) if each.ends] == [
        (each.path, each.ends) for each in below(root) if each.ends
    ]


def test_a_wildcard_of_ports_is_no_comment() -> None:
    root = read_listing("class-of-service { interfaces { ge-0/0/* { unit * { rewrite-rules { dscp default; } } } } }\n")
    assert root.child("class-of-service", "interfaces", "ge-0/0/*", "unit", "*") is not None


def test_an_address_that_ends_with_colons_is_no_tag() -> None:
    assert read_listing("a { 2001:db8:1:: next; }\n").child("a", "2001:db8:1::", "next") is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<configuration>\n<version>22.1R1</version>\n</configuration>\n", "is XML, which is not read"),
        ("set version 22.1R1\nsystem { }\n", "is no `set` statement"),
        ("set version 22.1R1\ndelete system\n", "removes a statement"),
        ("set version 22.1R1\nset a { b\n", "not understood in a `set` statement"),
    ],
)
def test_anything_else_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason) as caught:
        read_listing(text)
    assert caught.value.line == min(2, text.count("\n")) or text.startswith("<")
