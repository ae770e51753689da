"""The lexical form of an EOS candidate, and the statements that it may consist of."""

from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.eos.statements import is_own
from hntes.platforms.errors import ParseError

NO_MEANING = "has no meaning here: a candidate may contain only statements that the gate judges"


def check_shape(root: Section) -> None:
    """Refuses the first section that is neither an object of HNTES nor binds one, and the second with one head.

    Raises:
        ParseError: with the section's line.
    """
    seen: dict[tuple[str, ...], int] = {}
    for section in root:
        if section.words in seen:
            raise section.refused(f"is repeated, first in line {seen[section.words]}")
        seen[section.words] = section.line
        if section.words[0] != "interface" and section.words != ("traffic-policies",):
            if not is_own(section, None):
                raise section.refused(NO_MEANING)
            continue
        section.take()
        for child in section:
            if not is_own(child, section):
                raise child.refused(NO_MEANING)
        if not section.children:
            raise section.refused("is empty: " + NO_MEANING)
    for closing in root.closings:
        raise closing.refused(NO_MEANING)


def check_taken(root: Section) -> None:
    """Refuses the first statement of a text that no reader has parsed.

    Raises:
        ParseError: with the statement's line.
    """
    left: list[ParseError] = [each.refused(NO_MEANING) for each in below(root) if not each.is_taken]
    if left:
        raise min(left, key=lambda problem: problem.line)
