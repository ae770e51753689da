"""Cisco text against Cisco's models: forms say which path a line sets, and the model judges words and values.

A form names words of the line only where the model has another shape than the command line; every other word stands in
the path itself, so that the model decides whether it exists.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from tests.support.yang.conditions import broken
from tests.support.yang.data import Data, Finding, NotTakenError
from tests.support.yang.schema import Node

# Commands that end a mode: they set nothing, and no model has them.
_ENDS = frozenset(["!", "exit", "end-class-map", "end-policy-map"])
_PLACE = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Form:
    """How a line of one mode reads, and what it sets.

    `line` has `{name}` for a word, `{names*}` for all that follow, and is otherwise a regular expression. Of `paths`
    those count of which all names are in the line: `a/b[{key}]/{word}={value}`. `*` is the only leaf there is. `opens`
    is the mode of the lines below, at the first path. A line with `no` reads by the form without it, unless one
    begins so.
    """

    mode: str
    line: str
    paths: tuple[str, ...]
    opens: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The line as a regular expression."""
        several = re.sub(r"{(\w+)\*}", r"(?P<\1>\\S.*)", self.line)
        return re.compile(_PLACE.sub(r"(?P<\1>\\S+)", several))


@dataclass(frozen=True)
class _Mode:
    """Where lines of a depth belong: the mode's name, and the data that they set."""

    name: str
    data: Data
    depth: int


def findings(text: str, top: Node, forms: tuple[Form, ...]) -> list[Finding]:
    """What of a text of configuration lines Cisco's schema does not take; lines with `no` are looked up alone."""
    data = Data(top)
    modes = [_Mode("", data, -1)]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        depth = len(line) - len(line.lstrip())
        while modes[-1].depth >= depth:
            modes.pop()
        if not words or words.startswith("! ") or words in _ENDS:
            continue
        try:
            opened = _line(words, modes[-1], forms, depth)
        except NotTakenError as refusal:
            found.append(Finding(number, words, str(refusal)))
            continue
        if opened is not None:
            modes.append(opened)
    return found + [Finding(0, "", fault) for fault in (*data.faults(), *broken(data))]


def _line(words: str, mode: _Mode, forms: tuple[Form, ...], depth: int) -> _Mode | None:
    """Sets what a line says; returns the mode that it opens.

    Raises:
        NotTakenError: no form reads so in this mode, or the schema does not take it.
    """
    removes, command = words.startswith("no "), words.removeprefix("no ")
    refusal = NotTakenError(f"no statement of the mode {mode.name or 'configuration'!r} reads so")
    for form in forms:
        read = form.pattern.fullmatch(words if form.line.startswith("no ") else command)
        if form.mode != mode.name or read is None:
            continue
        given = {name: value for name, value in read.groupdict().items() if value is not None}
        paths = [path for path in form.paths if set(_PLACE.findall(path)) <= given.keys()]
        data = Data(mode.data.node, mode.data.path) if removes else mode.data
        try:
            places = [_set(data, path, given, is_mode=bool(form.opens) and path == paths[0]) for path in paths]
        except NotTakenError as why:
            refusal = why
            continue
        return _Mode(form.opens, places[0], depth) if form.opens else None
    raise refusal


def _set(data: Data, path: str, given: dict[str, str], *, is_mode: bool) -> Data:
    way, _, value = path.partition("=")
    for step in way.split("/"):
        name, *keys = re.split(r"\[|\]\[|\]", step.rstrip("]"))
        node = _child(data, name.format_map(given))
        if node.kind in ("leaf", "leaf-list"):
            _put(data, node, value.format_map(given))
        else:
            data = data.at(node, tuple(key.format_map(given) for key in keys))
    if node.kind == "container" and not node.is_presence and not is_mode:
        raise NotTakenError(f"{data.path} is not set by its name alone")
    return data


def _child(data: Data, name: str) -> Node:
    if name == "*":
        if len(data.node.children) != 1:
            raise NotTakenError(f"{data.path} has more than one value")
        return data.node.children[0]
    node = data.node.named(name)
    if node is None:
        raise NotTakenError(f"{data.path or '/'} does not know {name!r}")
    return node


def _put(data: Data, leaf: Node, value: str) -> None:
    for each in value.split() if leaf.kind == "leaf-list" else [value]:
        data.put(leaf, each)
