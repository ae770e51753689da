"""Inheritance of a configuration by `apply-groups`.

Source: Junos OS CLI User Guide, "Use Configuration Groups to Quickly Configure Devices": a statement of the
configuration overrides that of a group, an earlier group a later one; `<*>` stands for any name;
`apply-groups-except`.
"""

from fnmatch import fnmatchcase

from tests.support.devices.junos.tree import Key, Node


def inherited(root: Node) -> Node:
    """A copy without inactive statements and with what its groups give it."""
    effective = _active(root)
    groups = {key[0]: group for key, group in (effective.get("groups") or Node()).children.items()}
    _apply(effective, effective, groups, ())
    effective.children.pop(("groups",), None)
    return effective


def undefined_groups(root: Node) -> list[str]:
    """Names in `apply-groups` that no group has."""
    defined = {key[0] for key in (root.get("groups") or Node()).children}
    return [name for name in _names(root) if name not in defined]


def _names(node: Node) -> list[str]:
    own = [key[1] for key in node.children if key[0] == "apply-groups"]
    return own + [name for child in node.active() for name in _names(child)]


def _active(node: Node) -> Node:
    children = {key: _active(child) for key, child in node.children.items() if not child.inactive}
    return Node(node.words, node.schema, node.value, False, children)


def _apply(root: Node, node: Node, groups: dict[str, Node], path: tuple[Key, ...]) -> None:
    except_for = {key[1] for key in node.children if key[0] == "apply-groups-except"}
    for key in [key for key in node.children if key[0] == "apply-groups"]:
        if key[1] in groups and key[1] not in except_for:
            for source in _sources(groups[key[1]], path):
                _merge(node, source, key[1])
    for key, child in list(node.children.items()):
        if key[0] not in ("groups", "apply-groups", "apply-groups-except"):
            _apply(root, child, groups, (*path, key))


def _sources(group: Node, path: tuple[Key, ...]) -> list[Node]:
    """The parts of a group that stand where a path of the configuration is."""
    found = [group]
    for key in path:
        found = [child for node in found for pattern, child in node.children.items() if _fits(pattern, key)]
    return found


def _fits(pattern: Key, key: Key) -> bool:
    return len(pattern) == len(key) and all(
        fnmatchcase(word, part[1:-1]) if part.startswith("<") and part.endswith(">") else part == word
        for part, word in zip(pattern, key, strict=True)
    )


def _merge(node: Node, source: Node, group: str) -> None:
    """`apply-groups-except` keeps a group out of a level and of all below it."""
    if ("apply-groups-except", group) in node.children:
        return
    for pattern, given in source.children.items():
        if any(part.startswith("<") for part in pattern):
            for key, child in list(node.children.items()):
                if _fits(pattern, key):
                    _merge(child, given, group)
        elif pattern not in node.children:
            node.children[pattern] = _active(given)
        else:
            _merge(node.children[pattern], given, group)
