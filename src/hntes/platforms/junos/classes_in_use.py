"""Statements of a Junos configuration that put packets into a forwarding class.

Definitions that nothing refers to (a filter that is not bound, a scheduler map) put no packet anywhere.
"""

from collections.abc import Iterator, Mapping

from hntes.platforms.junos.parser.tree import Node, below

# Hierarchies of class-of-service in which a class is defined, served or marked, or that only what refers to them uses.
_DEFINITIONS = (
    *("forwarding-classes", "scheduler-maps", "rewrite-rules", "traffic-control-profiles", "loss-priority-maps"),
    *("classifiers", "schedulers", "drop-profiles", "forwarding-policy", "forwarding-class-sets"),
    *("output-forwarding-class-map", "multi-destination", "fabric"),
)
# Default classifiers map these code points to the default classes 1 and 2 (CoS User Guide, "Default Classifiers").
_EF, _AF = "expedited-forwarding", "assured-forwarding"
_Points = Mapping[str, tuple[tuple[str, ...], ...]]
_DSCP: _Points = {_EF: (("ef", "101110"),), _AF: (("af11", "001010"), ("af12", "001100"), ("af13", "001110"))}
_THREE_BITS: _Points = {_EF: (("ef", "010"), ("ef1", "011")), _AF: (("af11", "100"), ("af12", "101"))}
_PRECEDENCE: _Points = {_EF: (("ef", "101"),), _AF: (("af11", "001"),)}
_DEFAULT_CLASSIFIERS: Mapping[str, _Points] = {
    "dscp": _DSCP,
    "dscp-ipv6": _DSCP,
    "exp": _THREE_BITS,
    "ieee-802.1": _THREE_BITS,
    "ieee-802.1ad": _THREE_BITS,
    "inet-precedence": _PRECEDENCE,
}


def class_uses(root: Node) -> Iterator[tuple[Node, str]]:
    """Each statement that puts packets into a class, with the name of the class."""
    referred = _words(root)
    for firewall in _tops(root, "firewall"):
        yield from _of_firewall(firewall, referred)
    for cos in _tops(root, "class-of-service"):
        for top in cos:
            if top.word not in _DEFINITIONS:
                yield from _named(top)
        yield from _of_classifiers(cos)


def _tops(root: Node, word: str) -> Iterator[Node]:
    """A hierarchy of the router and of each logical system."""
    for parent in (root, *(root.child("logical-systems") or ())):
        node = parent.child(word)
        if node is not None:
            yield node


def _named(node: Node) -> Iterator[tuple[Node, str]]:
    for each in below(node):
        if each.word == "forwarding-class":
            yield from ((name, name.word) for name in each)


def _words(root: Node) -> set[str]:
    """All words that may be the name of a filter in use."""
    found: set[str] = set()
    for top in root:
        if top.word not in ("firewall", "groups"):
            for each in below(top):
                found |= {each.word, *each.items}
    return found


def _of_firewall(firewall: Node, referred: set[str]) -> Iterator[tuple[Node, str]]:
    filters = [each for node in below(firewall) if node.word in ("filter", "simple-filter") for each in node]
    names = set(referred)
    for each in filters:
        # A term may evaluate another filter.
        names |= {
            word for node in below(each) if node.word == "filter" for one in node for word in (one.word, *one.items)
        }
    for each in filters:
        if each.word in names:
            for term in below(each):
                if term.word == "then":
                    yield from _named(term)
    for kind in ("policer", "three-color-policer", "hierarchical-policer"):
        for each in firewall.child(kind) or ():
            yield from _named(each)


def _of_classifiers(cos: Node) -> Iterator[tuple[Node, str]]:
    defined = cos.child("classifiers")
    for bound in (each for top in cos if top.word not in _DEFINITIONS for each in below(top)):
        if bound.word != "classifiers":
            continue
        for kind in bound:
            for name in kind:
                if name.word == "default":
                    yield from ((name, one) for one in _DEFAULT_CLASSIFIERS.get(kind.word, ()))
                body = defined.child(kind.word, name.word) if defined is not None else None
                if body is not None:
                    yield from _named(body)
                    yield from _imported(kind.word, body)


def _imported(kind: str, body: Node) -> Iterator[tuple[Node, str]]:
    """The default classes that a classifier takes from the default one: for code points that it does not state."""
    imported = body.child("import", "default")
    if imported is None:
        return
    stated = {code for each in below(body) if each.word == "code-points" for one in each for code in _codes(one)}
    for name, points in _DEFAULT_CLASSIFIERS.get(kind, {}).items():
        if any(not set(point) & stated for point in points):
            yield imported, name


def _codes(node: Node) -> tuple[str, ...]:
    return node.items or (node.word,)
