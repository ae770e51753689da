"""The form of a candidate: one statement reads one way, for a router as for a person.

A whole configuration may hold banners, descriptions and certificates. A candidate holds names, numbers and addresses,
so that everything which could hide a statement, or end one early, is refused before anything is read.
"""

import re

from hntes.platforms.errors import ReadBackError
from hntes.settings.terms import Platform

# What HNTES defines on a router bears its name: no other object can be replaced by a candidate.
OWN_NAME = re.compile(r"hntes(-[A-Za-z0-9_.-]+)?")
_WORDS = {"junos": r"[A-Za-z0-9 ._:/{}\[\];-]*", "iosxr": r"[A-Za-z0-9 ._:/-]*", "iosxe": r"[A-Za-z0-9 ._:/-]*"}
_COMMENT = {"junos": "## ", "iosxr": "! ", "iosxe": "! "}
# They change the mode in which a router reads the lines below, or act at once.
_MODES = ("exit", "quit", "end", "end-group", "root", "commit", "abort", "do", "configure")
_HEADER = re.compile(r"[ -~]*")
_SHOWN = 40
# The one comment below the head: above a term of Junos, which keeps it, since names of terms and counters are hashes.
PAIR_COMMENT = re.compile(r" *\/\* (?P<source>[0-9a-f.:/]+) > (?P<destination>[0-9a-f.:/]+) \*\/")
_PAIR_LINES = (
    r" *term [A-Za-z0-9._-]+ \{", r" *from \{", r" *source-address (?P<source>\S+);",
    r" *destination-address (?P<destination>\S+);",
)  # fmt: skip


# What only a text to be loaded says: its head, and the marks that replace or remove an object that a router has. A
# router itself lists `no ip http server` and the like.
_TO_BE_LOADED = re.compile(
    r"^(##|!) HNTES candidate for router |(^|[\s{;])(replace|delete): "
    r"|^no ((ip|ipv4|ipv6) access-list|class-map|policy-map|route-map|interface) ",
    re.MULTILINE,
)


def is_to_be_loaded(text: str) -> bool:
    """Whether a text is meant to be loaded into a router, rather than listed by one.

    Example:
        >>> is_to_be_loaded("hostname r1\\n"), is_to_be_loaded("no ipv4 access-list a\\n")
        (False, True)
    """
    return _TO_BE_LOADED.search(text) is not None


def check_form(platform: Platform, text: str) -> None:
    """Refuse what no candidate needs: comments below the head, quotes, wildcards, tabs and other odd blanks.

    On Junos a comment may say the pair of the term below it, and nothing else.

    Raises:
        ReadBackError: the first such line.
    """
    if not text.endswith("\n"):
        raise ReadBackError(text.count("\n") + 1, text[text.rfind("\n") + 1 :][:_SHOWN], "the last line does not end")
    words, comment = re.compile(_WORDS[platform]), _COMMENT[platform]
    is_head = True
    lines = text.split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        if is_head and line.startswith(comment) and _HEADER.fullmatch(line):
            continue
        if platform != "junos" and line.strip(" ") == "!":
            continue
        is_head = False
        if platform == "junos" and (said := PAIR_COMMENT.fullmatch(line)):
            _check_pair_comment(number, line, said, lines[number : number + len(_PAIR_LINES)])
            continue
        if not words.fullmatch(line):
            odd = next(each for each in line if not words.fullmatch(each))
            shown = ascii(line.strip())[1:-1][:_SHOWN]
            raise ReadBackError(number, shown, f"{odd!a} has no place in a candidate below its head")
        if platform != "junos" and line.split()[:1] in [[mode] for mode in _MODES]:
            raise ReadBackError(number, line.strip(), "changes the mode in which a router reads the lines below")


def _check_pair_comment(number: int, line: str, said: re.Match[str], below: list[str]) -> None:
    """Refuse a comment that is not about the term below it: what people read must be what the router does."""
    found: dict[str, str] = {}
    for pattern, each in zip(_PAIR_LINES, below, strict=False):
        match = re.fullmatch(pattern, each)
        if match is None:
            break
        found |= match.groupdict()
    if found != said.groupdict():
        raise ReadBackError(number, line.strip(), "is not the pair of the term below")
