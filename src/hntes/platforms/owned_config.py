"""The part of a router's configuration owned by HNTES, as comparable statements."""

from dataclasses import dataclass

# A statement by its words, or its lines, from the top of the configuration.
Statement = tuple[str, ...]

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
        lines = self.changes(wanted)
        return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]


def is_listed_change(shown: str, before: OwnedConfig, after: OwnedConfig) -> bool:
    """Whether a difference of whole configurations, by `OwnedConfig.changes`, is the change between two parts."""
    return sorted(shown.splitlines()) == sorted(after.changes(before))
