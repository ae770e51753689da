"""An EOS text as a tree of sections, by the reader of Cisco's languages: EOS indents by three, and ends texts with EOF.

Sources: EOS User Manual, "banner login", "event-handler" (lines of text up to a line EOF).
"""

import re
from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, interface_name, read_sections
from hntes.platforms.errors import ParseError

_TEXT_BEHIND = re.compile(r"\s*(?:banner \S+|action bash|comment)\s*")
_END_OF_TEXT = "EOF"


def read_listing(text: str) -> Section:
    """The tree of an EOS configuration; its root is a section without words. Lines keep their numbers.

    Raises:
        ParseError: JSON, a text behind a statement that does not end, or what no router lists.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    first = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
    if first and lines[first - 1].lstrip().startswith("{"):
        raise ParseError(first, lines[first - 1][:40], "is JSON, which is not read: write `show running-config`")
    return read_sections("\n".join(_without_texts(lines)))


def _without_texts(lines: list[str]) -> Iterator[str]:
    """The lines, those of banners and scripts empty."""
    began = 0
    for number, line in enumerate(lines, 1):
        if not began:
            began = number if _TEXT_BEHIND.fullmatch(line) and _ends(lines, number) else 0
            yield line.replace("!!", "!", 1) if line.lstrip().startswith("!!") else line
        else:
            began = 0 if line.strip() == _END_OF_TEXT else began
            yield ""


def _ends(lines: list[str], number: int) -> bool:
    """Whether a text begins behind this line: `banner` without one is a statement like others."""
    if any(line.strip() == _END_OF_TEXT for line in lines[number:]):
        return True
    if lines[number - 1].lstrip().startswith("banner"):
        raise ParseError(number, lines[number - 1].strip(), "is a banner whose text does not end")
    return False


def interface_lines(root: Section, name: str) -> list[Section]:
    """The statements of an interface, of all its sections."""
    return [line for each in root if interface_name(each.words) == name for line in each]


def traffic_policies(root: Section) -> list[Section]:
    """The traffic policies of a text."""
    return [one for each in root if each.words == ("traffic-policies",) for one in each if one.begins("traffic-policy")]
