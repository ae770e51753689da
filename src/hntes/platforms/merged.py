"""A candidate loaded into what a router has, as one text that is read as a whole."""

import re
from collections.abc import Iterable
from dataclasses import replace

from hntes.platforms.cisco.own_objects import is_own_object, refers_to_own
from hntes.platforms.cisco.parser.tree import read_sections
from hntes.platforms.junos.parser.tree import read_tree
from hntes.platforms.junos.transition import GROUP, displaced
from hntes.platforms.parse import EffectiveModel, ReadBackError, read_back
from hntes.platforms.unparsed import CONTROL_PLANE
from hntes.rules.qos.model import InterfaceBinding
from hntes.settings.terms import Platform


def read_merged(
    platform: Platform, candidate: str, running: str, interfaces: Iterable[InterfaceBinding]
) -> EffectiveModel:
    """What a router does once the candidate is loaded into its running configuration.

    What an earlier delivery left there is what the candidate takes the place of. Between statements of both in one
    place nothing is decided: they collide (`check_beside`), or the reader refuses them. What touches the control plane
    alone counts as harmless: it stays as it is, since a candidate names no objects but those of HNTES.

    Raises:
        ReadBackError: something that decides over packets is not understood; it says in which of the two.
    """
    lines = _without_own(platform, running)
    if platform == "junos":
        lines = _without_displaced(candidate, running, lines)
    try:
        found = read_back(platform, "\n".join([*lines, candidate]), interfaces, is_whole=True)
    except ReadBackError as problem:
        if problem.line > len(lines):
            raise ReadBackError(problem.line - len(lines), problem.text, problem.reason) from problem
        raise ReadBackError(problem.line, problem.text, f"{problem.reason} (running configuration)") from problem
    unread = tuple(replace(each, touches=None) if each.touches == CONTROL_PLANE else each for each in found.unread)
    return replace(found, unread=unread)


def _without_own(platform: Platform, running: str) -> list[str]:
    """The lines of a running configuration; those of HNTES are empty, so that the others keep their numbers."""
    lines = running.split("\n")
    gone = _own_lines_of_junos(running) if platform == "junos" else _own_lines_of_cisco(running, len(lines))
    return ["" if number in gone else line for number, line in enumerate(lines, 1)]


def _without_displaced(candidate: str, running: str, lines: list[str]) -> list[str]:
    """The lines with `inactive:` before the operator's `input` that the candidate lists behind its own, as a load does.

    Raises:
        ReadBackError: such a statement is not written on one line.
    """
    root = read_tree(running)
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


def _own_lines_of_junos(running: str) -> set[int]:
    """The lines of the group, from its name to its closing brace, and of its application.

    Raises:
        ReadBackError: the group or its application shares a line with something else.
    """
    root = read_tree(running)
    gone = set()
    group, applied = root.child("groups", GROUP), root.child("apply-groups", GROUP)
    lines = running.split("\n")
    if group is not None:
        depth = 0
        for number in range(group.line, len(lines) + 1):
            gone.add(number)
            depth += lines[number - 1].count("{") - lines[number - 1].count("}")
            if depth == 0:
                break
        if lines[group.line - 1].split() != [GROUP, "{"] or lines[max(gone) - 1].strip() != "}":
            raise group.refused("does not stand on lines of its own, as a router lists it")
    if applied is not None:
        if lines[applied.line - 1].split() != ["apply-groups", f"{GROUP};"]:
            raise applied.refused("does not stand on a line of its own")
        gone.add(applied.line)
    return gone


def _own_lines_of_cisco(running: str, last: int) -> set[int]:
    """The lines of HNTES' objects, and those with which interfaces refer to them."""
    sections = list(read_sections(running))
    ends = [section.line for section in sections[1:]] + [last + 1]
    gone: set[int] = set()
    for section, end in zip(sections, ends, strict=True):
        if section.words[0] == "interface":
            gone |= {line.line for line in section if refers_to_own(line)}
        elif is_own_object(section):
            gone |= set(range(section.line, end))
    return gone
