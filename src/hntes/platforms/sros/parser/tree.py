"""MD-CLI text as a tree of words.

`a { b c }` on three lines and `a b c` on one are the same statement. A statement ends with its line; a list in brackets
is one leaf per value. Source: MD-CLI User Guide, "Configuration in the info format" and "Flat format".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hntes.platforms.errors import ParseError

_TOKEN = re.compile(r'\s*(?:"(?P<string>(?:[^"\\]|\\.)*)"|(?P<mark>[{}\[\]])|(?P<word>[^\s{}\[\]"]+))')
# Bounds on what a router may answer: each node keeps its path.
MOST_WORDS_DEEP = 100
MOST_PATH_CHARACTERS = 2_000
# What a terminal shows around a listing: the context, and the prompt with or without the command.
_AROUND = re.compile(r"\s*(?:[*!]*(?:\([a-z ]*\))?\[[^\]]*\]|[*!]*(?:[A-D]:)\S+@\S+[#>$].*|INFO: .*)\s*")
# Lines that classic CLI alone has.
_CLASSIC = re.compile(r"\s*(?:exit all|echo \".*\"|exit)\s*")
# Other regions of a configuration, and what the router keeps for itself.
_BESIDE = ("persistent-indices", "bof", "debug", "li")
_CONTEXT = re.compile(r"/(?=[a-z])")


@dataclass(eq=False, slots=True)
class Node:
    """A word, the line of its first occurrence, and its children.

    `ends` are the lines of statements that end here, `blocks` the first and last lines of blocks that open here.
    `is_entry`: such a block has a name, so that it says something with nothing in it.
    Readers mark a statement as parsed by `take`.
    """

    word: str
    line: int
    path: str
    children: dict[str, "Node"] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    is_entry: bool = False
    is_taken: bool = False

    def child(self, *words: str) -> "Node | None":
        """The descendant at these words; None if the text has none."""
        node: Node | None = self
        for word in words:
            node = node.children.get(word) if node is not None else None
        return node

    def need(self, *words: str) -> "Node":
        """The descendant at these words.

        Raises:
            ParseError: the text has none.
        """
        node = self.child(*words)
        if node is None:
            raise self.refused(f"{' '.join(words)} is missing")
        return node

    def only(self, *known: str) -> None:
        """Refuses children other than the known words."""
        for word, node in self.children.items():
            if word not in known:
                raise node.refused(f"`{word}` is not understood here; known: {', '.join(known)}")

    def leaf(self) -> "Node":
        """The one value of a statement; marked as parsed.

        Raises:
            ParseError: there is none, or several, which is ambiguous.
        """
        if len(self.children) != 1:
            found = ", ".join(f"`{each.word}` (line {each.line})" for each in self.children.values())
            last = list(self.children.values())[-1].line if self.children else self.line
            raise ParseError(last, self.path, f"needs one value, has {found or 'none'}")
        (value,) = self.children.values()
        value.end()
        return value.take()

    def take(self) -> "Node":
        """Marks the statement that ends here as parsed."""
        self.is_taken = True
        return self

    def end(self) -> "Node":
        """Refuses children."""
        for node in self.children.values():
            raise node.refused("nothing is expected here")
        return self

    def refused(self, reason: str) -> ParseError:
        """The error that refuses this node."""
        return ParseError(self.line, self.path, reason)

    def __iter__(self) -> Iterator["Node"]:
        return iter(self.children.values())


def below(node: Node) -> Iterator[Node]:
    """All descendants of a node, in the order of the text."""
    waiting = [iter(node)]
    while waiting:
        each = next(waiting[-1], None)
        if each is None:
            waiting.pop()
        else:
            yield each
            waiting.append(iter(each))


def read_listing(text: str) -> Node:
    """The tree below `configure` of a configuration as a router lists it, whole or without that word.

    Raises:
        ParseError: a classic CLI listing, XML or JSON, an unclosed block or string, or no MD-CLI text.
    """
    root = read_tree(text, is_listing=True)
    configure = root.children.get("configure")
    for each in root if configure is not None else ():
        if each.word not in ("configure", *_BESIDE):
            raise each.refused("stands beside `configure`: is the file one router's configuration?")
    return root if configure is None else configure


def read_tree(text: str, *, is_listing: bool = False) -> Node:
    """The tree of a text from its top.

    Args:
        text: The text.
        is_listing: Prompts around the text are skipped, and other formats are recognised by name.

    Raises:
        ParseError: as `read_listing`.
    """
    return _Reader(is_listing).read(text)


class _Reader:
    def __init__(self, is_listing: bool) -> None:
        self.is_listing = is_listing
        self.root = Node("", 0, "")
        # Each open block: its node, its depth in words, and the line that opened it.
        self.stack: list[tuple[Node, int, int]] = [(self.root, 0, 0)]

    def read(self, text: str) -> Node:
        lines = text.removeprefix("\ufeff").split("\n")
        if self.is_listing:
            _require_md_cli(lines)
        for number, line in enumerate(lines, 1):
            bare = line.strip()
            if bare and not bare.startswith("#") and not (self.is_listing and _AROUND.fullmatch(line)):
                self._line(number, bare)
        if len(self.stack) > 1:
            node, _, opened = self.stack[-1]
            raise ParseError(opened, node.path, "is not closed at the end of the text")
        return self.root

    def _line(self, number: int, line: str) -> None:
        words: list[str] = []
        found = list(_lists(number, line))
        for index, (kind, part) in enumerate(found):
            if kind == "word":
                words.append(part[0])
            elif kind == "list":
                self._list(number, line, words, part)
                words = []
            elif kind == "{":
                self._open(number, words)
                words = []
            elif words or index + 1 < len(found):
                raise ParseError(number, line, "has words beside a closing brace")
            else:
                self._close(number, line)
        if words:
            self._end(number, words)

    def _list(self, number: int, line: str, words: list[str], items: tuple[str, ...]) -> None:
        if not words:
            raise ParseError(number, line, "a list has no statement before it")
        for each in items:
            self._end(number, [*words, each])
        if not items:
            self._end(number, words)

    def _open(self, number: int, words: list[str]) -> None:
        if not words:
            raise ParseError(number, "{", "has no statement before it")
        node = self._place(number, words)
        node.is_entry |= len(words) > 1
        self.stack.append((node, self.stack[-1][1] + len(words), number))

    def _close(self, number: int, line: str) -> None:
        if len(self.stack) == 1:
            raise ParseError(number, line, "closes no block")
        node, _, opened = self.stack.pop()
        node.blocks.append((opened, number))

    def _end(self, number: int, words: list[str]) -> None:
        self._place(number, words).ends.append(number)

    def _place(self, number: int, words: list[str]) -> Node:
        node, depth, _ = self.stack[-1]
        if depth + len(words) > MOST_WORDS_DEEP:
            raise ParseError(number, words[0][:80], f"lies deeper than {MOST_WORDS_DEEP} words: no router lists such")
        for word in words:
            if word not in node.children:
                if len(node.path) > MOST_PATH_CHARACTERS:
                    reason = f"lies below a statement of more than {MOST_PATH_CHARACTERS} characters"
                    raise ParseError(number, word[:80], reason)
                node.children[word] = Node(word, number, f"{node.path} {word}".strip())
            node = node.children[word]
        return node


def _lists(number: int, line: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words and braces of a line, and the items of a list in brackets as one."""
    items: list[str] | None = None
    for kind, part in _tokens(number, _CONTEXT.sub("", line, count=1) if line.startswith("/") else line):
        if kind == "mark" and (part == "[") is (items is not None) and part in "[]":
            raise ParseError(number, line, "brackets do not match")
        if items is not None and part in ("{", "}") and kind == "mark":
            raise ParseError(number, line, f"`{part}` is not allowed inside a list")
        if kind == "mark" and part == "[":
            items = []
        elif kind == "mark" and part == "]":
            yield "list", tuple(items or ())
            items = None
        elif items is not None:
            items.append(part)
        else:
            yield part if kind == "mark" else "word", (part,)
    if items is not None:
        raise ParseError(number, line, "a list is not closed in its line")


def _tokens(number: int, line: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(line):
        found = _TOKEN.match(line, position)
        if found is None:
            raise ParseError(number, line[:80], "a string is not closed in its line")
        kind = "mark" if found["mark"] else "word"
        yield kind, found["mark"] or (found["string"] if found["string"] is not None else found["word"])
        position = found.end()


def _require_md_cli(lines: list[str]) -> None:
    """Refuses the other formats of the same router by name."""
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith(("<", "{")) and number == _first(lines):
            raise ParseError(
                number, bare[:40], "is XML or JSON, which is not read: write the output of `admin show configuration`"
            )
        if _CLASSIC.fullmatch(line):
            raise ParseError(
                number, bare[:40],
                "is a classic CLI listing, which is not read: HNTES configures routers in model-driven mode; write the "
                "output of MD-CLI's `admin show configuration`",
            )  # fmt: skip


def _first(lines: list[str]) -> int:
    """The number of the first line that is neither empty nor a comment."""
    found = (number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#"))
    return next(found, 0)
