"""The gate's verdicts on a change set's candidate as rows for a person: what was found, the limit, how near it was."""

from dataclasses import dataclass

from hntes.gate.loosened import loosened
from hntes.gate.report import WORDS
from hntes.gate.verdict import value_words
from hntes.sql.entries import ChangeSetEntry, GateVerdictEntry
from hntes.sql.session import reading
from hntes.sql.verdicts import verdicts
from hntes.workflow.context import Context


@dataclass(frozen=True)
class GateLine:
    """One verdict. `margin` is the distance of the value from its limit, relative to the limit; None if that is 0."""

    criterion: str
    measure: str
    port: str
    outcome: str
    is_passing: bool
    value: str
    limit: str
    sentence: str
    margin: float | None


@dataclass(frozen=True)
class GateLines:
    """All verdicts, those that fail first; `looser` are limits of the settings that are looser than the defaults."""

    lines: tuple[GateLine, ...]
    looser: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """How many passed, and the one that was nearest to its limit."""
        if not self.lines:
            return "nothing was judged"
        passing = sum(line.is_passing for line in self.lines)
        near = min((line for line in self.lines if line.margin is not None), key=_margin, default=None)
        told = f"{passing} of {len(self.lines)} measures pass"
        if near is None or passing < len(self.lines):
            return told
        return f"{told}; tightest: {near.criterion}, {near.measure} {near.value}, limit {near.limit}"


def gate_lines(context: Context, entry: ChangeSetEntry) -> GateLines:
    """The stored verdicts on the candidate of a change set, in the order of the criteria, those that fail first."""
    with reading(context.database) as session:
        found = verdicts(session, entry.router, entry.candidate_hash)
    lines = [_line(each) for each in found]
    return GateLines(tuple(sorted(lines, key=lambda line: line.is_passing)), loosened(context.settings.gate))


def _line(each: GateVerdictEntry) -> GateLine:
    margin = None
    if each.outcome == "passed" and each.limit_value and each.found_value is not None:
        margin = abs(each.found_value - each.limit_value) / abs(each.limit_value)
    return GateLine(
        each.criterion, each.measure.replace("_", " "), each.port, WORDS[each.outcome], each.is_passing,
        value_words(each.found_value, each.unit), value_words(each.limit_value, each.unit), each.sentence, margin,
    )  # fmt: skip


def _margin(line: GateLine) -> float:
    return line.margin if line.margin is not None else float("inf")
