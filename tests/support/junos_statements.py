"""A Junos router's configuration as statements: what a load does to it, and what it inherits from groups.

Written from Juniper's CLI guide: `load replace` puts a tagged statement in the place of the one that is there and
merges the others, `load set` runs commands, and a group's statements are inherited where the configuration has none of
its own. Each word is a node below the word before it. Of the statements in `SINGLE` there is one value.
"""

import copy
import re
from collections.abc import Iterator
from typing import Any

SINGLE = frozenset(
    ["input", "scheduler-map", "queue-num", "percent", "priority", "bandwidth-limit", "burst-size-limit", "description"]
)
ORDERED = frozenset(["term"])
_TOKEN = re.compile(r"##[^\n]*|#[^\n]*|/\*.*?\*/|[{};\[\]]|[^\s{};\[\]]+", re.DOTALL)

Tree = dict[str, Any]


class Router:
    """One router's configuration, as a person would see it without inheritance."""

    def __init__(self) -> None:
        self.tree: Tree = {}

    def load_replace(self, text: str) -> None:
        """A text of statements, some with the tag `replace:`."""
        changes = list(_statements(iter(_tokens(text)), ()))
        for path, is_replaced in changes:
            if is_replaced:
                _delete(self.tree, path)
        for path, is_replaced in changes:
            _set(self.tree, path, is_leaf=not is_replaced)

    def load_set(self, text: str) -> None:
        """Commands `delete STATEMENT`, each of a statement that is there."""
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            command, *path = line.split()
            if command != "delete" or not _delete(self.tree, tuple(path)):
                raise ValueError(f"`{line}` is no command, or deletes nothing")

    def shown(self) -> str:
        """The configuration without inheritance, the same bytes for the same statements."""
        return "".join(f"{line}\n" for line in _shown(self.tree, 0, is_ordered=False))

    def effective(self) -> str:
        """What the router's processes get: the statements with what they inherit, own ones before a group's."""
        own = {word: copy.deepcopy(tree) for word, tree in self.tree.items() if word not in ("groups", "apply-groups")}
        for name in self.tree.get("apply-groups", {}):
            _inherit(own, self.tree["groups"][name])
        return "".join(f"{line}\n" for line in _shown(own, 0, is_ordered=False))


def _tokens(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if not token.startswith(("#", "/*"))]


def _statements(tokens: Iterator[str], outer: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], bool]]:
    words: list[str] = []
    for token in tokens:
        if token == "{":
            tagged = words[0] == "replace:"
            path = (*outer, *words[tagged:])
            if tagged:
                yield path, True
            yield from _statements(tokens, path)
            words = []
        elif token == "[":
            items = list(iter(lambda: next(tokens), "]"))
            yield from (((*outer, *words, item), False) for item in items)
            words = []
        elif token == ";":
            if words:
                yield (*outer, *words), False
            words = []
        elif token == "}":
            return
        else:
            words.append(token)
    if words or outer:
        raise ValueError(f"the text ends within {' '.join((*outer, *words))}")


def _set(tree: Tree, path: tuple[str, ...], *, is_leaf: bool) -> None:
    for index, word in enumerate(path):
        if is_leaf and index and path[index - 1] in SINGLE:
            tree.clear()
        tree = tree.setdefault(word, {})


def _delete(tree: Tree, path: tuple[str, ...]) -> bool:
    """Containers that are empty then go, too, as containers without a meaning of their own do."""
    if path[0] not in tree:
        return False
    if len(path) > 1 and not _delete(tree[path[0]], path[1:]):
        return False
    if len(path) == 1 or (not tree[path[0]] and path[0] in ("groups", "apply-groups")):
        del tree[path[0]]
    return True


def _inherit(own: Tree, group: Tree) -> None:
    for word, tree in group.items():
        if word not in own:
            own[word] = copy.deepcopy(tree)
        elif word not in SINGLE:
            _inherit(own[word], tree)


def _shown(tree: Tree, depth: int, *, is_ordered: bool) -> Iterator[str]:
    for word in tree if is_ordered else sorted(tree):
        yield f"{' ' * depth}{word}"
        yield from _shown(tree[word], depth + 1, is_ordered=word in ORDERED)
