"""The form of a Junos candidate: its characters, and the one comment below its head."""

import re

from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import body_lines, require_words

_WORDS = re.compile(r"[A-Za-z0-9 ._:/{}\[\];-]*")
# The one comment below the head: above a term, which keeps it, since names of terms and counters are hashes.
_PAIR_COMMENT = re.compile(r" *\/\* (?P<source>[0-9a-f.:/]+) > (?P<destination>[0-9a-f.:/]+) \*\/")
_PAIR_LINES = (
    r" *term [A-Za-z0-9._-]+ \{", r" *from \{", r" *source-address (?P<source>\S+);",
    r" *destination-address (?P<destination>\S+);",
)  # fmt: skip
_LINE_OF_COMMENT = re.compile(r"^ *\/\*(?:(?!\*\/).)*\*\/ *$", re.MULTILINE)
# What only a text to be loaded says: its head, and the marks that replace or remove an object that a router has.
_TO_BE_LOADED = re.compile(r"^## HNTES candidate for router |(^|[\s{;])(replace|delete): ", re.MULTILINE)


def is_to_be_loaded(text: str) -> bool:
    """Whether a text is meant to be loaded into a router, rather than listed by one.

    Example:
        >>> is_to_be_loaded("system { }\\n"), is_to_be_loaded("firewall { replace: policer hntes-a { } }\\n")
        (False, True)
    """
    return _TO_BE_LOADED.search(text) is not None


def tidied(text: str) -> str:
    """A hand-edited text, line by line, with blanks for tabs and without comments of one line.

    Example:
        >>> tidied("firewall {\\n\\tfilter a {\\n /* of b */\\n}\\n}\\n")
        'firewall {\\n filter a {\\n\\n}\\n}\\n'
    """
    return _LINE_OF_COMMENT.sub("", text.expandtabs(1))


def check_form(text: str) -> None:
    """Refuse what no candidate needs. A comment may say the pair of the term below it, and nothing else.

    Raises:
        ParseError: the first such line.
    """
    lines = text.split("\n")[:-1]
    for number, line in body_lines(text, "## "):
        if said := _PAIR_COMMENT.fullmatch(line):
            _check_pair_comment(number, line, said, lines[number : number + len(_PAIR_LINES)])
        else:
            require_words(number, line, _WORDS)


def _check_pair_comment(number: int, line: str, said: re.Match[str], below: list[str]) -> None:
    """Refuse a comment that is not about the term below it: what people read must be what the router does."""
    found: dict[str, str] = {}
    for pattern, each in zip(_PAIR_LINES, below, strict=False):
        match = re.fullmatch(pattern, each)
        if match is None:
            break
        found |= match.groupdict()
    if found != said.groupdict():
        raise ParseError(number, line.strip(), "is not the pair of the term below")
