"""Harmful statements from `tests/data/harmful_statements.toml`, put into good candidates."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data" / "harmful_statements.toml"


@dataclass(frozen=True)
class Harmful:
    """What a statement does, its text, behind which line it goes (None: at the end), and its line within the text.

    `is_usual`: whole configurations have such, which changes neither the judged ports nor their queues.
    """

    platform: str
    what: str
    text: str
    after: str | None
    line: int
    is_usual: bool

    def put_into(self, candidate: str) -> tuple[str, int]:
        """The candidate with the statement, and the line that a refusal must name."""
        lines = candidate.splitlines()
        place = len(lines)
        if self.after is not None:
            place = 1 + next(number for number, line in enumerate(lines) if self.after in line)
        added = self.text.splitlines()
        return "\n".join([*lines[:place], *added, *lines[place:]]) + "\n", place + self.line


def harmful_statements() -> list[Harmful]:
    """All of them, in the file's order."""
    content: dict[str, list[dict[str, Any]]] = tomllib.loads(DATA.read_text(encoding="utf-8"))
    return [
        Harmful(
            platform,
            each["what"],
            each["text"].lstrip("\n"),
            each.get("after"),
            each.get("line", 1),
            each.get("usual", False),
        )
        for platform, entries in content.items()
        for each in entries
    ]
