"""The class of packets without a mark (DSCP 0), by an operator's classifiers.

Juniper, Class of Service User Guide, "Overview of BA Classifier Types": of several kinds on a unit a DSCP classifier
decides over IP packets; a code point that a classifier does not name is in the class of queue 0.
"""

from collections.abc import Iterable, Iterator

from hntes.platforms.junos.parser.tree import Node

_ZERO = {"000000", "000", "be", "0"}
_KINDS = {4: ("dscp", "inet-precedence", "ieee-802.1"), 6: ("dscp-ipv6", "ieee-802.1")}


def unmarked_class(cos: Node, stated: Iterable[Node], ip_version: int) -> Node | None:
    """The statement that names the class of unmarked packets; None: that of queue 0.

    Args:
        cos: The class of service.
        stated: The statements of the unit, first those that are preferred.
        ip_version: The family of the packets.

    Raises:
        ParseError: a classifier is not in the text.
    """
    bound = [each for one in stated if (each := one.child("classifiers")) is not None]
    for kind in _KINDS[ip_version]:
        for name in (name for each in bound for name in each.child(kind) or ()):
            body = cos.child("classifiers", kind, name.word)
            if body is None and name.word != "default":
                raise name.refused(f"classifier {name.word} is not in the text")
            return next(_zeros(cos, kind, body), None) if body is not None else None
    return None


def _zeros(cos: Node, kind: str, body: Node) -> Iterator[Node]:
    for each in body.child("forwarding-class") or ():
        for loss in each.child("loss-priority") or ():
            for points in (loss.child("code-points"), loss.child("code-point")):
                if any(set(one.items or (one.word,)) & _ZERO for one in points or ()):
                    yield each
    imported = body.child("import")
    for one in imported or ():
        other = cos.child("classifiers", kind, one.word)
        if other is not None and other is not body:
            yield from _zeros(cos, kind, other)
