"""Verdicts of the gate as display rows: value, limit and margin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hntes.gate.verdict import controls_words, value_words
from hntes.gate.verdict_figure import WORDS
from hntes.sql.entries import CriterionName, GateVerdictEntry


@dataclass(frozen=True)
class VerdictLine:
    """One verdict. `margin` is the distance of the value from its limit, relative to the limit; None if that is 0.

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
    margin: float | None
    controls: str = ""


def verdict_line(each: GateVerdictEntry) -> VerdictLine:
    """The row of a stored verdict."""
    margin = None
    if each.outcome == "passed" and each.limit_value and each.found_value is not None:
        margin = abs(each.found_value - each.limit_value) / abs(each.limit_value)
    return VerdictLine(
        criterion=each.criterion, measure=each.measure.replace("_", " "), port=each.port,
        outcome=WORDS[each.outcome], is_passing=each.is_passing,
        value=value_words(each.found_value, each.unit, each.limit_value),
        limit=value_words(each.limit_value, each.unit), sentence=each.sentence, margin=margin,
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
    near = min((line for line in lines if line.margin is not None), key=_margin, default=None)
    counted = f"{passing} of {len(lines)} measures pass"
    if near is None or passing < len(lines):
        return counted
    return f"{counted}; tightest: {near.criterion}, {near.measure} {near.value}, limit {near.limit}"


def _margin(line: VerdictLine) -> float:
    return line.margin if line.margin is not None else float("inf")
