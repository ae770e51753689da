"""The lexical form of a candidate: each statement is unambiguous, for a router as for a person.

A whole configuration may hold banners, descriptions and certificates. A candidate holds only names, numbers and
addresses, so anything that could hide a statement, or end one early, is refused before parsing.
"""

import re
from collections.abc import Iterator

from hntes.platforms.errors import ParseError

# Objects of HNTES have its name as a prefix, so that a candidate cannot replace other objects.
OWN_NAME = re.compile(r"hntes(-[A-Za-z0-9_.-]+)?")
_HEADER = re.compile(r"[ -~]*")
_SHOWN = 40


def body_lines(text: str, comment: str, separator: str | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a candidate below its head, with their numbers.

    Args:
        text: The candidate.
        comment: The start of each line of its head.
        separator: A line without meaning, allowed anywhere.

    Raises:
        ParseError: the last line has no newline.
    """
    if not text.endswith("\n"):
        raise ParseError(text.count("\n") + 1, text[text.rfind("\n") + 1 :][:_SHOWN], "the last line has no newline")
    is_head = True
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if is_head and line.startswith(comment) and _HEADER.fullmatch(line):
            continue
        if separator is not None and line.strip(" ") == separator:
            continue
        is_head = False
        yield number, line


def require_words(number: int, line: str, words: re.Pattern[str]) -> None:
    """Refuses comments below the head, quotes, wildcards, tabs and unusual blanks.

    Args:
        number: The line number.
        line: One line of a candidate.
        words: The characters of a platform's statements.

    Raises:
        ParseError: the line has another character.
    """
    if not words.fullmatch(line):
        odd = next(each for each in line if not words.fullmatch(each))
        shown = ascii(line.strip())[1:-1][:_SHOWN]
        raise ParseError(number, shown, f"{odd!a} is not allowed in a candidate below its head")
