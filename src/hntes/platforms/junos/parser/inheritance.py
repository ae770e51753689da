"""Configuration groups and interface ranges of a Junos configuration, expanded into the places that inherit them.

Sources: Juniper, CLI User Guide, "Use Configuration Groups to Quickly Configure Devices" (one `apply-groups` statement
per level; the statement of the level itself wins, then the first group of the innermost level; `<*>` matches the names
of statements that are there; `apply-groups-except`) and Interfaces Fundamentals, "Interface Ranges".

A wildcard is matched against statements that other groups bring as well, which is more than a router does: then a
collision is reported too often, not too rarely.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from hntes.platforms.junos.parser.tree import Node, below

_WILDCARD = re.compile(r"<(.*)>")
_INHERITS = ("apply-groups", "apply-groups-except", "apply-macro")
# Statements with one value: the level's own replaces that of a group.
_SINGLE = frozenset(
    (
        *("input", "output", "input-list", "output-list", "scheduler-map", "instance-type", "vlan-id"),
        *("mtu", "description", "speed", "encapsulation", "802.3ad", "input-traffic-control-profile"),
        *("output-traffic-control-profile", "shaping-rate", "host-name"),
    )
)
# A router with two routing engines, or a cluster, applies groups that exist on the other half alone.
_OF_A_HALF = re.compile(r"re[01]|node\d+|member\d+|\$\{(node|re|member)\}")
_MEMBERS = ("member", "member-range", "member-expr")


class Source(NamedTuple):
    """A part of a group, or of an interface range, at the place that inherits it."""

    name: str
    node: Node


def names_of(node: Node | None) -> Iterator[tuple[Node, str]]:
    """The values of a statement, each with its node: `a;`, or each of `[ a b ]`."""
    for each in node or ():
        for name in each.items or (each.word,):
            yield each, name


def expand(root: Node, interfaces: Iterable[str] = ()) -> None:
    """Adds the inherited statements to the tree, each with the name of its group or range.

    Args:
        root: The tree of a configuration.
        interfaces: The names of the judged interfaces, which may stand in ranges only.

    Raises:
        ParseError: a group that is applied is not in the text.
    """
    if any(each.word == "apply-groups" for each in below(root)):
        groups = {each.word: each for each in root.child("groups") or ()}
        _Groups(groups).apply(root, (), [])
    _expand_ranges(root, set(interfaces))


class _Groups:
    def __init__(self, groups: Mapping[str, Node]) -> None:
        self.groups = groups

    def apply(self, node: Node, path: tuple[str, ...], inherited: list[Source]) -> None:
        """Adds to a node what it inherits from outer levels and from the groups that it applies, recursively."""
        left_out = {name for _, name in names_of(node.child("apply-groups-except"))}
        applied = [each for name in self._applied(node) for each in self._at(name, path)]
        sources = [*applied, *(each for each in inherited if each.name not in left_out)]
        _merge(node, sources)
        for child in list(node):
            if (path or child.word != "groups") and child.word not in _INHERITS:
                self.apply(child, (*path, child.word), list(_inner(sources, child.word)))

    def _applied(self, node: Node) -> Iterator[str]:
        """The names of the groups that a level applies, with those that the groups themselves apply."""
        waiting = [(each, name) for each, name in names_of(node.child("apply-groups"))]
        seen: set[str] = set()
        while waiting:
            where, name = waiting.pop(0)
            if name in seen:
                continue
            seen.add(name)
            group = self.groups.get(name)
            if group is not None:
                yield name
                waiting += list(names_of(group.child("apply-groups")))
            elif name == "${node}":
                waiting += [(where, each) for each in self.groups if re.fullmatch(r"node\d+", each)]
            elif not _OF_A_HALF.fullmatch(name):
                raise where.refused(
                    f"group {name} is not in the text: give the whole configuration, or `| display inheritance`"
                )

    def _at(self, name: str, path: tuple[str, ...]) -> Iterator[Source]:
        sources = [Source(name, self.groups[name])]
        for word in path:
            sources = list(_inner(sources, word))
        return iter(sources)


def _inner(sources: Iterable[Source], word: str) -> Iterator[Source]:
    """The parts of sources for a child: those of its name, then those of wildcards that match it."""
    for name, node in sources:
        own = node.child(word)
        if own is not None:
            yield Source(name, own)
        for each in node:
            wildcard = _WILDCARD.fullmatch(each.word)
            if wildcard and fnmatchcase(word, wildcard[1]):
                yield Source(name, each)


def _merge(node: Node, sources: Iterable[Source]) -> None:
    """Adds the children of sources that the node lacks; their own children follow as those are visited."""
    is_set = bool(node.children) and node.word in _SINGLE
    for name, source in sources:
        for each in source if not is_set else ():
            if each.word in _INHERITS or _WILDCARD.fullmatch(each.word) or each.word in node.children:
                continue
            path = f"{node.path} {each.word}".strip()
            copy = Node(each.word, each.line, path, each.items, ends=list(each.ends), group=name)
            node.children[each.word] = copy
        is_set = is_set or (bool(node.children) and node.word in _SINGLE)


def _expand_ranges(root: Node, interfaces: set[str]) -> None:
    ports = root.child("interfaces")
    ranges = list(ports.child("interface-range") or ()) if ports is not None else []
    for each in ranges:
        known = sorted({*interfaces, *(port.word for port in ports or () if port.word != "interface-range")})
        for name in [name for name in known if is_member(each, name)]:
            assert ports is not None  # noqa: S101 - for the type checker: it has the range
            port = ports.children.setdefault(name, Node(name, each.line, f"interfaces {name}", group=each.word))
            _copy(port, Source(each.word, each))


def is_member(interface_range: Node, name: str) -> bool:
    """Whether an interface range includes an interface."""
    members = (word for _, word in names_of(interface_range.child("member")))
    if any(fnmatchcase(name, member) for member in members):
        return True
    return any(
        _is_between(first.word, name, last.word)
        for first in interface_range.child("member-range") or ()
        for last in first.child("to") or ()
    )


def _is_between(first: str, name: str, last: str) -> bool:
    """Whether a name is in `member-range FIRST to LAST`, by the numbers in the names."""
    kinds = {re.sub(r"\d+", "", each) for each in (first, name, last)}
    low, number, high = ([int(digits) for digits in re.findall(r"\d+", each)] for each in (first, name, last))
    return len(kinds) == 1 and low <= number <= high


def _copy(node: Node, source: Source) -> None:
    """Adds everything below a source that the node lacks, recursively."""
    skipped = [each for each in source.node if each.word in _MEMBERS]
    part = [each for each in source.node if each not in skipped and each.word not in _INHERITS]
    held = Node(source.node.word, source.node.line, source.node.path, children={each.word: each for each in part})
    _merge(node, [Source(source.name, held)])
    for each in part:
        if each.word in node.children:
            _copy(node.children[each.word], Source(source.name, each))
