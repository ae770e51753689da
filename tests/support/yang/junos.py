"""Junos text against Juniper's models, whose tree the hierarchy of statements follows word by word.

Which words are left out of a text the models say themselves (`cli-feature "nokeyword"` of `conf-with-extensions`).
Whole statements are read, and the commands of `load set`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tests.support.yang.data import Data, Finding, NotTakenError
from tests.support.yang.schema import Node, load

MODULES = tuple(
    f"junos-conf-{name}"
    for name in (
        "root",
        "firewall",
        "class-of-service",
        "interfaces",
        "policy-options",
        "routing-options",
        "routing-instances",
    )
)
# A group takes what the configuration takes; to expand the models for both would double time and memory.
GROUPS = "/jc:configuration/jc:groups"
_TOKEN = re.compile(r"#[^\n]*|/\*.*?\*/|[{};\[\]]|[^\s{};\[\]]+", re.DOTALL)
# Of an operator, outside of the group that a text is loaded as: not in one place with what the text sets.
_ASIDE = frozenset(["inactive:", "active:"])
_TAGS = _ASIDE | {"replace:"}
_COMMANDS = frozenset(["delete", "activate", "deactivate"])


@dataclass(frozen=True)
class Statement:
    """Words up to `{` or `;`, a list in brackets behind them, and the statements of the block."""

    line: int
    words: tuple[str, ...]
    items: tuple[str, ...] = ()
    block: tuple["Statement", ...] = ()


def schema(folder: Path) -> Node:
    """The container `configuration` of the models."""
    top = load(folder, MODULES, left_out=GROUPS).named("configuration")
    assert top is not None
    return top


def findings(text: str, configuration: Node) -> list[Finding]:
    """What of a text of statements, or of commands, Juniper's schema does not take."""
    data = Data(configuration)
    found: list[Finding] = []
    if any(line.split()[:1] and line.split()[0] in _COMMANDS for line in text.splitlines()):
        found = list(_commands(text, data))
    else:
        for statement in _statements(_tokens(text)):
            found += _taken(data, statement)
    return found + [Finding(0, "", fault) for fault in data.faults()]


def _commands(text: str, data: Data) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        command, *words = line.split()
        if command.startswith("#"):
            continue
        if command not in _COMMANDS:
            yield Finding(number, line, f"{command} is no command")
            continue
        try:
            _descend(Data(data.node), words, (), is_whole=False)
        except NotTakenError as refusal:
            yield Finding(number, line, str(refusal))


def _taken(data: Data, statement: Statement, before: tuple[str, ...] = ()) -> Iterator[Finding]:
    if _ASIDE & set(statement.words):
        data = Data(data.node, data.path)
    words = [*before, *(word for word in statement.words if word not in _TAGS)]
    is_list = bool(statement.block) and _names_a_list(data, words)
    try:
        inner = data if is_list else _descend(data, words, statement.items, is_whole=True)
    except NotTakenError as refusal:
        yield Finding(statement.line, " ".join(words), str(refusal))
        return
    for each in statement.block:
        yield from _taken(inner, each, tuple(words) if is_list else ())


def _names_a_list(data: Data, words: list[str]) -> bool:
    """Whether the block behind a list's bare name holds its entries, as in `schedulers { one { ... } two { ... } }`."""
    node = data.node.named(words[0]) if len(words) == 1 else None
    return node is not None and node.kind == "list"


def _descend(data: Data, words: list[str], items: tuple[str, ...], *, is_whole: bool) -> Data:
    """Sets what the words say; returns what a block behind them belongs to."""
    left = list(words)
    while left:
        if data.path == "" and left[0] == "groups" and len(left) > 1:
            groups = data.node.named("groups")
            assert groups is not None
            Data(data.node).at(groups, (left[1],))
            del left[:2]
            continue
        node = _next(data, left)
        if not node.is_unwritten:
            del left[0]
        if node.kind in ("leaf", "leaf-list"):
            _set(data, node, left, items, is_whole=is_whole)
        elif node.kind == "list":
            data = data.at(node, _keys(data, node, left))
        else:
            data = data.at(node)
    return data


def _next(data: Data, left: list[str]) -> Node:
    """The child that the next word names, else the one whose value or key it may be."""
    node = data.node.named(left[0])
    if node is not None and not node.is_unwritten:
        return node
    for child in data.node.children:
        if child.is_unwritten and child not in data.node.keys:
            taker = child.keys[0] if child.kind == "list" else child
            if taker.kind != "container" and not taker.is_empty and taker.takes(left[0]):
                return child
    raise NotTakenError(f"{data.path or '/'} does not know {left[0]!r}")


def _keys(data: Data, node: Node, left: list[str]) -> tuple[str, ...]:
    """The values of a list's key; one that a text may leave out at the end is ""."""
    found: list[str] = []
    for key in node.keys:
        if not key.is_unwritten and left[:1] == [key.name]:
            del left[0]
        if not left and found and key.takes(""):
            found.append("")
            continue
        if not left:
            raise NotTakenError(f"{data.path}/{node.name} lacks its {key.name}")
        found.append(left.pop(0))
    return tuple(found)


def _set(data: Data, leaf: Node, left: list[str], items: tuple[str, ...], *, is_whole: bool) -> None:
    if leaf.is_empty:
        data.put(leaf, "")
    elif items and leaf.kind == "leaf-list" and not left:
        for item in items:
            data.put(leaf, item)
    elif left:
        data.put(leaf, left.pop(0))
    elif is_whole:
        raise NotTakenError(f"{data.path}/{leaf.name} lacks a value")


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    for found in _TOKEN.finditer(text):
        if not found[0].startswith(("#", "/*")):
            yield found[0], text.count("\n", 0, found.start()) + 1


def _statements(tokens: Iterator[tuple[str, int]]) -> list[Statement]:
    found: list[Statement] = []
    words: list[str] = []
    items: tuple[str, ...] = ()
    for token, line in tokens:
        if token == "[":
            items = tuple(item for item, _ in takewhile(lambda each: each[0] != "]", tokens))
        elif token in ("{", ";"):
            block = tuple(_statements(tokens)) if token == "{" else ()
            found.append(Statement(line, tuple(words), items, block))
            words, items = [], ()
        elif token == "}":
            return found
        else:
            words.append(token)
    return found
