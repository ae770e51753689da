"""The output of `show | compare` of a Junos router, as added and removed statements.

Source: Junos OS CLI User Guide, "Compare Configuration Changes with a Prior Version": `[edit PATH]` before the lines of
one level; `+` added and `-` missing in the candidate, `!` moved, activated or deactivated, the latter two with a tag;
other lines are context.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.junos.statements import INACTIVE, read_statements
from hntes.platforms.owned_config import OwnedConfig, Statement, unlike_lines

_LEVEL = re.compile(r"\[edit(?: (?P<path>.*))?\]")


@dataclass(frozen=True)
class Difference:
    """Added and removed statements, as words from the top."""

    added: frozenset[Statement]
    removed: frozenset[Statement]


def unlike_change(shown: str, before: OwnedConfig, after: OwnedConfig) -> list[str]:
    """How the router's diff differs from the change from one part to another; empty if it does not.

    Raises:
        DeliveryError: as `difference_of`.
    """
    old, new = frozenset(before.statements), frozenset(after.statements)
    return unlike_lines(_lines(difference_of(shown)), _lines(Difference(new - old, old - new)))


def _lines(difference: Difference) -> list[str]:
    return [
        f"{sign} {' '.join(words)}"
        for sign, statements in (("+", difference.added), ("-", difference.removed))
        for words in sorted(statements)
    ]


def difference_of(shown: str) -> Difference:
    """The statements of the router's diff.

    Raises:
        DeliveryError: a line precedes the first `[edit]` line.
    """
    texts: dict[str, list[str]] = {"+": [], "-": []}
    for signed, lines in _by_sign(shown):
        texts[signed] += lines
    added, removed = (
        frozenset(read_statements("\n".join(texts[sign]))) | frozenset(_switched(shown, sign)) for sign in "+-"
    )
    return Difference(added - removed, removed - added)


def _switched(shown: str, sign: str) -> Iterator[Statement]:
    """The filter inputs that became inactive (+) or active (-), as statements."""
    path: tuple[str, ...] = ()
    for line in shown.splitlines():
        if level := _LEVEL.fullmatch(line.strip()):
            path = tuple((level["path"] or "").split())
        elif line.startswith("!") and path[:1] == ("interfaces",) and path[-1] == "filter":
            words = line[1:].split()
            if (words[0] == INACTIVE) == (sign == "+"):
                yield (INACTIVE, *path, words[1] if words[0].endswith(":") else words[0])


def _by_sign(shown: str) -> list[tuple[str, list[str]]]:
    """The lines of each level with one sign, with the path of that level."""
    found: list[tuple[str, list[str]]] = []
    path: str | None = None
    lines: list[str] = []
    for line in [*shown.splitlines(), "[edit]"]:
        if level := _LEVEL.fullmatch(line.strip()):
            if path is not None:
                found += [(sign, _closed(path, lines, sign)) for sign in "+-"]
            path, lines = level["path"] or "", []
        elif line.strip():
            if path is None:
                raise DeliveryError(f"the router's diff has `{line.strip()[:80]}` before its first [edit] line")
            lines.append(line)
    return found


def _closed(path: str, lines: list[str], sign: str) -> list[str]:
    body = [line[1:] for line in lines if line[0] == sign]
    return [f"{path} {{", *body, "}"] if path and body else body
