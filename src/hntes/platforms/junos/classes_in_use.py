"""Statements of a Junos configuration that put packets into a forwarding class.

Definitions that nothing refers to (a filter that is not bound, a scheduler map) put no packet anywhere.
"""

from collections.abc import Iterator

from hntes.platforms.junos.parser.tree import Node, below

# Hierarchies of class-of-service in which a class is defined, served or marked, or that only what refers to them uses.
_DEFINITIONS = (
    *("forwarding-classes", "scheduler-maps", "rewrite-rules", "traffic-control-profiles", "loss-priority-maps"),
    *("classifiers", "schedulers", "drop-profiles", "forwarding-policy", "forwarding-class-sets"),
    *("output-forwarding-class-map", "multi-destination", "fabric"),
)
# Default classifiers map these code points to the default classes 1 and 2 (CoS User Guide, "Default Classifiers").
_OF_DEFAULT_CLASSIFIERS = ("expedited-forwarding", "assured-forwarding")
_COMPLETE_DEFAULTS = ("dscp", "dscp-ipv6", "exp", "ieee-802.1", "ieee-802.1ad")


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
                if name.word == "default" and kind.word in _COMPLETE_DEFAULTS:
                    yield from ((name, one) for one in _OF_DEFAULT_CLASSIFIERS)
                body = defined.child(kind.word, name.word) if defined is not None else None
                if body is not None:
                    yield from _named(body)
                    yield from _imported(kind.word, body)


def _imported(kind: str, body: Node) -> Iterator[tuple[Node, str]]:
    imported = body.child("import", "default")
    if imported is not None and kind in _COMPLETE_DEFAULTS:
        stated = {code for each in below(body) if each.word == "code-points" for one in each for code in _codes(one)}
        left = {"expedited-forwarding": {"ef", "101110"}, "assured-forwarding": {"af11", "001010"}}
        yield from (
            (imported, name) for name, codes in left.items() if kind not in ("dscp", "dscp-ipv6") or not codes & stated
        )


def _codes(node: Node) -> tuple[str, ...]:
    return node.items or (node.word,)
