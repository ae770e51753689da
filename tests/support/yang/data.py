"""A text as data of a vendor's schema: statements that the schema does not have are refused."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.support.yang.schema import Case, Node

# The cases that lead to a choice, and its name.
Choice = tuple[Case | str, ...]


class NotTakenError(Exception):
    """The schema does not take a statement; the message says what of it, and where."""


@dataclass(frozen=True)
class Finding:
    """One statement of a text that the vendor's schema does not take."""

    line: int
    statement: str
    reason: str


@dataclass
class Data:
    """A container or an entry of a list, with what was set below it."""

    node: Node
    path: str = ""
    values: dict[str, set[str]] = field(default_factory=dict)
    below: dict[tuple[str, tuple[str, ...]], "Data"] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)

    def at(self, node: Node, keys: tuple[str, ...] = ()) -> "Data":
        """The container or entry below, made if need be.

        Raises:
            NotTakenError: a key is missing, or its type does not allow the value.
        """
        if len(keys) != len(node.keys):
            raise NotTakenError(f"{self.path}/{node.name} has the keys {[key.name for key in node.keys]}, not {keys}")
        for leaf, value in zip(node.keys, keys, strict=True):
            self._require(leaf, value, f"{self.path}/{node.name}")
        self.nodes[node.name] = node
        where = f"{self.path}/{node.name}" + "".join(f"[{key}]" for key in keys)
        data = self.below.setdefault((node.name, keys), Data(node, where))
        data.values.update({leaf.name: {value} for leaf, value in zip(node.keys, keys, strict=True)})
        return data

    def put(self, leaf: Node, value: str) -> None:
        """Sets a leaf, or adds to a leaf-list; an empty leaf has the value "".

        Raises:
            NotTakenError: the type does not allow the value, or the leaf has another one already.
        """
        self._require(leaf, value, self.path)
        self.nodes[leaf.name] = leaf
        held = self.values.setdefault(leaf.name, set())
        if leaf.kind == "leaf" and held - {value}:
            raise NotTakenError(f"{self.path}/{leaf.name} is {', '.join(held)} already")
        held.add(value)

    def _require(self, leaf: Node, value: str, path: str) -> None:
        if leaf.is_empty:
            if value:
                raise NotTakenError(f"{path}/{leaf.name} takes no value, not {value!r}")
        elif not leaf.takes(value):
            raise NotTakenError(f"{path}/{leaf.name} does not take {value!r}")

    def faults(self) -> Iterator[str]:
        """What the whole lacks or has too much of: two cases of a choice, mandatory leaves."""
        chosen: dict[Choice, set[str]] = {}
        for node in self.nodes.values():
            for choice, name in _cases(node):
                chosen.setdefault(choice, set()).add(name)
        for choice, names in chosen.items():
            if len(names) > 1:
                yield f"{self.path}: {', '.join(sorted(names))} of the choice {choice[-1]} exclude each other"
        for leaf in self.node.children:
            if leaf.is_mandatory and leaf.name not in self.nodes and not _is_avoided(leaf, chosen):
                yield f"{self.path} lacks {leaf.name}"
        for data in self.below.values():
            yield from data.faults()


def _cases(node: Node) -> Iterator[tuple[Choice, str]]:
    """The choices that a node stands in, from outside to inside, and its case of each."""
    for depth, case in enumerate(node.cases):
        yield (*node.cases[:depth], case.choice), case.name


def _is_avoided(leaf: Node, chosen: dict[Choice, set[str]]) -> bool:
    """Whether the leaf belongs to a case that the data are not in."""
    return any(name not in chosen.get(choice, ()) for choice, name in _cases(leaf))
