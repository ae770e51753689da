"""The lines of an IOS-XR or IOS-XE configuration that stay in force after a candidate is loaded."""

from hntes.platforms.cisco.own_objects import is_own_object, refers_to_own
from hntes.platforms.cisco.parser.tree import read_sections


def kept_lines(running: str) -> list[str]:
    """The lines without the objects of HNTES and the interface lines that refer to them.

    Raises:
        ParseError: the text is not such a configuration.
    """
    sections = list(read_sections(running))
    ends = [section.line for section in sections[1:]] + [running.count("\n") + 2]
    gone: set[int] = set()
    for section, end in zip(sections, ends, strict=True):
        if section.words[0] == "interface":
            gone |= {line.line for line in section if refers_to_own(line)}
        elif is_own_object(section):
            gone |= set(range(section.line, end))
    lines = running.removeprefix("\ufeff").split("\n")
    return ["" if number in gone else line for number, line in enumerate(lines, 1)]
