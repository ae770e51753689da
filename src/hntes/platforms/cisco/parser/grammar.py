"""The closed grammar of an IOS-XR or IOS-XE candidate: whatever the readers have not taken a meaning from is refused.

A router has no margins: it gives a line to the mode that is open. So a candidate must stand as a router lists it, one
blank deeper for each mode, and no line of it changes the mode otherwise.
"""

from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME

_HEADS = ("interface", "class-map", "policy-map", "route-map")
NO_MEANING = "has no meaning here: a candidate says only what the gate judges"


def check_shape(root: Section, ports: frozenset[str]) -> None:
    """Refuse the first line that ends a mode oddly, defines no object of HNTES, or stands at a margin of its own.

    Args:
        root: The text, before it is read.
        ports: The names of the settings' interfaces: the only ones that may be configured, beside tunnels.

    Raises:
        ParseError: with the line.
    """
    problems = [
        closing.refused("ends a mode elsewhere than a router's listing does")
        for closing in root.closings
        if not closing.is_taken
    ]
    for section in root:
        problems += _foreign(section, ports)
        problems += _margins(section, 0)
    _raise_first(problems)


def check_taken(root: Section) -> None:
    """Refuse the first line of a text that no reader has taken a meaning from.

    Raises:
        ParseError: with the line.
    """
    _raise_first([each.refused(NO_MEANING) for each in below(root) if not each.is_taken])


def _raise_first(problems: list[ParseError]) -> None:
    if problems:
        raise min(problems, key=lambda problem: problem.line)


def _margins(section: Section, margin: int) -> Iterator[ParseError]:
    if section.indent != margin:
        yield section.refused(f"stands at margin {section.indent}, not {margin}: to which mode does a router give it?")
    for child in section:
        yield from _margins(child, margin + 1)


def _foreign(section: Section, ports: frozenset[str]) -> Iterator[ParseError]:
    """A section that defines what is neither an object of HNTES nor an interface of the settings."""
    words = section.words[1:] if section.words[0] == "no" and len(section.words) > 1 else section.words
    if words[0] not in _HEADS and words[1:2] != ("access-list",):
        yield section.refused(NO_MEANING)
        return
    if words[0] == "interface":
        name = words[-1]
        if len(words) != 2 or (name not in ports and not name.startswith("tunnel-te")):
            yield section.refused("is not an interface of the settings")
        return
    name = words[1] if words[0] == "route-map" and len(words) > 1 else words[-1]
    if not OWN_NAME.fullmatch(name):
        yield section.refused("is no object of HNTES, whose names begin with `hntes`: the router's own is not touched")
