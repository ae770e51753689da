"""The part of a router's configuration owned by HNTES, as comparable statements."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

# A statement by its words, or its lines, from the top of the configuration.
Statement = tuple[str, ...]

# A push reads one listing of a router several times, and that before it beside: so many parts are remembered.
LISTINGS = 8
_SHOWN = 20


@dataclass(frozen=True)
class OwnedConfig:
    """Statements in the router's order. Two parts are equal if their statements and the order of ranked ones are.

    `ranked`: items that a router evaluates in order until the first match, such as the terms of a filter, each with its
    parent.
    """

    statements: tuple[Statement, ...]
    ranked: tuple[Statement, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnedConfig) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared[0])

    @property
    def _compared(self) -> tuple[frozenset[Statement], dict[Statement, list[str]]]:
        """The statements, and the order of the ranked items of each parent."""
        names: dict[Statement, list[str]] = {}
        for path in self.ranked:
            names.setdefault(path[:-1], []).append(path[-1])
        return frozenset(self.statements), names

    def changes(self, wanted: "OwnedConfig") -> list[str]:
        """The differences by statement: `-` missing, `+` unexpected."""
        mine, theirs = set(self.statements), set(wanted.statements)
        lines = [f"- {' '.join(words)}" for words in wanted.statements if words not in mine]
        lines += [f"+ {' '.join(words)}" for words in self.statements if words not in theirs]
        if not lines and self != wanted:
            lines = ["! the terms or classes are in another order"]
        return lines

    def differences(self, wanted: "OwnedConfig") -> list[str]:
        """The first lines of `changes`."""
        return first(self.changes(wanted))


def unlike_listed_change(shown: str, before: OwnedConfig, after: OwnedConfig) -> list[str]:
    """How a difference of whole configurations, by `OwnedConfig.changes`, differs from the change between two parts.

    The lines that only one of them has; empty if the difference is exactly that change.
    """
    return unlike_lines(shown.splitlines(), after.changes(before))


def unlike_lines(shown: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """The lines that are only in a router's difference, and those that are only in the approved change."""
    found, approved = Counter(shown), Counter(wanted)
    lines = [f"not approved: {line}" for line in (found - approved).elements()]
    return [*lines, *(f"not in the router's diff: {line}" for line in (approved - found).elements())]


def first(lines: list[str]) -> list[str]:
    """As many lines as fit a screen, and the number of the others."""
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]
