"""Verdicts as a figure of text: a line for each criterion, its worst measure beside its limit, the worst first."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hntes.gate.room import room_used
from hntes.gate.verdict import CONTROL_WORDS, controls_words, measure_words, value_words
from hntes.sql.entries import GateVerdictEntry, VerdictOutcome

WORDS: dict[str, str] = {
    "passed": "passed", "failed": "FAILED", "not_judged": "not judged", "reported": "reported",
}  # fmt: skip
# Characters up to the limit, and at most beyond it.
_TO_LIMIT, _BEYOND = 10, 3
_ORDER: tuple[VerdictOutcome, ...] = ("failed", "not_judged", "passed", "reported")


@dataclass(frozen=True)
class FigureLine:
    """One criterion at its worst; `used` is the part of the room to the limit that is used up, above 1 beyond it.

    `conditions` are the round trip and the congestion control of the worst, where they make a difference; `controls`
    are all that the criterion was asked with.
    """

    criterion: str
    measure: str
    outcome: VerdictOutcome
    value: str
    limit: str
    conditions: str
    used: float | None
    controls: str = ""

    @property
    def bar(self) -> str:
        """What is used as a bar; the limit is a stroke."""
        if self.used is None:
            return " " * (_TO_LIMIT + 1)
        marks = "#" * min(round(self.used * _TO_LIMIT), _TO_LIMIT + _BEYOND)
        return f"{marks[:_TO_LIMIT]:.<{_TO_LIMIT}}|{marks[_TO_LIMIT:]}"


def figure_of(verdicts: Iterable[GateVerdictEntry]) -> tuple[str, ...]:
    """The figure's lines, in columns."""
    lines = worst_first(verdicts)
    cells = [
        (each.criterion, each.measure, each.conditions, each.value, each.limit and f"limit {each.limit}", each.bar)
        for each in lines
    ]
    widths = [max(map(len, column), default=0) for column in zip(*cells, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width] for row in cells]
    return tuple("  ".join((*row, _outcome(line))) for row, line in zip(padded, lines, strict=True))


def _outcome(line: FigureLine) -> str:
    """With the controls that the criterion was asked with, unless nothing was simulated."""
    return f"{WORDS[line.outcome]} ({line.controls})" if line.controls else WORDS[line.outcome]


def worst_first(verdicts: Iterable[GateVerdictEntry]) -> list[FigureLine]:
    """The worst measure of each criterion, the worst criterion first."""
    entries = list(verdicts)
    worst: dict[str, FigureLine] = {}
    for line in sorted(map(_line, entries), key=_goodness):
        worst.setdefault(line.criterion, line)
    return [replace(line, controls=_controls_of(name, entries)) for name, line in worst.items()]


def _controls_of(criterion: str, entries: Iterable[GateVerdictEntry]) -> str:
    """All that any measure of a criterion was asked with."""
    return controls_words(" ".join(each.controls for each in entries if each.criterion == criterion))


def _goodness(line: FigureLine) -> tuple[int, float]:
    return _ORDER.index(line.outcome), -(line.used if line.used is not None else -1.0)


def _line(verdict: GateVerdictEntry) -> FigureLine:
    round_trip = "" if verdict.round_trip_ms is None else f"at {verdict.round_trip_ms:g} ms"
    control = "" if verdict.congestion in (None, "htcp") else f"with {CONTROL_WORDS[verdict.congestion]}"
    value, limit = verdict.found_value, verdict.limit_value
    return FigureLine(
        verdict.criterion, measure_words(verdict.measure), verdict.outcome,
        value_words(value, verdict.unit, limit), value_words(limit, verdict.unit),
        f"{round_trip} {control}".strip(), used_room(verdict),
    )  # fmt: skip


def used_room(verdict: GateVerdictEntry) -> float | None:
    """The part of the room between the best value there is and the limit; None without a limit or a value."""
    value, limit = verdict.found_value, verdict.limit_value
    if value is None or limit is None or verdict.outcome not in ("passed", "failed"):
        return None
    return room_used(value, limit, verdict.unit, passes=verdict.outcome == "passed")
