"""The part of a router's configuration that HNTES owns, as statements that can be compared."""

from dataclasses import dataclass

# By its words, or by its lines, from the top of the configuration.
Statement = tuple[str, ...]

_SHOWN = 20


@dataclass(frozen=True)
class OwnedConfig:
    """Statements in the router's order. Two parts are equal if their statements are, and what is ranked in its order.

    `ranked`: what a router tries one after the other until the first that fits, such as the terms of a filter; each
    with what it stands in before it.
    """

    statements: tuple[Statement, ...]
    ranked: tuple[Statement, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnedConfig) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared[0])

    @property
    def _compared(self) -> tuple[frozenset[Statement], dict[Statement, list[str]]]:
        """The statements, and for each place the order of what is ranked there."""
        names: dict[Statement, list[str]] = {}
        for path in self.ranked:
            names.setdefault(path[:-1], []).append(path[-1])
        return frozenset(self.statements), names

    def changes(self, wanted: "OwnedConfig") -> list[str]:
        """By statement: `-` what is wanted and is not there, `+` what is there beside it."""
        mine, theirs = set(self.statements), set(wanted.statements)
        lines = [f"- {' '.join(words)}" for words in wanted.statements if words not in mine]
        lines += [f"+ {' '.join(words)}" for words in self.statements if words not in theirs]
        if not lines and self != wanted:
            lines = ["! the terms or classes stand in another order"]
        return lines

    def differences(self, wanted: "OwnedConfig") -> list[str]:
        """As `changes`, the first of them."""
        lines = self.changes(wanted)
        return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]


def is_listed_change(shown: str, before: OwnedConfig, after: OwnedConfig) -> bool:
    """Whether a difference made of two whole configurations, by `OwnedConfig.changes`, leads from one to the other."""
    return sorted(shown.splitlines()) == sorted(after.changes(before))
