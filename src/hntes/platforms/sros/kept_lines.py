"""The lines of an SR OS configuration that stay in force after a candidate is loaded."""

from collections.abc import Iterator

from hntes.platforms.sros.parser.tree import Node, below, read_tree
from hntes.platforms.sros.statements import own_depth


def kept_lines(running: str) -> list[str]:
    """The operator's statements, each in its line; those of HNTES are empty.

    Raises:
        ParseError: the text is no MD-CLI configuration.
    """
    root = read_tree(running, is_listing=True)
    own = {number for lines in _own(root.children.get("configure", root), ()) for number in lines}
    return ["" if number in own else line for number, line in enumerate(running.split("\n"), 1)]


def _own(node: Node, words: tuple[str, ...]) -> Iterator[range]:
    """The lines of what belongs to HNTES below a node."""
    for child in node:
        path = (*words, child.word)
        if own_depth(path) is None:
            yield from _own(child, path)
        else:
            for each in (child, *below(child)):
                yield from (range(first, last + 1) for first, last in each.blocks)
                yield from (range(line, line + 1) for line in each.ends)
