"""Objects of a Junos candidate that none of its statements use.

A router may still use them: the filter of a family that has lost its last pair stays bound by the interfaces of an
earlier candidate. So they are parsed like all others, and such a filter must accept everything.
"""

from typing import Literal

from hntes.platforms.effective import Action
from hntes.platforms.junos.parser.filter import FAMILY, FilterReader
from hntes.platforms.junos.parser.paths import PathReader
from hntes.platforms.junos.parser.tree import Node


def read_unbound(root: Node, filters: FilterReader, paths: PathReader) -> None:
    """Parses filters, policers and routing instances without a reference in the text.

    Raises:
        ParseError: one cannot be parsed, or a filter does more than accept packets.
    """
    for version, family in FAMILY.items():
        for body in root.child("firewall", "family", family, "filter") or ():
            if body not in filters.used:
                _check_open(filters, body, version)
    for body in root.child("firewall", "policer") or ():
        filters.check_policer(body, "")
    for body in root.child("firewall", "three-color-policer") or ():
        for marker in ("single-rate", "two-rate"):
            if body.child(marker) is not None:
                filters.check_policer(body, marker)
    for body in root.child("routing-instances") or ():
        # Including instances that a filter names: the family without pairs keeps its route.
        paths.check_instance(body)


def _check_open(filters: FilterReader, body: Node, version: Literal[4, 6]) -> None:
    program = filters.program([Node(body.word, body.line, body.path)], version)
    first = program.entries[0] if program.entries else None
    if first is None or first.sources or first.destinations or first.action != Action():
        raise body.refused("no interface of the text uses it, and it does more than accept")
