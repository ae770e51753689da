"""The closed grammar of an IOS-XR or IOS-XE candidate: statements that no reader has parsed are refused.

A router ignores indentation: a line belongs to the open mode. So a candidate must be indented as a router lists it, by
one blank per mode, and no line may change the mode otherwise.
"""

from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME

_HEADS = ("interface", "class-map", "policy-map", "route-map")
NO_MEANING = "has no meaning here: a candidate may contain only statements that the gate judges"


def check_shape(root: Section, ports: frozenset[str]) -> None:
    """Refuses the first line that ends a mode out of place, defines no object of HNTES, or is badly indented.

    Args:
        root: The text, before it is parsed.
        ports: The names of the settings' interfaces: the only ones, besides tunnels, that may be configured.

    Raises:
        ParseError: with the line.
    """
    problems = [closing.refused("ends a mode out of place") for closing in root.closings if not closing.is_taken]
    for section in root:
        problems += _foreign(section, ports)
        problems += _margins(section, 0)
    _raise_first(problems)


def check_taken(root: Section) -> None:
    """Refuses the first line of a text that no reader has parsed.

    Raises:
        ParseError: with the line.
    """
    _raise_first([each.refused(NO_MEANING) for each in below(root) if not each.is_taken])


def _raise_first(problems: list[ParseError]) -> None:
    if problems:
        raise min(problems, key=lambda problem: problem.line)


def _margins(section: Section, margin: int) -> Iterator[ParseError]:
    if section.indent != margin:
        yield section.refused(f"is indented by {section.indent}, not {margin}: its mode is ambiguous")
    for child in section:
        yield from _margins(child, margin + 1)


def _foreign(section: Section, ports: frozenset[str]) -> Iterator[ParseError]:
    """Sections that define neither an object of HNTES nor an interface of the settings."""
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
        yield section.refused("is not an object of HNTES: names must start with `hntes`")
