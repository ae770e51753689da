"""A Junos router's running configuration without what HNTES delivered: the operator's statements.

The delivered statements are the group `hntes` and its application, or, in a listing with inheritance, the statements
that stand in place: those that the listing's comments name, or objects of HNTES by name where it has no comments.
"""

from collections.abc import Callable, Iterable

from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.junos.parser.inheritance import expand, names_of
from hntes.platforms.junos.parser.listing import is_with_inheritance, read_listing
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.junos.transition import GROUP

# The hierarchies in which HNTES defines objects.
OBJECTS = (
    *(("firewall", "family", family, "filter") for family in ("inet", "inet6")),
    *(("firewall", kind) for kind in ("policer", "three-color-policer")),
    *(("class-of-service", kind) for kind in ("schedulers", "scheduler-maps", "drop-profiles")),
    ("class-of-service", "forwarding-policy", "next-hop-map"),
    ("policy-options", "policy-statement"),
    ("policy-options", "prefix-list"),
    ("routing-options", "rib-groups"),
    ("routing-instances",),
)
# The last words of statements that refer to one.
_REFERRING = ("input", "input-list", "scheduler-map", "export", "inet", "inet6")


def operators_tree(running: str) -> Node:
    """The operator's own statements, in the form of the listing: groups stand where they are.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    root = read_listing(running)
    groups = root.child("groups")
    if groups is not None:
        groups.children.pop(GROUP, None)
    _drop_name(root, "apply-groups", GROUP)
    _drop_inherited(root)
    if is_with_inheritance(root):
        _drop_named(root)
    return root


def expanded_tree(running: str, interfaces: Iterable[str], brought: Iterable[tuple[str, ...]] = ()) -> Node:
    """The operator's own statements with groups and interface ranges expanded.

    `brought` are places that a candidate brings, which the patterns of groups then match.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    root = operators_tree(running)
    for words in brought:
        node = root
        for word in words:
            node = node.children.setdefault(word, Node(word, 0, f"{node.path} {word}".strip()))
    expand(root, interfaces)
    return root


def _drop_name(parent: Node, word: str, *names: str) -> None:
    """Removes values of a statement, also from a list, and the statement if it has no other."""
    node = parent.child(word)
    if node is None:
        return
    for each in list(node):
        kept = tuple(name for name in each.items or (each.word,) if name not in names)
        if kept == (each.items or (each.word,)):
            continue
        del node.children[each.word]
        if kept:
            listed = f"[ {' '.join(kept)} ]"
            node.children[listed] = Node(listed, each.line, f"{node.path} {listed}", kept, ends=each.ends)
    if not node.children and not node.inactive:
        del parent.children[word]


def _drop_inherited(node: Node) -> None:
    """Removes the statements that the listing's comments say are inherited from the group of HNTES."""
    for child in list(node):
        had = bool(child.children)
        _drop_inherited(child)
        is_empty = not child.children and not child.inactive
        if is_empty and (child.group == GROUP or (had and not child.ends)):
            del node.children[child.word]


def _drop_named(root: Node) -> None:
    for place in OBJECTS:
        _prune(root, place, lambda each: OWN_NAME.fullmatch(each.word) is not None)
    for top in ("interfaces", "class-of-service", "routing-options"):
        node = root.child(top)
        if node is not None:
            _drop_references(node)


def _drop_references(node: Node) -> None:
    for child in list(node):
        if child.word in _REFERRING and not any(each.children for each in child):
            own = [name for _, name in names_of(child) if OWN_NAME.fullmatch(name)]
            if own:
                _drop_name(node, child.word, *_listed_behind(child, own))
                continue
        had = bool(child.children)
        _drop_references(child)
        if had and not child.children and not child.inactive and not child.ends:
            del node.children[child.word]


def _listed_behind(node: Node, own: list[str]) -> list[str]:
    """Names to remove: those of HNTES, and in its input list the operator's filter, whose own `input` is inactive."""
    return [name for _, name in names_of(node)] if node.word == "input-list" else own


def _prune(root: Node, place: tuple[str, ...], is_own: Callable[[Node], bool]) -> None:
    """Removes objects at a place, and the hierarchies that are empty then."""
    nodes = [root]
    for word in place:
        found = nodes[-1].child(word)
        if found is None:
            return
        nodes.append(found)
    last = nodes[-1]
    removed = [each.word for each in last if is_own(each)]
    for word in removed:
        del last.children[word]
    for parent, child in zip(nodes[-2::-1], nodes[:0:-1], strict=True):
        if removed and not child.children and not child.inactive:
            del parent.children[child.word]
