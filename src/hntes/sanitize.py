"""Text written by people: reasons, notes, names. It must be one printable line; stored text is escaped for display.

A line break in a reason could forge a line of a report; an escape sequence could alter what a terminal shows.
"""

import unicodedata

MAX_CHARACTERS = 2000


def text_problem(text: str) -> str | None:
    """The problem with a text, None if there is none: too long, or not one line of printable characters.

    Example:
        >>> text_problem("weekly copy"), text_problem("x\\ngate: passed")
        (None, 'holds U+000A at position 2; write one line of printable characters')
    """
    if len(text) > MAX_CHARACTERS:
        return f"has {len(text)} characters; write at most {MAX_CHARACTERS}"
    for position, character in enumerate(text, start=1):
        if not _is_printable(character):
            return f"holds {_name(character)} at position {position}; write one line of printable characters"
    return None


def shown(text: str) -> str:
    """The text as one line without control over the terminal: everything else is escaped.

    Example:
        >>> shown("x\\ngate: passed"), shown("\\x1b[2J")
        ('x\\\\ngate: passed', '\\\\x1b[2J')
    """
    return text if text.isprintable() else "".join(map(_escaped, text))


def shown_lines(text: str) -> str:
    """As `shown`, but line breaks stay: for text of several lines that the program composed."""
    return "\n".join(map(shown, text.split("\n")))


def _is_printable(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    return character if _is_printable(character) else ascii(character)[1:-1]


def _name(character: str) -> str:
    if 0xDC80 <= ord(character) <= 0xDCFF:  # Python's stand-in for a byte that is no UTF-8
        return f"the byte 0x{ord(character) - 0xDC00:02X}, which is not UTF-8,"
    return f"U+{ord(character):04X}"
