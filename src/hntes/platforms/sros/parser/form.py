"""The lexical form of an SR OS candidate: words and braces, one statement a line, nothing quoted."""

import re

from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME, body_lines, require_words
from hntes.platforms.sros.parser.tree import Node, below

NO_MEANING = "has no meaning here: a candidate may contain only statements that the gate judges"

_WORDS = re.compile(r"[A-Za-z0-9 ._:/{}-]*")
_TO_BE_LOADED = re.compile(r"^# HNTES candidate for router ", re.MULTILINE)
# Each kind of object of HNTES, by the words before its name.
OBJECTS = (
    ("filter", "ip-filter"),
    ("filter", "ipv6-filter"),
    ("qos", "network-queue"),
    ("qos", "port-scheduler-policy"),
)
_HEADS = ("filter", "port", "qos", "router")


def is_to_be_loaded(text: str) -> bool:
    """Whether a text is to be loaded into a router, rather than listed by one."""
    return _TO_BE_LOADED.search(text) is not None


def check_form(text: str) -> None:
    """Refuses lines that no candidate needs.

    Raises:
        ParseError: the first such line.
    """
    for number, line in body_lines(text, "# "):
        require_words(number, line, _WORDS)


def check_shape(root: Node) -> None:
    """Refuses the first statement that is not an object or a binding of HNTES, is empty, or repeated.

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


def embeds_own(body: Node) -> bool:
    """Whether an operator's filter gets nothing but embedded filters of HNTES."""
    embedded = body.child("embed", "filter")
    names = [each.word for each in embedded or ()]
    return set(body.children) == {"embed"} and bool(names) and all(map(OWN_NAME.fullmatch, names))


def _raise_first(problems: list[ParseError]) -> None:
    if problems:
        raise min(problems, key=lambda problem: problem.line)


def _problems(root: Node) -> list[ParseError]:
    found = [node.refused(NO_MEANING) for node in root if node.word != "configure"]
    configure = root.child("configure")
    if configure is None:
        return [*found, ParseError(0, "configure", "the text has no `configure`")]
    found += [node.refused(NO_MEANING) for node in configure if node.word not in _HEADS]
    for place in OBJECTS:
        for each in configure.child(*place) or ():
            if not OWN_NAME.fullmatch(each.word) and not (place[0] == "filter" and embeds_own(each)):
                found.append(each.refused("is not an object of HNTES: names must start with `hntes`"))
    for node in below(configure):
        if len(node.ends) > 1:
            found.append(ParseError(node.ends[1], node.path, f"is repeated, first in line {node.ends[0]}"))
        if len(node.blocks) > 1:
            found.append(ParseError(node.blocks[1][0], node.path, f"is repeated, first in line {node.blocks[0][0]}"))
        if node.ends and node.children:
            found.append(ParseError(node.ends[0], node.path, NO_MEANING))
        if not node.ends and not node.children:
            found.append(node.refused("is empty: " + NO_MEANING))
    return found
