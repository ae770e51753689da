"""The lines of a Junos configuration that stay in force after a candidate is loaded."""

import re

from hntes.platforms.junos.parser.tree import Node, read_tree
from hntes.platforms.junos.transition import GROUP, displaced
from hntes.platforms.merged import without_lines


def kept_lines(running: str, candidate: str) -> list[str]:
    """The lines without the group of HNTES, with an operator's `input` inactive if the candidate lists it.

    Raises:
        ParseError: such a statement shares a line with something else.
    """
    root = read_tree(running)
    return _without_displaced(root, candidate, without_lines(running, _own_lines(root, running.split("\n"))))


def _without_displaced(root: Node, candidate: str, lines: list[str]) -> list[str]:
    """The lines with `inactive:` before an operator's `input` that the candidate lists behind its own.

    Raises:
        ParseError: such a statement is not written on one line.
    """
    found = list(lines)
    for each in displaced(candidate):
        held = root.child(*each.path, "input", each.name)
        if held is None:
            continue
        line = found[held.ends[0] - 1]
        marked = re.sub(rf"(?<![^\s{{;])input {re.escape(each.name)};", rf"inactive: input {each.name};", line, count=1)
        if marked == line:
            raise held.refused("is not written on one line, as a router lists it")
        found[held.ends[0] - 1] = marked
    return found


def _own_lines(root: Node, lines: list[str]) -> set[int]:
    """The line numbers of the group, from its name to its closing brace, and of its application.

    Raises:
        ParseError: the group or its application shares a line with something else.
    """
    gone = set()
    group, applied = root.child("groups", GROUP), root.child("apply-groups", GROUP)
    if group is not None:
        depth = 0
        for number in range(group.line, len(lines) + 1):
            gone.add(number)
            depth += lines[number - 1].count("{") - lines[number - 1].count("}")
            if depth == 0:
                break
        if lines[group.line - 1].split() != [GROUP, "{"] or lines[max(gone) - 1].strip() != "}":
            raise group.refused("is not on separate lines, as a router lists it")
    if applied is not None:
        if lines[applied.line - 1].split() != ["apply-groups", f"{GROUP};"]:
            raise applied.refused("is not on a separate line")
        gone.add(applied.line)
    return gone
