"""Statements of a whole configuration that a parser skips, grouped by kind."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.platforms.effective import UnparsedStatement

JUDGED_PORTS = "the judged ports"
QUEUES = "queues and classes"
CONTROL_PLANE = "the control plane"
WAYS = "the ways that packets take"
ANYTHING = "anything"


@dataclass(frozen=True)
class SkippedStatement:
    """One skipped statement: the words that name its kind, its line, and the judged behaviour that it could change."""

    kind: str
    line: int
    touches: str | None


def grouped(passed: Iterable[SkippedStatement]) -> tuple[UnparsedStatement, ...]:
    """Groups statements by kind, in order of their first line.

    Example:
        >>> grouped([SkippedStatement("snmp", 4, None), SkippedStatement("snmp", 3, None)])
        (UnparsedStatement(text='snmp', line=3, last_line=4, statements=2, touches=None),)
    """
    found: dict[tuple[str, str | None], list[int]] = {}
    for each in passed:
        found.setdefault((each.kind, each.touches), []).append(each.line)
    groups = [
        UnparsedStatement(kind, min(lines), max(lines), len(lines), touches) for (kind, touches), lines in found.items()
    ]  # fmt: skip
    return tuple(sorted(groups, key=lambda each: (each.line, each.text)))
