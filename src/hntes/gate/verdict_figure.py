"""Verdicts as a figure of text: a line for each criterion, its worst measure beside its limit, the worst first."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.gate.verdict import value_words
from hntes.sql.entries import GateVerdictEntry, VerdictOutcome

WORDS: dict[str, str] = {
    "passed": "passed", "failed": "FAILED", "not_judged": "not judged", "reported": "reported",
}  # fmt: skip
# Characters up to the limit, and at most beyond it.
_TO_LIMIT, _BEYOND = 10, 3
_ORDER: tuple[VerdictOutcome, ...] = ("failed", "not_judged", "passed", "reported")


@dataclass(frozen=True)
class FigureLine:
    """One criterion at its worst; `used` is the part of the room to the limit that is used up, above 1 beyond it."""

    criterion: str
    measure: str
    outcome: VerdictOutcome
    value: str
    limit: str
    round_trip: str
    used: float | None

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
        (each.criterion, each.measure, each.round_trip, each.value, each.limit and f"limit {each.limit}", each.bar)
        for each in lines
    ]
    widths = [max(map(len, column), default=0) for column in zip(*cells, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in cells]
    return tuple(
        f"{'  '.join(cell for cell, width in zip(row, widths, strict=True) if width)}  {WORDS[line.outcome]}"
        for row, line in zip(padded, lines, strict=True)
    )


def worst_first(verdicts: Iterable[GateVerdictEntry]) -> list[FigureLine]:
    """The worst measure of each criterion, the worst criterion first."""
    worst: dict[str, FigureLine] = {}
    for line in sorted(map(_line, verdicts), key=_goodness):
        worst.setdefault(line.criterion, line)
    return list(worst.values())


def _goodness(line: FigureLine) -> tuple[int, float]:
    return _ORDER.index(line.outcome), -(line.used if line.used is not None else -1.0)


def _line(verdict: GateVerdictEntry) -> FigureLine:
    round_trip = "" if verdict.round_trip_ms is None else f"at {verdict.round_trip_ms:g} ms"
    value, limit = verdict.found_value, verdict.limit_value
    return FigureLine(
        verdict.criterion, verdict.measure.replace("_", " "), verdict.outcome,
        value_words(value, verdict.unit, limit), value_words(limit, verdict.unit), round_trip, _used(verdict),
    )  # fmt: skip


def _used(verdict: GateVerdictEntry) -> float | None:
    """The part of the room between the best value there is and the limit; None without a limit or a value."""
    value, limit = verdict.found_value, verdict.limit_value
    if value is None or limit is None or verdict.outcome not in ("passed", "failed"):
        return None
    if value == limit:
        return 0.0 if limit == 0 else 1.0
    if (value > limit) == (verdict.outcome == "passed"):  # a least value: 100% or an index of 1 is best
        best = 100.0 if verdict.unit == "%" else 1.0
        return max(0.0, (best - value) / (best - limit)) if limit < best else 1.0
    return value / limit if limit else float(_TO_LIMIT)
