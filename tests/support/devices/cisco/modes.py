"""The configuration modes that a CLI session is in, and which statement a line is there."""

from dataclasses import dataclass, field

from tests.support.devices.cisco.grammar import LineError, match
from tests.support.devices.cisco.section import Section
from tests.support.devices.cisco.statements import Modes, Statement


@dataclass(frozen=True)
class Resolved:
    """One line: the statement it is, its words, whether it removes, and the section it belongs to, as keys."""

    statement: Statement
    words: tuple[str, ...]
    removes: bool
    path: tuple[str, ...]

    @property
    def key(self) -> str:
        return " ".join(self.words[: self.statement.key or len(self.words)])


@dataclass
class ModeStack:
    """Modes from the outermost in, with the key of the section that each stands for."""

    modes: Modes
    stack: list[tuple[str, str]] = field(default_factory=lambda: [("", "")])

    @property
    def name(self) -> str:
        return self.stack[-1][0]

    def enter(self, path: tuple[str, ...], mode: str, key: str) -> None:
        self.stack = [*self.stack[: len(path) + 1], (mode, key)]

    def leave(self) -> bool:
        """One mode out; whether there was one to leave to."""
        if len(self.stack) > 1:
            self.stack.pop()
            return True
        return False

    def resolve(self, line: str, indent: int) -> Resolved:
        """A line is looked for in the mode at hand, then in those around it. LineError: what the router prints."""
        first: LineError | None = None
        words = line.split()
        removes = words[0] == "no" and len(words) > 1
        for depth in range(len(self.stack), 0, -1):
            try:
                return self._in_mode(depth, line, removes, indent)
            except LineError as error:
                first = first or error
        assert first is not None
        raise first

    def _in_mode(self, depth: int, line: str, removes: bool, indent: int) -> Resolved:
        patterns: dict[str, Statement] = {}
        for statement in self.modes[self.stack[depth - 1][0]]:
            for pattern in _removals(statement) if removes else [statement.pattern]:
                patterns.setdefault(pattern, statement)
        found = match(line, patterns, indent)
        given = found.words[1:] if removes else found.words
        return Resolved(patterns[found.pattern], given, removes, tuple(key for _, key in self.stack[1:depth]))


def _removals(statement: Statement) -> list[str]:
    """`no` before the whole line, or before as many of its words as tell it from others."""
    words = statement.pattern.split()
    enough = statement.removal or statement.key
    short = [" ".join(("no", *words[:enough]))] if 0 < enough < len(words) else []
    return [f"no {statement.pattern}", *short]


def section_at(root: Section, path: tuple[str, ...]) -> Section | None:
    return root.get(*path) if path else root
