"""Verdicts of the gate as display rows: value, limit and margin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hntes.gate.verdict import controls_words, measure_words, value_words
from hntes.gate.verdict_figure import WORDS, used_room
from hntes.sql.entries import CriterionName, GateVerdictEntry


@dataclass(frozen=True)
class VerdictLine:
    """One verdict. `used` is the part of the room to the limit that is used up (gate/room.py); None without a limit.

    `controls` are the congestion controls that it was asked with, in words.
    """

    criterion: CriterionName
    measure: str
    port: str
    outcome: str
    is_passing: bool
    value: str
    limit: str
    sentence: str
    used: float | None
    controls: str = ""


def verdict_line(each: GateVerdictEntry) -> VerdictLine:
    """The row of a stored verdict."""
    return VerdictLine(
        criterion=each.criterion, measure=measure_words(each.measure), port=each.port,
        outcome=WORDS[each.outcome], is_passing=each.is_passing,
        value=value_words(each.found_value, each.unit, each.limit_value),
        limit=value_words(each.limit_value, each.unit), sentence=each.sentence, used=used_room(each),
        controls=controls_words(each.controls),
    )  # fmt: skip


def failing_first(lines: Iterable[VerdictLine]) -> tuple[VerdictLine, ...]:
    """The rows in order, those that do not pass first."""
    return tuple(sorted(lines, key=lambda line: line.is_passing))


def verdicts_in_a_sentence(lines: Sequence[VerdictLine]) -> str:
    """The number of passed measures, and the one nearest to its limit."""
    if not lines:
        return "nothing was judged"
    passing = sum(line.is_passing for line in lines)
    near = max((line for line in lines if line.used is not None), key=_used, default=None)
    counted = f"{passing} of {len(lines)} measures pass"
    if near is None or passing < len(lines):
        return counted
    return f"{counted}; tightest: {near.criterion} ({near.measure}): {near.value}, limit {near.limit}"


def _used(line: VerdictLine) -> float:
    return line.used if line.used is not None else 0.0
