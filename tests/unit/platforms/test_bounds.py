"""Bounds on the configurations that routers answer with."""

import tracemalloc

import pytest

from hntes.platforms.cisco.parser.tree import MOST_DEEP, read_sections
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.tree import MOST_WORDS_DEEP, read_tree
from hntes.platforms.sros.parser.tree import read_tree as read_sros

MB = 1 << 20


def deep(levels: int) -> str:
    return "\n".join(["a {"] * levels + ["x;"] + ["}"] * levels)


def test_junos_text_may_be_as_deep_as_any_router_lists() -> None:
    assert read_tree(deep(MOST_WORDS_DEEP - 1)).children


@pytest.mark.parametrize("text", [deep(MOST_WORDS_DEEP), deep(20_000), "a " * 20_000 + ";"])
def test_deeper_junos_text_is_refused_by_its_line_in_little_memory(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ParseError, match="deeper than 100 words") as refused:
            read_tree(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused.value.line in (1, MOST_WORDS_DEEP + 1)
    # the tokens; the paths of the nodes were 400 MB
    assert most < 40 * MB


def test_nothing_lies_below_a_statement_without_end() -> None:
    with pytest.raises(ParseError, match="more than 1000 characters"):
        read_tree('a "' + "x" * 2000 + '" { b; }')
    assert read_tree('description "' + "x" * 2000 + '";').children


def test_cisco_sections_may_be_so_deep_and_no_deeper() -> None:
    lines = ["interface x", *(" " * depth + "class x" for depth in range(1, 5000))]
    assert read_sections("\n".join(lines[:MOST_DEEP])).children
    with pytest.raises(ParseError, match="deeper than 100 sections") as refused:
        read_sections("\n".join(lines))
    assert refused.value.line == MOST_DEEP + 1


def test_sr_os_text_may_be_so_deep_and_below_so_long_a_statement() -> None:
    assert read_sros(deep_sros(98)).children
    with pytest.raises(ParseError, match="deeper than 100 words"):
        read_sros(deep_sros(5000))
    with pytest.raises(ParseError, match="more than 2000 characters"):
        read_sros('a "' + "x" * 2000 + '" {\n b 1\n}')


def deep_sros(levels: int) -> str:
    return "\n".join(["a {"] * levels + ["x 1"] + ["}"] * levels)
