"""The lexical form of an IOS-XR or IOS-XE candidate: its characters, and no line that changes the mode."""

import re

from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import body_lines, require_words

_WORDS = re.compile(r"[A-Za-z0-9 ._:/-]*")
# Commands that change the mode for the lines below, or take effect at once.
_MODES = frozenset(("exit", "quit", "end", "end-group", "root", "commit", "abort", "do", "configure"))
# Found only in a text to be loaded: its head, and commands that remove an object. A router's own listing has lines such
# as `no ip http server`.
_TO_BE_LOADED = re.compile(
    r"^! HNTES candidate for router |^no ((ip|ipv4|ipv6) access-list|class-map|policy-map|route-map|interface) ",
    re.MULTILINE,
)


def is_to_be_loaded(text: str) -> bool:
    """Whether a text is to be loaded into a router, rather than listed by one.

    Example:
        >>> is_to_be_loaded("hostname r1\\n"), is_to_be_loaded("no ipv4 access-list a\\n")
        (False, True)
    """
    return _TO_BE_LOADED.search(text) is not None


def check_form(text: str) -> None:
    """Refuses lines that no candidate needs.

    Raises:
        ParseError: the first such line.
    """
    for number, line in body_lines(text, "! ", separator="!"):
        require_words(number, line, _WORDS)
        if line.strip(" ").partition(" ")[0] in _MODES:
            raise ParseError(number, line.strip(), "changes the mode in which a router reads the lines below")
