"""Junos configuration as text with braces: read into statements with their marks, and written.

Source: Junos OS CLI User Guide, "Load Configuration Files" (tags `replace:`, `delete:`, `inactive:`), "Display the
Current Junos OS Configuration".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.support.devices.junos.tree import Key, Node

_TOKEN = re.compile(r'/\*.*?\*/|#[^\n]*|"(?:[^"\\]|\\.)*"|[{};\[\]]|[^\s{};\[\]]+', re.DOTALL)
_MARKS = {"replace:", "delete:", "inactive:", "active:", "protect:", "unprotect:"}


class TextError(ValueError):
    """Text that cannot be read as a configuration. token: where reading stopped; line: counted from 1."""

    def __init__(self, message: str, token: str, line: int) -> None:
        super().__init__(message)
        self.token = token
        self.line = line


@dataclass(frozen=True)
class Loaded:
    """One statement: words from the top, the marks before it, the line it ends on, whether it opens a level."""

    words: tuple[str, ...]
    marks: frozenset[str]
    line: int
    opens: bool


@dataclass
class _Reader:
    """What has been read of the statement at hand. values: within brackets."""

    path: list[tuple[str, ...]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    values: list[str] | None = None

    def statements(self, token: str, line: int) -> Iterator[Loaded]:
        """The statements that a token completes."""
        if self.values is not None:
            yield from self._value(token, line)
        elif token == "[":
            self.values = []
        elif token == "{":
            yield self._statement(self.words, token, line)
            self.path.append(tuple(self.words))
            self.words, self.marks = [], set()
        elif token == "}":
            if self.words or not self.path:
                raise TextError("syntax error", token, line)
            self.path.pop()
        elif token == ";":
            if self.words:
                yield self._statement(self.words, token, line)
            self.words, self.marks = [], set()
        elif not self.words and token in _MARKS:
            self.marks.add(token)
        else:
            self.words.append(token.strip('"'))

    def _value(self, token: str, line: int) -> Iterator[Loaded]:
        assert self.values is not None
        if token != "]":
            self.values.append(token)
            return
        for value in self.values:
            yield self._statement([*self.words, value], ";", line)
        self.words, self.values = [], None

    def _statement(self, words: list[str], token: str, line: int) -> Loaded:
        if not words:
            raise TextError("syntax error", token, line)
        above = tuple(word for part in self.path for word in part)
        return Loaded((*above, *words), frozenset(self.marks), line, token == "{")


def read_text(text: str) -> Iterator[Loaded]:
    """All statements, containers before what is in them. A bracketed list yields one statement for each value."""
    reader = _Reader()
    for token, line in _tokens(text):
        yield from reader.statements(token, line)
    if reader.path or reader.words:
        raise TextError("syntax error", "<end of text>", text.count("\n") + 1)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line = 1
    position = 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        token = match[0]
        if token.startswith("/*") and not token.endswith("*/"):
            raise TextError("syntax error", token, line)
        if not token.startswith(("/*", "#")):
            yield token, line


def quoted(word: str) -> str:
    return f'"{word}"' if not word or re.search(r"[\s;{}\[\]#\"]", word) else word


def write_text(node: Node, indent: str = "") -> list[str]:
    """The lines of everything below a node."""
    lines: list[str] = []
    shown: set[str] = set()
    for key, child in node.children.items():
        if child.schema.kind == "leaf-list":
            if key[0] not in shown:
                shown.add(key[0])
                lines += [indent + line for line in _leaf_lists(node, key[0])]
            continue
        lines += write_node(child, indent)
    return lines


def write_node(node: Node, indent: str = "") -> list[str]:
    mark = "inactive: " if node.inactive else ""
    chain = _chain(node)
    head = indent + mark + " ".join(quoted(word) for word in chain[0])
    if not chain[1].children:
        return [head + ";"]
    if chain[1].schema.inline and _inline(chain[1]):
        words = [quoted(word) for child in chain[1].children.values() for word in _chain(child)[0]]
        return [head + " " + " ".join(words) + ";"]
    return [head + " {", *write_text(chain[1], indent + "    "), indent + "}"]


def _chain(node: Node) -> tuple[Key, Node]:
    """Words of a statement with its value; what is opaque is one chain as long as it does not branch."""
    words = (*node.words, node.value) if node.value is not None else node.words
    while node.schema.kind == "opaque" and len(node.children) == 1:
        node = next(iter(node.children.values()))
        words += node.words
    return words, node


def _inline(node: Node) -> bool:
    """On one line: lists that are shown so, and a container with a single statement without any below."""
    children = list(node.children.values())
    if any(child.children or child.inactive for child in children):
        return False
    return len(children) == 1 or node.schema.kind == "list"


def _leaf_lists(parent: Node, keyword: str) -> list[str]:
    """A list's active values on one line, its inactive ones on another."""
    lines = []
    for is_inactive in (False, True):
        listed = [
            child for key, child in parent.children.items() if key[0] == keyword and child.inactive is is_inactive
        ]
        values = [quoted(child.words[1]) for child in listed]
        text = values[0] if len(values) == 1 else f"[ {' '.join(values)} ]"
        if values:
            lines.append(f"{'inactive: ' * is_inactive}{keyword} {text};")
    return lines


def write_set(node: Node, path: tuple[str, ...] = ()) -> list[str]:
    """The `set` commands that make everything below a node, and `deactivate` for what is inactive."""
    lines: list[str] = []
    for child in node.children.values():
        words = (*path, *(quoted(word) for word in child.words))
        if child.value is not None:
            lines.append(" ".join(("set", *words, quoted(child.value))))
        elif child.children:
            lines += write_set(child, words)
        else:
            lines.append(" ".join(("set", *words)))
        if child.inactive:
            lines.append(" ".join(("deactivate", *words)))
    return lines
