"""The lexical form of a Junos candidate: its characters, and the one kind of comment below its head."""

import re

from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import body_lines, require_words

_WORDS = re.compile(r"[A-Za-z0-9 ._:/{}\[\];-]*")
# The one comment allowed below the head, above a term: names of terms and counters are hashes.
_PAIR_COMMENT = re.compile(r" *\/\* (?P<source>[0-9a-f.:/]+) > (?P<destination>[0-9a-f.:/]+) \*\/")
_PAIR_LINES = (
    r" *term [A-Za-z0-9._-]+ \{", r" *from \{", r" *source-address (?P<source>\S+);",
    r" *destination-address (?P<destination>\S+);",
)  # fmt: skip
_LINE_OF_COMMENT = re.compile(r"^ *\/\*(?:(?!\*\/).)*\*\/ *$", re.MULTILINE)
# Found only in a text to be loaded: its head, and the tags that replace or delete an object.
_TO_BE_LOADED = re.compile(r"^## HNTES candidate for router |(^|[\s{;])(replace|delete): ", re.MULTILINE)


def is_to_be_loaded(text: str) -> bool:
    """Whether a text is to be loaded into a router, rather than listed by one.

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
    """Refuses lines that no candidate needs. A comment may only give the pair of the term below it.

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
    """Refuses a comment that does not match the term below it, so that it cannot mislead a reader."""
    found: dict[str, str] = {}
    for pattern, each in zip(_PAIR_LINES, below, strict=False):
        match = re.fullmatch(pattern, each)
        if match is None:
            break
        found |= match.groupdict()
    if found != said.groupdict():
        raise ParseError(number, line.strip(), "is not the pair of the term below")
