"""Junos curly text as a tree of words.

`a { b { c; } }` and `a b c;` are the same statement to Junos and to this tree: each word is a node below the word
before it, and statements with a common prefix share its nodes. A list in brackets is one node.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from hntes.platforms.errors import ParseError

# A comment ends at the end of the line or at its end mark; a string may hold anything but an unescaped quote.
_TOKEN = re.compile(
    r"(?P<newline>\n)|(?P<blank>[ \t\r\f]+)|(?P<comment>#[^\n]*|/\*.*?\*/)"
    r'|"(?P<string>(?:[^"\\]|\\.)*)"|(?P<mark>[{};\[\]])|(?P<word>[^\s{};\[\]"]+)',
    re.DOTALL,
)
# Not an IPv6 address, which may end with two colons.
_TAG = re.compile(r"[a-z-]+:")
# Bounds on what a router may answer: each node keeps its path, so memory grows with depth times length. The deepest
# statements of the vendor's models have some 25 words.
MOST_WORDS_DEEP = 100
MOST_PATH_CHARACTERS = 1000
_TAGS = ("replace:", "inactive:", "active:", "protect:", "unprotect:")


@dataclass(eq=False, slots=True)
class Node:
    """A word, the line of its first occurrence, and its children. `items` holds the words of a list.

    `inactive` holds inactive statements, which have no effect. `ends` are the lines of statements that end here, `tags`
    the tags of statements that start or end here: (line, tag, words of the tagged statement). `group` is the group or
    interface range that a statement is inherited from. Readers mark a statement as parsed by `take`.
    """

    word: str
    line: int
    path: str
    items: tuple[str, ...] = ()
    children: dict[str, "Node"] = field(default_factory=dict)
    inactive: dict[str, "Node"] = field(default_factory=dict)
    is_replaced: bool = False
    is_inactive: bool = False
    is_taken: bool = False
    ends: list[int] = field(default_factory=list)
    tags: list[tuple[int, str, int]] = field(default_factory=list)
    group: str = ""

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

    def value(self) -> "Node":
        """The one child.

        Raises:
            ParseError: there is none, or several, which is ambiguous.
        """
        if len(self.children) != 1:
            found = ", ".join(f"`{each.word}` (line {each.line})" for each in self.children.values())
            last = list(self.children.values())[-1].line if self.children else self.line
            raise ParseError(last, self.path, f"needs one value, has {found or 'none'}")
        return next(iter(self.children.values()))

    def leaf(self) -> "Node":
        """The one child, which must be a leaf; marked as parsed."""
        found = self.value()
        found.end()
        return found.take()

    def take(self) -> "Node":
        """Marks the statement that ends here as parsed."""
        self.is_taken = True
        return self

    def end(self) -> None:
        """Refuses children."""
        for node in self.children.values():
            raise node.refused("nothing is expected here")

    def words(self) -> tuple[str, ...]:
        """The words below this node, each a leaf; of a list its items."""
        found: list[str] = []
        for node in self.children.values():
            node.end()
            found += node.items or [node.word]
        return tuple(found)

    def copy(self) -> "Node":
        """A tree of its own that is the same."""
        children = {word: each.copy() for word, each in self.children.items()}
        inactive = {word: each.copy() for word, each in self.inactive.items()}
        return Node(
            self.word, self.line, self.path, self.items, children, inactive, self.is_replaced, self.is_inactive,
            self.is_taken, self.ends[:], self.tags[:], self.group,
        )  # fmt: skip

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


def read_tree(text: str) -> Node:
    """The tree of a Junos configuration, without statements tagged `inactive:`.

    Raises:
        ParseError: not Junos text: unbalanced braces, an unterminated statement, an unknown tag.
    """
    return _Reader(text).read()


class Token(NamedTuple):
    """A word or a mark, or a list in brackets with its `items`."""

    word: str
    line: int
    is_mark: bool = False
    items: tuple[str, ...] = ()


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.root = Node("", 0, "")

    def read(self) -> Node:
        stack, depths = [self.root], [0]
        words: list[Token] = []
        for token in self.tokens:
            if not token.is_mark:
                words.append(token)
                # at once: of a text without an end no more than this is kept
                if depths[-1] + len(words) > MOST_WORDS_DEEP:
                    reason = f"lies deeper than {MOST_WORDS_DEEP} words: no router lists such"
                    raise ParseError(token.line, words[0].word[:80], reason)
            elif token.word == "}":
                if words or len(stack) == 1:
                    raise ParseError(token.line, "}", "unexpected brace: no open block, or an unterminated statement")
                stack.pop()
                depths.pop()
            elif not words:
                raise ParseError(token.line, token.word, "has no statement before it")
            else:
                depth = depths[-1] + len(words)
                node = place(stack[-1], words)
                if token.word == "{":
                    stack.append(node)
                    depths.append(depth)
                else:
                    node.ends.append(words[0].line)
                words = []
        if words or len(stack) > 1:
            line = words[0].line if words else stack[-1].line
            raise ParseError(line, words[0].word if words else stack[-1].path, "is not closed at the end of the text")
        _drop_inactive(self.root)
        return self.root


def place(parent: Node, words: list[Token]) -> Node:
    """The node of a statement's last word below a parent, made if it is not there."""
    tags = []
    while words and words[0].word in _TAGS:
        tags.append(words.pop(0))
    if not words:
        raise ParseError(tags[0].line, tags[0].word, "has no statement after it")
    if _TAG.fullmatch(words[0].word):
        raise ParseError(words[0].line, words[0].word, f"is not a tag that is understood; known: {', '.join(_TAGS)}")
    node, is_new = parent, False
    for token in words:
        is_new = token.word not in node.children
        if is_new:
            if len(node.path) > MOST_PATH_CHARACTERS:
                reason = f"lies below a statement of more than {MOST_PATH_CHARACTERS} characters"
                raise ParseError(token.line, token.word[:80], reason)
            path = f"{node.path} {token.word}".strip()
            node.children[token.word] = Node(token.word, token.line, path, token.items)
        node = node.children[token.word]
        if node.is_inactive:
            raise ParseError(token.line, node.path, f"is inactive in line {node.line}, but repeated here")
    node.tags += [(tag.line, tag.word, len(words)) for tag in tags]
    _tagged(node, {tag.word for tag in tags}, is_new, words[0].line)
    return node


def _tagged(node: Node, tags: set[str], is_new: bool, line: int) -> None:
    inactive = "inactive:" in tags
    if not is_new and ("replace:" in tags or inactive):
        raise ParseError(line, node.path, f"is repeated, and one is tagged (line {node.line}): ambiguous")
    node.is_replaced |= "replace:" in tags
    node.is_inactive = inactive


def _drop_inactive(node: Node) -> int:
    """Moves inactive statements below a node out of the tree; returns how many of their words are above that node."""
    above = 0
    for child in list(node):
        if child.is_inactive:
            words = max(count for _, tag, count in child.tags if tag == "inactive:")
        else:
            words = _drop_inactive(child)
            if not words or child.children or child.ends:
                continue
        node.tags += child.tags
        node.inactive[child.word] = node.children.pop(child.word)
        above = max(above, words - 1)
    return above


def tokens(text: str, line: int = 1) -> Iterator[Token]:
    """The words, lists and marks of a text that starts in this line.

    Raises:
        ParseError: a string or a list does not end, or a comment is ambiguous.
    """
    return _lists(_tokens(text, line))


def _tokens(text: str, line: int) -> Iterator[Token]:
    position = 0
    for found in _TOKEN.finditer(text):
        if found.start() != position:
            break
        kind, part = found.lastgroup, found.group()
        if kind == "word" and ("#" in part or "/*" in part):
            raise ParseError(line, part, "ambiguous comment: put a blank before it, or quotes around the word")
        if kind == "string":
            yield Token(found["string"], line)
        elif kind in ("word", "mark"):
            yield Token(part, line, kind == "mark")
        if kind in ("newline", "comment", "string"):
            line += part.count("\n")
        position = found.end()
    if position < len(text):
        raise ParseError(line, text[position : position + 20].split("\n")[0], "a string is not closed")


def _lists(found: Iterator[Token]) -> Iterator[Token]:
    opened: Token | None = None
    items: list[str] = []
    for token in found:
        if opened is None:
            if token.is_mark and token.word == "]":
                raise ParseError(token.line, "]", "closes no list")
            if token.is_mark and token.word == "[":
                opened, items = token, []
            else:
                yield token
        elif token.is_mark and token.word == "]":
            yield Token(f"[ {' '.join(items)} ]", opened.line, items=tuple(items))
            opened = None
        elif token.is_mark:
            raise ParseError(token.line, token.word, "is not allowed inside a list")
        else:
            items.append(token.word)
    if opened is not None:
        raise ParseError(opened.line, "[", "the list is not closed")
