"""The configuration tree of Junos: statements in their order, each with its words, a value and its marks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.support.devices.junos.schema import TOP, Statement, child_of

Key = tuple[str, ...]


class StatementError(ValueError):
    """A statement that the schema does not have; `word` is the first that was not understood."""

    def __init__(self, message: str, word: str) -> None:
        super().__init__(message)
        self.word = word


@dataclass
class Node:
    """One statement. words: its keyword and keys, in `children` its identity. value: of a leaf."""

    words: Key = ()
    schema: Statement = field(default=TOP, repr=False, compare=False)
    value: str | None = None
    inactive: bool = False
    children: "dict[Key, Node]" = field(default_factory=dict)

    def copy(self) -> "Node":
        children = {key: child.copy() for key, child in self.children.items()}
        return Node(self.words, self.schema, self.value, self.inactive, children)

    def get(self, *path: Key | str) -> "Node | None":
        """The node at a path of keys; a string is a key of one word."""
        node: Node | None = self
        for key in path:
            node = node.children.get((key,) if isinstance(key, str) else key) if node else None
        return node

    def named(self, keyword: str) -> "list[Node]":
        """The active children of a list, such as every `filter NAME`."""
        return [child for key, child in self.children.items() if key[0] == keyword and not child.inactive]

    def active(self) -> "list[Node]":
        return [child for child in self.children.values() if not child.inactive]

    def leaf(self, *path: Key | str) -> str | None:
        """The value of an active leaf."""
        node = self.get(*path)
        return node.value if node and not node.inactive else None


def words_of(parent: Statement, words: Sequence[str]) -> tuple[Key, Statement, str | None, int]:
    """The first statement in words: its key, schema, value, and how many of the words it took."""
    child = child_of(parent, words[0])
    if child is None:
        raise StatementError("syntax error", words[0])
    wanted = {"list": 1 + child.keys, "leaf": 2, "leaf-list": 2}.get(child.kind, 1)
    if len(words) < wanted:
        raise StatementError("missing argument", words[-1])
    if child.kind == "leaf":
        return (words[0],), child, words[1], 2
    return tuple(words[:wanted]), child, None, wanted


def steps(parent: Statement, words: Sequence[str]) -> Iterator[tuple[Key, Statement, str | None]]:
    """All statements in words, from the outermost on."""
    while words:
        key, parent, value, taken = words_of(parent, words)
        yield key, parent, value
        words = words[taken:]


def descend(node: Node, words: Sequence[str]) -> Node:
    """Makes the path of words below a node where it is missing, sets its leaf, and gives its last node."""
    for key, schema, value in steps(node.schema, words):
        if key not in node.children:
            node.children[key] = Node(key, schema)
        node = node.children[key]
        if value is not None:
            node.value = value
    return node


def find(node: Node, words: Sequence[str]) -> tuple[Node, Key] | None:
    """Parent and key of the statement that words name (a leaf without or with its value), if it is there."""
    parent = node
    key: Key = ()
    while words:
        child = child_of(node.schema, words[0])
        if child is not None and child.kind == "leaf" and len(words) == 1:
            found: Key = (words[0],)
            taken = 1
        else:
            found, _, value, taken = words_of(node.schema, words)
            if value is not None and node.children.get(found, Node()).value != value:
                return None
        if found not in node.children:
            return None
        parent, key, node = node, found, node.children[found]
        words = words[taken:]
    return (parent, key) if key else None


def remove(root: Node, words: Sequence[str]) -> bool:
    """Removes a statement and the containers that it leaves empty, as Junos does; says whether it was there. Words that
    end at the keyword of a list remove the list's every entry."""
    holder, keyword = _list_at_end(root, words)
    if holder is not None:
        gone = [(holder, key) for key in holder.children if key[0] == keyword]
    else:
        place = find(root, words)
        gone = [place] if place else []
    for parent, key in gone:
        del parent.children[key]
    prune(root)
    return bool(gone)


def _list_at_end(root: Node, words: Sequence[str]) -> tuple[Node | None, str]:
    """The node that holds a list, if words end at the list's keyword, without the name of an entry."""
    node, left = root, list(words)
    while left:
        child = child_of(node.schema, left[0])
        if child is not None and child.kind in ("list", "leaf-list") and len(left) == 1:
            return node, left[0]
        key, _, _, taken = words_of(node.schema, left)
        if key not in node.children:
            return None, ""
        node, left = node.children[key], left[taken:]
        if node.value is not None:
            return None, ""
    return None, ""


def prune(node: Node) -> None:
    """Takes away containers without content. An entry of a list, and what has a name of its own, exists without any."""
    for key, child in list(node.children.items()):
        prune(child)
        by_keyword = key[0] in node.schema.children
        if by_keyword and child.schema.kind == "container" and not child.children:
            del node.children[key]
