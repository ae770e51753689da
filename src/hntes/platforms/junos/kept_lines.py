"""The lines of a Junos configuration that stay in force after a candidate is loaded."""

from hntes.platforms.junos.parser.listing import shown
from hntes.platforms.junos.running import operators_tree
from hntes.platforms.junos.transition import displaced


def kept_lines(running: str, candidate: str) -> list[str]:
    """The operator's statements, each in its line, with an `input` inactive if the candidate lists its filter.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    root = operators_tree(running)
    for each in displaced(candidate):
        bound = root.child(*each.path)
        if bound is not None and bound.child("input", each.name) is not None:
            bound.inactive["input"] = bound.children.pop("input")
    return shown(root, running.count("\n") + 1)
