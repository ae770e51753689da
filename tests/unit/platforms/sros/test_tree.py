"""MD-CLI text as a tree: blocks and flat statements are the same; other formats are refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.platforms.errors import ParseError
from hntes.platforms.sros.parser.tree import below, read_listing

BLOCKS = """\
configure {
    port 1/1/c1/1 {
        description "a { b } [ c ] # d"
        ethernet {
            mtu 9212
        }
    }
    policy-options {
        community "all" {
            member ["1:2" "3:4"]
        }
    }
}
persistent-indices {
    description "kept"
}
"""
FLAT = """\
    /configure port 1/1/c1/1 description "a { b } [ c ] # d"
    /configure port 1/1/c1/1 ethernet mtu 9212
    /configure policy-options community "all" member "1:2"
    /configure policy-options community "all" member "3:4"
"""
PROMPTS = f"""\
[/]
A:admin@node-2# admin show configuration
# TiMOS-B-26.3.R1
{BLOCKS}
[ex:/configure]
A:admin@node-2#
"""


def statements(text: str) -> set[str]:
    return {node.path.removeprefix("configure ") for node in below(read_listing(text)) if node.ends}


def test_blocks_flat_statements_and_prompts_say_the_same() -> None:
    assert statements(BLOCKS) == statements(FLAT) == statements(PROMPTS)
    assert "policy-options community all member 3:4" in statements(BLOCKS)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("configure\n    router Base\n        exit\n    exit\nexit all\n", 3, "classic CLI listing"),
        ('exit all\nconfigure\n#----\necho "System Configuration"\n', 1, "classic CLI listing"),
        ("<configure>\n</configure>\n", 1, "XML or JSON"),
        ('{"nokia-conf:configure": {}}\n', 1, "XML or JSON"),
        ("configure {\n    port 1/1/c1 {\n}\n", 1, "not closed at the end"),
        ("configure {\n}\n}\n", 3, "closes no block"),
        ("configure {\n} port\n", 2, "beside a closing brace"),
        ('configure {\n    system name "r1\n}\n', 2, "a string is not closed"),
        ("configure {\n    member [a b\n}\n", 2, "a list is not closed"),
        ("configure {\n    member a]\n}\n", 2, "brackets do not match"),
        ("configure {\n    member [a {\n}\n", 2, "not allowed inside a list"),
        ("{\n}\n", 1, "XML or JSON"),
        ("configure {\n}\nsystem {\n}\n", 3, "stands beside"),
        (f"configure {{\n    {' a' * 101}\n}}\n", 2, "lies deeper than 100 words"),
    ],
)
def test_what_is_no_listing_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(ParseError, match=reason) as caught:
        read_listing(text)
    assert caught.value.line == line


@given(text=st.text(alphabet='ab {}[]"\\\n#/*', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_listing(text)
    except ParseError:
        return
