"""Lines of a Cisco CLI: patterns of words, abbreviations, and the errors that a line without a pattern gets.

Source: Cisco IOS Configuration Fundamentals Configuration Guide, "Using the Cisco IOS Command-Line Interface" (table
"CLI Error Messages": ambiguous, incomplete, invalid with the caret under the first character that was not understood).

A pattern is words in lower case; `WORD` (any one word), `<1-100>` (a number), `LINE` (the rest) stand for what the user
gives. A word in `(a|b)` is one of those.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_INVALID = "% Invalid input detected at '^' marker.\n"


class LineError(Exception):
    """What the router prints instead of acting on a line."""


@dataclass(frozen=True)
class Match:
    """pattern: the one that fits. words: the line's, with keywords written out."""

    pattern: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)


def match(line: str, patterns: Iterable[str], indent: int) -> Match:
    """The pattern that a line fits. indent: width of the prompt, which the caret has to pass. LineError if none."""
    words = line.split()
    best = -1
    incomplete = ambiguous = False
    for pattern in patterns:
        found, reached = _fit(words, pattern.split())
        if found is not None:
            return Match(pattern, found)
        best = max(best, reached)
        incomplete |= reached == len(words)
    if incomplete:
        raise LineError("% Incomplete command.\n\n" if not ambiguous else f'% Ambiguous command:  "{line}"\n')
    raise LineError(" " * (indent + _column(line, max(best, 0))) + "^\n" + _INVALID + "\n")


def _fit(words: list[str], pattern: list[str]) -> tuple[tuple[str, ...] | None, int]:
    """The line's words written out, if they fit; and how many of them did."""
    full: list[str] = []
    for at, part in enumerate(pattern):
        if part == "LINE":
            return ((*full, *words[at:]), len(words)) if len(words) > at else (None, len(words))
        if at >= len(words):
            return None, len(words)
        word = _word(words[at], part)
        if word is None:
            return None, at
        full.append(word)
    return (tuple(full), len(words)) if len(words) == len(pattern) else (None, len(pattern))


def _word(word: str, part: str) -> str | None:
    if part == "WORD":
        return word
    if numbers := re.fullmatch(r"<(\d+)-(\d+)>", part):
        return word if word.isdigit() and int(numbers[1]) <= int(word) <= int(numbers[2]) else None
    choices = part.strip("()").split("|")
    fitting = [choice for choice in choices if choice.startswith(word.lower())]
    return word.lower() if word.lower() in choices else fitting[0] if len(fitting) == 1 else None


def _column(line: str, word: int) -> int:
    """Where a word of a line begins; past the end for one more than there are."""
    starts = [found.start() for found in re.finditer(r"\S+", line)]
    return starts[word] if word < len(starts) else len(line.rstrip()) - 1 if line.strip() else 0
