"""The lines of an EOS configuration that stay in force after a candidate is loaded."""

from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.eos.parser.listing import read_listing
from hntes.platforms.eos.statements import is_own


def kept_lines(running: str) -> list[str]:
    """The operator's lines; those of HNTES are empty.

    Raises:
        ParseError: the text is no configuration of EOS.
    """
    own = {line.line for section in _own(read_listing(running)) for line in (section, *below(section))}
    lines = running.removeprefix("\ufeff").split("\n")
    return ["" if number in own else line for number, line in enumerate(lines, 1)]


def _own(root: Section) -> Iterator[Section]:
    for section in root:
        if is_own(section, None):
            yield section
        yield from (child for child in section if is_own(child, section))
