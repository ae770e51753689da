"""Statements of a whole configuration that a parser skips, grouped by kind."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hntes.platforms.effective import UnparsedStatement

# What statements can touch (docs/decisions/0057-what-statements-touch.md).
JUDGED_PORTS = "the judged ports"
QUEUES = "queues and classes"
CLASSES = "the classes that packets get from their marks"
OTHER_PORTS = "queues of other ports"
LINK = "the link of a judged port"
FILTERS = "the packets that are dropped"
CONTROL_PLANE = "the control plane"
WAYS = "the ways that packets take"
ANYTHING = "anything"
# A candidate changes none of these, so that they are as before it; ways are changed by a redirect alone. Which classes
# marks get beside a plan is a question of `conflicts`.
_UNCHANGED = (OTHER_PORTS, CLASSES, LINK, FILTERS, CONTROL_PLANE)


@dataclass(frozen=True)
class SkippedStatement:
    """One skipped statement: the words that name its kind, its line, and the judged behaviour that it could change."""

    kind: str
    line: int
    touches: str | None


def beside_candidate(found: UnparsedStatement, *, is_redirected: bool) -> UnparsedStatement:
    """A statement of a running configuration, of which only what a candidate changes is a reason not to judge.

    What is unknown is listed: below the judged places readers count it as `JUDGED_PORTS` or refuse it.
    """
    if found.touches in _UNCHANGED or (found.touches == WAYS and not is_redirected):
        return replace(found, touches=None)
    return replace(found, blocks=found.touches != ANYTHING)


def grouped(passed: Iterable[SkippedStatement]) -> tuple[UnparsedStatement, ...]:
    """Groups statements by kind, in order of their first line.

    Example:
        >>> grouped([SkippedStatement("snmp", 4, None), SkippedStatement("snmp", 3, None)])
        (UnparsedStatement(text='snmp', line=3, last_line=4, statements=2, touches=None, blocks=True),)
    """
    found: dict[tuple[str, str | None], list[int]] = {}
    for each in passed:
        found.setdefault((each.kind, each.touches), []).append(each.line)
    groups = [
        UnparsedStatement(kind, min(lines), max(lines), len(lines), touches) for (kind, touches), lines in found.items()
    ]  # fmt: skip
    return tuple(sorted(groups, key=lambda each: (each.line, each.text)))
