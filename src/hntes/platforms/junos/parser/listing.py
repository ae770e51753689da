"""The forms in which people keep a Junos configuration: as the router lists it, and as `display set` prints it.

Sources: Juniper, CLI User Guide, "Display set Commands from the Junos OS Configuration" and "Display Additional
Information About the Configuration" (`display inheritance` puts `## 'WORD' was inherited from group 'NAME'` above what
a group brings).
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.tree import Node, Token, place, read_tree, tokens

# What a terminal shows around a listing: prompts, with or without the command, and the mode of the other engine.
_AROUND = re.compile(
    r"\s*(\S+@\S+[>#%]( .*)?|show configuration\b.*|\{(master|backup|primary|secondary|linecard)[^{}]*\}(\[edit.*\])?"
    r"|\[edit.*\])\s*"
)
# The name of the router above the listing, as people write it into a document.
_TITLE = re.compile(r"[\w.-]+:")
# Whoever removes a secret often removes the end of its statement.
_SECRET = re.compile(r"(?P<statement>.*[^;{}\s])\s*## SECRET-DATA\s*")
_SET = re.compile(r"\s*(set|deactivate|protect|activate|delete)\s+(?P<words>\S.*)")
# In a wildcard of interfaces, which a listing may show without quotes, the tree would see a comment.
_SLASH_STAR = re.compile(r"(?<![\S\"])([a-z]+-[\d*]+/(?:[\d*]+/)?\*)(?=\s*[;{\s])(?!.*\*/)")
_INHERITED = re.compile(r"\s*##\s*'.*' was inherited from group '(?P<group>[^']+)'")


def read_listing(text: str) -> Node:
    """The tree of a router's configuration in any of these forms, with the groups of `display inheritance` noted.

    Each caller gets a tree of its own: one night reads the same text dozens of times.

    Raises:
        ParseError: it is in none of them.
    """
    return _listing(text).copy()


@lru_cache(maxsize=2)
def _listing(text: str) -> Node:
    lines = [
        _SECRET.sub(r"\g<statement>;", line) if "## SECRET-DATA" in line else line
        for line in text.removeprefix("\ufeff").split("\n")
    ]
    lines = ["" if _AROUND.fullmatch(line) else line for line in lines]
    title = next((index for index, line in enumerate(lines) if _is_statement(line)), 0)
    if _TITLE.fullmatch(lines[title].strip()):
        lines[title] = ""
    first = next(((number, line.strip()) for number, line in enumerate(lines, 1) if _is_statement(line)), (0, ""))
    if first[1].startswith("<"):
        raise ParseError(
            first[0], first[1][:40], "is XML, which is not read: write `show configuration`, or `... | display set`"
        )
    if _SET.fullmatch(first[1]):
        return _read_set(lines)
    root = read_tree("\n".join(_SLASH_STAR.sub(r'"\1"', line) if "/*" in line else line for line in lines))
    notes = _notes(lines)
    if notes:
        _note_groups(root, notes, "")
    return root


def is_with_inheritance(root: Node) -> bool:
    """Whether a tree is of a listing that shows inherited statements in place, and so has no groups.

    `display inheritance no-comments` and NETCONF leave the comments out.
    """
    return root.child("groups") is None and root.child("apply-groups") is None


def _is_statement(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "/*"))


def _notes(lines: list[str]) -> dict[int, str]:
    """The lines whose statements are inherited, with the group that the comment above names."""
    found: dict[int, str] = {}
    group = ""
    for number, line in enumerate(lines, 1):
        if named := _INHERITED.match(line):
            group = named["group"]
        elif group and _is_statement(line):
            found[number] = group
            group = ""
    return found


def _note_groups(node: Node, notes: dict[int, str], group: str) -> None:
    for child in node:
        last = child.ends[-1] if child.ends else child.line
        child.group = notes.get(last) or notes.get(child.line) or group
        _note_groups(child, notes, child.group)


def _read_set(lines: list[str]) -> Node:
    root = Node("", 0, "")
    inactive: list[list[Token]] = []
    for number, line in enumerate(lines, 1):
        if not _is_statement(line):
            continue
        said = _SET.fullmatch(line.rstrip())
        if said is None:
            raise ParseError(number, line.strip()[:60], "is no `set` statement, as those around it are")
        words = list(tokens(said["words"], number))
        wrong = next((each for each in words if each.is_mark), None)
        if wrong is not None:
            raise ParseError(number, wrong.word, "is not understood in a `set` statement")
        if said[1] == "set":
            place(root, words).ends.append(number)
        elif said[1] == "deactivate":
            inactive.append(words)
        elif said[1] == "delete":
            raise ParseError(number, line.strip()[:60], "removes a statement, which no listing does")
    for words in inactive:
        _deactivate(root, words)
    return root


def _deactivate(root: Node, words: list[Token]) -> None:
    """Moves a statement out of the tree, with its value if it has no more than one, as `inactive:` does."""
    path = [each.word for each in words]
    parent, node = root.child(*path[:-1]), root.child(*path)
    if parent is None or node is None:
        # Routers list `deactivate` of statements that are inherited, too.
        return
    parent.inactive[node.word] = parent.children.pop(node.word)
    if all(not each.children for each in node):
        node.inactive.update(node.children)
        node.children.clear()


def shown(root: Node, last_line: int) -> list[str]:
    """The active and inactive statements of a tree as text, each in its line, for a text of so many lines."""
    found: list[list[str]] = [[] for _ in range(last_line)]
    for line, statement in _statements(root, ()):
        found[line - 1].append(statement)
    return [" ".join(each) for each in found]


def _statements(node: Node, before: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for child in node:
        words = (*before, _quoted(child))
        if child.ends or not (child.children or child.inactive):
            line = child.ends[0] if child.ends else child.line
            yield line, _nested(words, ";" if child.ends else " { }")
        yield from _statements(child, words)
    for child in node.inactive.values():
        yield child.line, _nested((*before, f"inactive: {_quoted(child)}"), _body(child))


def _body(node: Node) -> str:
    inner = [*node, *node.inactive.values()]
    return f" {{ {' '.join(_quoted(each) + _body(each) for each in inner)} }}" if inner else ";"


def _nested(words: tuple[str, ...], end: str) -> str:
    """`a { b { c; } }`, so that a tag can stand before any word."""
    *outer, last = words
    return f"{''.join(f'{each} {{ ' for each in outer)}{last}{end}{' }' * len(outer)}"


def _quoted(node: Node) -> str:
    if node.items:
        return f"[ {' '.join(map(_word, node.items))} ]"
    return _word(node.word)


def _word(word: str) -> str:
    return f'"{word}"' if not word or re.search(r"[\s;{}\[\]#]|/\*|:$", word) else word
