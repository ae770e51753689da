"""The closed grammar of a Junos candidate: statements that no reader has parsed are refused.

Juniper, `load replace`: a statement tagged `replace:` replaces the router's. So the tag is allowed only before whole
objects of HNTES: before `interfaces` it would delete all of them.
"""

from collections.abc import Iterator

from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.junos.parser.tree import Node, below

NO_MEANING = "has no meaning here: a candidate may contain only statements that the gate judges"

_HEADS = ("firewall", "class-of-service", "interfaces", "policy-options", "routing-options", "routing-instances")
# Places of HNTES' objects: the enclosing words, and the words of the tagged statement.
_OBJECTS = {
    ("firewall",): ("filter", "policer", "three-color-policer"),
    ("firewall", "family", "inet"): ("filter",),
    ("firewall", "family", "inet6"): ("filter",),
    ("class-of-service", "drop-profiles"): (),
    ("class-of-service", "schedulers"): (),
    ("class-of-service", "scheduler-maps"): (),
    ("class-of-service", "forwarding-policy"): ("next-hop-map",),
    ("policy-options",): ("policy-statement", "prefix-list"),
    ("routing-options", "rib-groups"): (),
    ("routing-instances",): (),
}

_MAPS = ("class-of-service", "scheduler-maps")


def check_shape(root: Node) -> None:
    """Refuses the first statement that is not an object of HNTES, is empty, repeated or wrongly tagged.

    Raises:
        ParseError: with the statement's line.
    """
    _raise_first(list(_problems(root)))


def check_taken(root: Node) -> None:
    """Refuses the first statement of a text that no reader has parsed.

    Raises:
        ParseError: with the statement's line.
    """
    left = [node for node in below(root) if node.ends and not node.is_taken]
    _raise_first([ParseError(node.ends[0], node.path, NO_MEANING) for node in left])


def objects(root: Node, *place: str) -> tuple[Node, ...]:
    """The objects at a place, by name."""
    return tuple(root.child(*place) or ())


def _raise_first(problems: list[ParseError]) -> None:
    if problems:
        raise min(problems, key=lambda problem: problem.line)


def _problems(root: Node) -> Iterator[ParseError]:
    for node in root:
        if node.word not in _HEADS:
            yield node.refused(NO_MEANING)
    for path, kinds in _OBJECTS.items():
        for place in [(*path, kind) for kind in kinds] or [path]:
            yield from _foreign(root, place, 1 + (place != path))
    allowed = {id(node) for path, kinds in _OBJECTS.items() for node in _named(root, path, kinds)}
    yield from _tags(root, is_object=False)
    for node in below(root):
        yield from _tags(node, id(node) in allowed)
        yield from _of_node(node)


def _named(root: Node, path: tuple[str, ...], kinds: tuple[str, ...]) -> Iterator[Node]:
    for place in [(*path, kind) for kind in kinds] or [path]:
        yield from objects(root, *place)


def _foreign(root: Node, place: tuple[str, ...], words: int) -> Iterator[ParseError]:
    for each in objects(root, *place):
        if not OWN_NAME.fullmatch(each.word) and not (place == _MAPS and _adds_class(each)):
            yield each.refused("is not an object of HNTES: names must start with `hntes`")
        for line, tag, tagged in each.tags:
            if tag == "replace:" and tagged != words:
                yield ParseError(line, f"{tag} {each.path}", "tags more than one object of HNTES")


def _adds_class(scheduler_map: Node) -> bool:
    """Whether an operator's scheduler map gets nothing but a class with a scheduler of HNTES."""
    served = scheduler_map.child("forwarding-class")
    names = [name for each in served or () for name in each.child("scheduler") or ()]
    return (
        not scheduler_map.tags
        and len(scheduler_map.children) == 1
        and len(names) == 1
        and all(OWN_NAME.fullmatch(name.word) for name in names)
    )


def _tags(node: Node, is_object: bool) -> Iterator[ParseError]:
    for line, tag, _ in node.tags:
        if tag != "replace:":
            yield ParseError(line, tag, NO_MEANING)
        elif not is_object:
            yield ParseError(line, f"{tag} {node.path}", "replaces more than an object of HNTES")


def _of_node(node: Node) -> Iterator[ParseError]:
    if len(node.ends) > 1:
        yield ParseError(node.ends[1], node.path, f"is repeated, first in line {node.ends[0]}")
    if node.ends and node.children:
        yield ParseError(node.ends[0], node.path, NO_MEANING)
    if not node.ends and not node.children:
        yield node.refused("is empty: " + NO_MEANING)
