"""The statements of `class-of-service interfaces` that apply to one port: its own, and those of patterns.

Juniper, Class of Service User Guide, "Applying Scheduler Maps Overview": wildcards name several interfaces, and a
statement for the interface itself is preferred to that of a wildcard.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from hntes.platforms.junos.parser.tree import Node

PROFILE = "output-traffic-control-profile"


def statements_of(cos: Node, name: str) -> list[Node]:
    """The nodes that apply to a port: its own first, then of patterns the longest, then `all`."""
    found = [each for each in cos.child("interfaces") or () if _applies(each.word, name)]
    return sorted(found, key=lambda each: (each.word != name, each.word == "all", -len(each.word)))


def first_of(nodes: list[Node], *words: str) -> Node | None:
    """The first statement with these words among the nodes of a port."""
    return next((found for each in nodes if (found := each.child(*words)) is not None), None)


def map_of(cos: Node, nodes: list[Node]) -> Node | None:
    """The statement that names the scheduler map of a port, its own or that of its traffic control profile.

    Raises:
        ParseError: the profile is not in the text.
    """
    own, profile = first_of(nodes, "scheduler-map"), first_of(nodes, PROFILE)
    if own is not None or profile is None:
        return own
    name = profile.value()
    body = cos.child("traffic-control-profiles", name.word)
    if body is None:
        raise name.refused(f"traffic-control-profile {name.word} is not in the text")
    return body.child("scheduler-map")


def of_unit(nodes: list[Node], unit: int) -> Iterator[Node]:
    """What applies to a unit: of the unit itself, of `unit *`, and of the port, as on routers without units there."""
    for word in (str(unit), "*"):
        yield from (found for each in nodes if (found := each.child("unit", word)) is not None)
    yield from nodes


def _applies(pattern: str, name: str) -> bool:
    return pattern in (name, "all") or fnmatchcase(name, pattern)
